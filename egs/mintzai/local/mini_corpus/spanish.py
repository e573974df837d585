"""Spanish for the grammar: verb forms, numbers as written and as spoken, contractions."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping

from asr_punct.corpora.numerals import cardinal
from mini_corpus.grammar import Source, TextFunction

_ENDINGS = {
    "ar": {"pres": ("a", "an"), "pret": ("ó", "aron"), "subj": ("e", "en"), "part": "ado"},
    "er": {"pres": ("e", "en"), "pret": ("ió", "ieron"), "subj": ("a", "an"), "part": "ido"},
    "ir": {"pres": ("e", "en"), "pret": ("ió", "ieron"), "subj": ("a", "an"), "part": "ido"},
}
_SPELLING = {"z": "c", "c": "qu", "g": "gu"}
"""How the stem of a verb in -ar is spelt before -e."""
_IRREGULAR = {
    ("aprobar", "pres"): ("aprueba", "aprueban"),
    ("aprobar", "subj"): ("apruebe", "aprueben"),
    ("conseguir", "pres"): ("consigue", "consiguen"),
    ("conseguir", "pret"): ("consiguió", "consiguieron"),
    ("contribuir", "pres"): ("contribuye", "contribuyen"),
    ("contribuir", "pret"): ("contribuyó", "contribuyeron"),
    ("corregir", "pres"): ("corrige", "corrigen"),
    ("corregir", "pret"): ("corrigió", "corrigieron"),
    ("corregir", "subj"): ("corrija", "corrijan"),
    ("defender", "pres"): ("defiende", "defienden"),
    ("defender", "subj"): ("defienda", "defiendan"),
    ("negar", "pres"): ("niega", "niegan"),
    ("poder", "pres"): ("puede", "pueden"),
    ("poder", "fut"): ("podrá", "podrán"),
    ("querer", "pres"): ("quiere", "quieren"),
    ("querer", "fut"): ("querrá", "querrán"),
    ("reconocer", "subj"): ("reconozca", "reconozcan"),
    ("saber", "pres"): ("sabe", "saben"),
    ("servir", "pres"): ("sirve", "sirven"),
    ("servir", "pret"): ("sirvió", "sirvieron"),
    ("tener", "pres"): ("tiene", "tienen"),
    ("tener", "fut"): ("tendrá", "tendrán"),
}
_PARTICIPLES = {"hacer": "hecho"}


def conjugate(form: str, verb: str) -> str:
    """A third person of a verb, or its participle.

    Args:
        form: tense (pres, perf, pret, fut, subj, part), a point, and s or p.
        verb: infinitive; words after it stay.
    """
    infinitive, blank, rest = verb.partition(" ")
    tense, _, number = form.partition(".")
    plural = number == "p"
    if tense == "part":
        found = _participle(infinitive)
    elif tense == "perf":
        found = f"{'han' if plural else 'ha'} {_participle(infinitive)}"
    elif (infinitive, tense) in _IRREGULAR:
        found = _IRREGULAR[infinitive, tense][plural]
    elif tense == "fut":
        found = infinitive + ("án" if plural else "á")
    else:
        found = _regular(infinitive, tense, plural)
    return found + blank + rest


def _participle(infinitive: str) -> str:
    return _PARTICIPLES.get(infinitive) or infinitive[:-2] + str(_ENDINGS[infinitive[-2:]]["part"])


def _regular(infinitive: str, tense: str, plural: bool) -> str:
    stem, group = infinitive[:-2], infinitive[-2:]
    if tense == "subj" and group == "ar" and stem[-1] in _SPELLING:
        stem = stem[:-1] + _SPELLING[stem[-1]]
    return stem + _ENDINGS[group][tense][plural]


def tidy(text: str) -> str:
    """Contractions (de el, a el) and the forms of y and o before their own vowels."""
    text = re.sub(r"\b(de|a) el (?=\w)", lambda found: f"{found[1][0]}{'el' if found[1] == 'de' else 'l'} ", text)
    text = re.sub(r"\by (?=h?i(?![aeo]))", "e ", text, flags=re.IGNORECASE)
    return re.sub(r"\bo (?=h?o)", "u ", text)


SPOKEN: Mapping[str, str] = {
    "%": "por ciento",
    "sr": "señor",
    "ee": "estados",
    "uu": "unidos",
    "eaj-pnv": "e a jota pe ene uve",
    "pse-ee": "pe ese e e e",
    "eh": "e hache",
    "ugt": "u ge te",
    "ocde": "o ce de e",
    "ipc": "i pe ce",
    "bopv": "be o pe uve",
    "ue": "u e",
    "onu": "onu",
    "eitb": "e i te be",
}
"""What is said for words that are not read as they are written."""


def speak_number(figures: str) -> str:
    """Figures as they are said: 3.500, 3,5, 10:30, 2015."""
    for mark, word in ((":", " "), (",", " coma ")):
        if mark in figures:
            return word.join(cardinal(int(part), "es") for part in figures.split(mark))
    return cardinal(int(figures.replace(".", "")), "es")


def thousands(rng: random.Random) -> str:
    """A round number of four to six figures, with its point."""
    return f"{rng.choice((1, 2, 3, 4, 5, 7, 9, 12, 18, 24, 40, 75, 120))}.{rng.randrange(0, 1000, 50):03d}"


def decimal(rng: random.Random) -> str:
    """A number with a decimal comma."""
    return f"{rng.randint(2, 60)},{rng.randint(1, 9)}"


def clock(rng: random.Random) -> str:
    """A time of the day."""
    return f"{rng.randint(8, 21)}:{rng.choice((15, 20, 30, 40, 45))}"


FUNCTIONS: Mapping[str, TextFunction] = {"v": conjugate}
SOURCES: Mapping[str, Source] = {
    "thousands": thousands,
    "decimal": decimal,
    "time": clock,
    "percent": lambda rng: str(rng.randint(3, 95)),
    "count": lambda rng: str(rng.randint(11, 99)),
    "day": lambda rng: str(rng.randint(2, 30)),
    "year": lambda rng: str(rng.randint(2003, 2018)),
    "year.next": lambda rng: str(rng.randint(2019, 2025)),
}
