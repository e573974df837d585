"""Surface case: words whose capitals three case labels cannot tell (`EiTB`, `McDonald`, `EAEko`).

A casing list is a text file, a form a line; empty lines and lines that begin with `# ` say nothing (`#EiTB` is a form):

  * `EiTB`: the word is written so, whatever the model says. With an ending of the language (Basque `EiTBk`, English
    `NASA's`) it is written so where the model sets a capital or a hyphen stands before the ending (`EiTB-k`): an
    ending can make a common word of it (`PAR` + `a`);
  * `ETA-`: a stem, written so with endings alone, for the word itself is common (Basque `eta`);
  * `iran`: lower case, an exception: its label alone tells its case, although the list could read a stem in it.

Where two lines have the same letters the later one counts.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from asr_punct.errors import InputError
from asr_punct.formats.files import Pathlike, display_name, read_lines, write_file
from asr_punct.marks import Case, apply_case, takes_case
from asr_punct.text import split_token
from asr_punct.text.abbreviations import rules_of

STEM = "-"
"""End of a line that is a stem."""
_COMMENT = "# "


@dataclass(frozen=True)
class Casing:
    """Forms of a casing list, and how words are written by them.

    Attributes:
        forms: each form by its lower case.
        language: language code or mixture, whose endings the forms can take.
    """

    forms: Mapping[str, str]
    language: str

    @classmethod
    def of(cls, forms: Iterable[str], language: str) -> Casing:
        """The casing of a list's forms; a user's come after the model's."""
        return cls({form.lower(): form for form in forms}, language)

    def write(self, word: str, case: Case) -> str:
        """The word as the list has it, else with its case; nothing but the case of its letters ever changes.

        A word that has a capital already, or can be given none, is written by its label.

        Args:
            word: an input token; marks at its edges stay.
            case: its label.
        """
        before, core, after = split_token(word, self.language)
        listed = takes_case(word) and core == core.lower()
        form = (self.forms.get(core) or self._with_ending(core, case)) if listed else None
        if form is None or form == core or form.lower() != core:
            return apply_case(word, case)
        return before + form + after

    def _with_ending(self, core: str, case: Case) -> str | None:
        """The word as a form of the list with an ending, the longest form first."""
        rules = rules_of(self.language)
        if (case is Case.O and STEM not in core) or core in rules.starters:
            return None
        for stem, ending in stems_of(core, self.language):
            bare = stem.removesuffix(STEM)
            if case is Case.O and bare == stem:
                continue
            form = self.forms.get(bare, bare)
            if form == bare:
                form = self.forms.get(bare + STEM, bare).removesuffix(STEM)
            if form != bare:
                return form + stem[len(bare) :] + ending
        return None


def stems_of(word: str, language: str) -> Iterator[tuple[str, str]]:
    """The ways to part a lower-case word into a stem, its hyphen included, and an ending; the longest stem first.

    A stem ends with a letter or digit.
    """
    endings = rules_of(language).suffixes
    longest = max(map(len, endings), default=0)
    for cut in range(len(word) - 1, max(0, len(word) - longest - 1), -1):
        if word[cut:] in endings and word[:cut].removesuffix(STEM)[-1:].isalnum():
            yield word[:cut], word[cut:]


def read_casing(path: Pathlike) -> tuple[str, ...]:
    """Forms of a casing list's file, in composed Unicode (NFC).

    Raises:
        InputError: no such file, or a line with more than one word.
    """
    return parse_casing((line for _, line in read_lines(path)), display_name(path))


def parse_casing(lines: Iterable[str], place: str = "casing") -> tuple[str, ...]:
    """Forms of a casing list by its lines. Raises InputError, naming `place`, as `read_casing` does."""
    forms = []
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.startswith(_COMMENT):
            continue
        if len(line.split()) > 1 or line.strip() == STEM:
            raise InputError(f"{place}:{number}", repr(line), "one word, written as it should be")
        forms.append(unicodedata.normalize("NFC", line.strip()))
    return tuple(forms)


def write_casing(lines: Iterable[str], path: Pathlike, comment: str = "") -> None:
    """Write a casing list, under a comment of one line where one is given."""
    with write_file(path) as out:
        if comment:
            out.write(f"{_COMMENT}{comment}\n")
        out.writelines(f"{line}\n" for line in lines)
