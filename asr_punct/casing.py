"""Casing lists: words whose capitals the three case labels cannot express (`EiTB`, `McDonald`, `EAEko`).

A casing list is a text file with one form per line; empty lines and lines that begin with `# ` are skipped (`#EiTB` is
a form). Where two lines differ only in case, the later one counts. A form is one of:

  * `EiTB`: the word is always written so. With an ending of the language (Basque `EiTBk`, English `NASA's`) the form
    applies only if the model predicts a capital, or if a hyphen precedes the ending (`EiTB-k`). Else the form `PAR`
    would turn Basque *para* into `PARa`.
  * `ETA-`: a stem, which applies only to the word with an ending (`ETAk`), because the word itself is a common one
    (Basque `eta`).
  * `iran`: lower case, an exception: the list is ignored for this word and the model's case decides, even if it looks
    like a listed form plus an ending.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from asr_punct.errors import InputError
from asr_punct.files import Pathlike, display_name, read_lines, write_file
from asr_punct.languages import facts_of
from asr_punct.letter_case import apply_case, takes_case
from asr_punct.marks import Case
from asr_punct.text import split_sound, split_token
from asr_punct.text.hyphens import with_capital_parts

STEM_MARKER = "-"
"""The last character of a stem."""
_COMMENT = "# "


@dataclass(frozen=True)
class Casing:
    """A casing list: each form by its lower case. Forms can have endings of `language`, a code or mixture (`es+eu`)."""

    forms: Mapping[str, str]
    language: str

    @classmethod
    def of(cls, forms: Iterable[str], language: str) -> Casing:
        """Build a casing list; of forms that differ only in case the last one counts."""
        return cls({form.lower(): form for form in forms}, language)

    def apply(self, word: str, case: Case) -> str:
        """Return a token with the capitals of the list, or else of its case label. Nothing but case changes.

        The label FIRST_CAP may give several capitals to a name with a hyphen (`Ocasio-Cortez`; `text.hyphens`). The
        list says nothing of a token that already has a capital, of sounds, and of tags and addresses (`takes_case`).
        """
        before, core, after = split_token(word, self.language)
        eligible = takes_case(word) and core == core.lower() and split_sound(word) is None
        form = (self.forms.get(core) or self._with_ending(core, case)) if eligible else None
        if form is None and eligible and case is Case.FIRST_CAP and "-" in core[1:]:
            form = with_capital_parts(core, self.language)
        if form is None or form == core or form.lower() != core:
            return apply_case(word, case)
        return before + form + after

    def _with_ending(self, core: str, case: Case) -> str | None:
        """Return the word as a form of the list and an ending, or None. The longest form wins."""
        if (case is Case.O and STEM_MARKER not in core) or core in facts_of(self.language).function_words:
            return None
        for stem, ending in stems_of(core, self.language):
            bare = stem.removesuffix(STEM_MARKER)
            if case is Case.O and bare == stem:
                continue
            for key in (bare, bare + STEM_MARKER):
                form = self.forms.get(key, key).removesuffix(STEM_MARKER)
                if form != bare and (stem[-1:] != "r" or stem[:-1] not in self._excepted):
                    return form + stem[len(bare) :] + ending
        return None

    @cached_property
    def _excepted(self) -> frozenset[str]:
        """Stems of the exceptions with an ending: `ana` of `anari`."""
        exceptions = [form for form in self.forms.values() if form == form.lower()]
        return frozenset(stem for form in exceptions for stem, _ in stems_of(form, self.language))


def stems_of(word: str, language: str) -> Iterator[tuple[str, str]]:
    """Yield every split of a lower-case word into a stem, with its hyphen, and an ending; the longest stem first."""
    endings = facts_of(language).suffixes
    longest = max(map(len, endings), default=0)
    for cut in range(len(word) - 1, max(0, len(word) - longest - 1), -1):
        if word[cut:] in endings and word[:cut].removesuffix(STEM_MARKER)[-1:].isalnum():
            yield word[:cut], word[cut:]


def read_casing(path: Pathlike) -> tuple[str, ...]:
    """Read the forms of a casing list, in NFC. Raises InputError for a line with more than one word."""
    return parse_casing((line for _, line in read_lines(path)), display_name(path))


def parse_casing(lines: Iterable[str], place: str = "casing") -> tuple[str, ...]:
    """Parse the lines of a casing list; `place` is the file name in errors, which are those of `read_casing`."""
    forms = []
    for number, line in enumerate(lines, start=1):
        form = line.strip()
        if not form or line.startswith(_COMMENT):
            continue
        if len(form.split()) > 1 or form == STEM_MARKER:
            raise InputError(f"{place}:{number}", repr(line), "one word, written as it should be")
        forms.append(unicodedata.normalize("NFC", form))
    return tuple(forms)


def write_casing(forms: Iterable[str], path: Pathlike, comment: str = "") -> None:
    """Write a casing list, and a comment of one line above it."""
    with write_file(path) as out:
        if comment:
            out.write(f"{_COMMENT}{comment}\n")
        out.writelines(f"{form}\n" for form in forms)
