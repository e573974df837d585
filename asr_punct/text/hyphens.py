"""Capitals of words with a hyphen: all parts of a name (`Ocasio-Cortez`, `Jean-Paul`), the first of another word.

Letters that someone spells (`j-o-n`) all have one.

In English most such words with a capital are names. In Spanish and Basque, which write compounds and endings with a
hyphen (`Franco-alemán`, `Donostia-ko`), only those that begin with a common first name or a surname in -ez are.
"""

from collections.abc import Sequence

from asr_punct.text.language_rules import rules_of

_SHORT_NAME = 4
_PREFIXES = frozenset(
    """
    anti bi co counter cross de double eco ex extra first full half high hyper inter intra large last left long low
    macro mega micro mid mini mm multi near never new non off old once one over para part peer poly post pre pro quasi
    re real right second self semi short single small so step sub super third top trans two three four five six seven
    eight nine ten twenty thirty forty fifty sixty seventy eighty ninety hundred uh un under up ultra well year month
    week day quarter time end back best better cost custom decision case cutting data early easy even ever fast follow
    forward free front good hands hard health higher knee lower man much more most must user value water whole wide work
    world state out in on all any at by each open point price problem risk same set side stand start third-party toe
    type very vice check clean close cold come community computer context cloud client server face fact far few
    """.split()  # noqa: SIM905
)
"""First parts of common words, which are capitalised only where a sentence begins."""
_LOWER = frozenset(
    """
    a about adjusted after and area as at aware back backed based basis bit born bound branded by class de defined des
    directed down du earth el elect end era ever extra first focused for free friendly from general grade half head
    high huh hm hmm in in-law ish ism la language large law le led les level like line linked long made man minded month
    more near next of off oh old on one or out over owned part per plus point quality quarter ray ready related run
    scale shire side size sized specific sponsored speaking style sur term the thing through throughs time to type und
    up upon van von wheel white wide wise with world year years e i l
    """.split()  # noqa: SIM905
)
"""Later parts that are in lower case also in a name (`Stratford-upon-Avon`, `Obama-era`)."""
_LOWER_ENDINGS = ("ed", "ing", "ly", "ish", "ness")


_FIRST_NAMES = frozenset(
    """
    alba alfonso alicia ana andrés anne antonio arantza beatriz begoña carlos carmen clara claude cristina diego eduardo
    elena enrique ester eva fernando francisco françois gema georges gloria hans henri ignacio inés irene isabel iñaki
    jacques jaime jan javier jean jesús joan john jorge josé jose josefa joseph joxe juan julia karl koldo laura louis
    lucía luis luisa maite manuel mari maría maria mario marie marta martin martín michel miguel mikel miren mónica
    olga pablo patxi paul paula pedro peio philippe pierre rafael raúl ricardo roberto rosa saint sara sofía sonia
    teresa tomás víctor xabier
    """.split()  # noqa: SIM905
)


def with_capital_parts(word: str, language: str = "en") -> str:
    """Return a lower-case word with a capital, or with one in each part of a name."""
    first, *others = word.split("-")
    if len(others) > 1 and all(len(part) == 1 and part.isalpha() for part in (first, *others)) and first not in others:
        return word.upper()
    if language != "en" and not _is_name(first, others, rules_of(language).suffixes):
        return _capitalised(word)
    if first in _PREFIXES or len(first) == 1 or first in others:  # `e-mail`, `bye-bye`
        return "-".join([_capitalised(first), *others])
    return "-".join([_capitalised(first), *(part if _is_lower(part) else _capitalised(part) for part in others)])


def _is_name(first: str, others: Sequence[str], suffixes: frozenset[str]) -> bool:
    begins = first in _FIRST_NAMES or (len(first) > _SHORT_NAME and first.endswith("ez"))
    return begins and all(len(part) > 1 and part not in suffixes for part in others)


def _is_lower(part: str) -> bool:
    return part in _LOWER or (len(part) > 5 and part.endswith(_LOWER_ENDINGS)) or not part[:1].isalpha()


def _capitalised(part: str) -> str:
    return part[:1].upper() + part[1:]
