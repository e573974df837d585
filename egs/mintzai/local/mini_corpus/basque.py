"""Basque for the grammar: declension, verb forms and auxiliaries, numbers as written and as spoken."""

from __future__ import annotations

import re
from collections.abc import Mapping

from asr_punct.corpora.numerals import basque_cardinal, with_basque_suffix
from mini_corpus import spanish
from mini_corpus.grammar import Source, TextFunction

_CASES = {
    ("abs", "s"): "a",
    ("abs", "p"): "ak",
    ("erg", "s"): "ak",
    ("erg", "p"): "ek",
    ("dat", "s"): "ari",
    ("dat", "p"): "ei",
    ("gen", "s"): "aren",
    ("gen", "p"): "en",
    ("soc", "s"): "arekin",
    ("soc", "p"): "ekin",
    ("ins", "s"): "az",
    ("ins", "p"): "ez",
}
_AUXILIARIES = {
    ("s", "s"): ("du", "zuen"),
    ("s", "p"): ("ditu", "zituen"),
    ("p", "s"): ("dute", "zuten"),
    ("p", "p"): ("dituzte", "zituzten"),
    ("gu", "s"): ("dugu", "genuen"),
    ("gu", "p"): ("ditugu", "genituen"),
}
"""(subject, object) -> present and past of the transitive auxiliary."""
_BEFORE_N = {
    "da": "de",
    "dira": "dire",
    "du": "due",
    "ditu": "ditue",
    "dago": "dagoe",
}
"""Auxiliaries that change before -n and -la."""
_NOMINAL_STEMS = {
    "berrikusi": "berrikuste",
    "egin": "egite",
    "ekoitzi": "ekoizte",
    "eraman": "eramate",
    "erabili": "erabiltze",
    "geldiarazi": "geldiarazte",
    "itxi": "ixte",
    "jaitsi": "jaiste",
    "lehenetsi": "leheneste",
}
_NUMBER_ENDINGS = {"ine": ("ean", "n", "an"), "gen": ("eko", "ko", "ko"), "erg": ("ek", "k", "k")}
_FIGURES = re.compile(r"([\d.,:]*\d)(\w*)")


def decline(form: str, phrase: str) -> str:
    """The last word of a noun phrase, given as a stem, with an ending.

    Args:
        form: case (abs, erg, dat, gen, soc, ins), a point, and s or p.
        phrase: a stem in -a keeps one a; a final r is doubled.
    """
    case, _, number = form.partition(".")
    stem = phrase[:-1] if phrase.endswith("a") else phrase + "r" if phrase.endswith("r") else phrase
    return stem + _CASES[case, number]


def take_aspect(form: str, phrase: str) -> str:
    """A form without auxiliary of the verb, given as participle, that ends a phrase.

    Args:
        form: imp (onartzen), fut (onartuko), nom (onartzea), purpose (onartzeko).
        phrase: ends in the participle.
    """
    before, blank, verb = phrase.rpartition(" ")
    if form == "fut":
        return f"{phrase}{'go' if verb.endswith('n') else 'ko'}"
    return before + blank + _nominal_stem(verb) + {"imp": "n", "nom": "a", "purpose": "ko"}[form]


def _nominal_stem(verb: str) -> str:
    """onartu -> onartze, murriztu -> murrizte, ireki -> irekitze, erakarri -> erakartze."""
    if verb in _NOMINAL_STEMS:
        return _NOMINAL_STEMS[verb]
    if verb.endswith(("tu", "du")):
        stem = verb[:-2]
        return stem + ("te" if stem[-1] in "szx" else "tze")
    return (verb[:-2] if verb.endswith("rri") else verb) + "tze"


def conjugate(form: str, phrase: str) -> str:
    """A transitive verb with its auxiliary.

    Args:
        form: tense (perf, pres, pret, fut), subject (s, p, gu), object (s, p), form of the auxiliary; points between.
        phrase: ends in the participle.
    """
    tense, subject, thing, mode = form.split(".")
    auxiliary = _AUXILIARIES[subject, thing][tense == "pret"]
    verb = take_aspect({"pres": "imp"}.get(tense, tense), phrase) if tense in ("pres", "fut") else phrase
    return f"{verb} {mark(mode, auxiliary)}"


def mark(mode: str, auxiliary: str) -> str:
    """An auxiliary as its clause wants it: main du, ela duela, en duen, ba badu, bait baitu, lako, nean."""
    if mode == "ba":
        return f"ba{auxiliary}"
    if mode == "bait":
        return re.sub("^baitd", "bait", re.sub("^baitg", "baik", f"bait{auxiliary}"))
    stem = _BEFORE_N.get(auxiliary, auxiliary.removesuffix("n"))
    return {"main": auxiliary, "ela": f"{stem}la", "en": f"{stem}n", "lako": f"{stem}lako", "nean": f"{stem}nean"}[mode]


def inflect_number(form: str, figures: str) -> str:
    """Figures with an ending: ine 2015ean, gen 2015eko, erg 25ek."""
    last = speak_number(figures)[-1]
    after_consonant, after_a, after_vowel = _NUMBER_ENDINGS[form]
    return figures + (after_a if last == "a" else after_vowel if last in "eiou" else after_consonant)


def speak_number(figures: str) -> str:
    """Figures as they are said, their ending with them: 3.500, 3,5, 10:30ean, 2015eko."""
    found = _FIGURES.fullmatch(figures)
    number, ending = (found[1], found[2]) if found else (figures, "")
    parts = [basque_cardinal(int(part.replace(".", ""))) for part in re.split("[:,]", number)]
    spoken = (" koma " if "," in number else " eta ").join(parts)
    return with_basque_suffix(spoken, ending) if ending else spoken


SPOKEN: Mapping[str, str] = {
    "%": "ehuneko",
    "eaj": "e a jota",
    "ugt": "u ge te",
    "eajk": "e a jotak",
    "eajko": "e a jotako",
    "eh": "e hatxe",
    "pse-eek": "pe ese e ek",
    "pse-eeko": "pe ese e eko",
    "ugtk": "u ge tek",
    "ebren": "e beren",
    "nberen": "ene be eren",
    "eaeko": "e a eko",
    "eaen": "e a en",
    "aebetan": "a e betan",
    "eitbko": "e i te beko",
    "eitbren": "e i te beren",
}
"""What is said for words that are not read as they are written."""
FUNCTIONS: Mapping[str, TextFunction] = {
    "d": decline,
    "a": take_aspect,
    "v": conjugate,
    "m": mark,
    "n": inflect_number,
}
SOURCES: Mapping[str, Source] = {
    name: spanish.SOURCES[name] for name in ("thousands", "decimal", "time", "percent", "count", "year")
}
