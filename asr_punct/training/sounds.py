"""Sound keys and misspellings of words, by rules for English and for Spanish and Basque.

Words with the same sound key sound alike: `vaca` and `baca`. The English key is close to Metaphone (Philips 1990,
Hanging on the Metaphone), but all vowels are equal in it.
"""

import re
import unicodedata
import zlib
from collections.abc import Sequence

_Rules = Sequence[tuple[re.Pattern[str], str]]


def _rules(table: str) -> _Rules:
    """Parse rules `pattern>replacement`, separated by white space."""
    pairs = (rule.partition(">") for rule in table.split())
    return [(re.compile(pattern, re.MULTILINE), replacement) for pattern, _, replacement in pairs]


_IBERIAN = _rules(
    r"""['’-]>      ch|t[xsz]>C      ph>f        qu(?=[ei])|q|ck>k      g(?=[ei])>j      gu(?=[ei])>g
        c(?=[ei])|[zx]>s      c>k      ll>y      y>i      [vw]>b      h>      n(?=[bp])>m
        ([^\W\d_])\1+>\1      d$>"""
)
_ENGLISH = _rules(
    r"""['’-]>      ^[kg](?=n)|^p(?=[ns])|^w(?=r)|(?<=m)b$|(?<=w)h>      gh(?=t|$)>      tch|ch>C
        sh|[ts]i(?=o|a)|ci(?=o|a)>S      th>T      ph>f      dg(?=[eiy])|g(?=[eiy])>j      c(?=[eiy])|z|^x>s
        qu>kw      ck|[cq]>k      x>ks      (?<=[^\n][^aeiouy\n])e(?=d?$)>      h|(?<=[aeiou])w(?![aeiou])>
        [aeiouy]+>a      ([^\W\d_])\1+>\1"""
)
_IBERIAN_SPELLINGS = _rules(
    r"""b>v      v>b      c(?=[ei])>s      z>s      s(?=[aeiou])>z      ll>y      y(?=[aeiou])>ll      h>
        g(?=[ei])>j      j>g      k>c      qu>k      tx>ch      ch>tx      t[sz]>z      x>s      rr>r
        m(?=[bp])>n      [dt]$>      i(?=[aeiou])>y"""
)
_ENGLISH_SPELLINGS = _rules(
    r"""ph>f      ck>k      k>c      c(?=[aou])>k      c(?=[eiy])>s      ([bdfglmnprst])\1>\1      ee>ea
        ea>ee      y$>ie      (?:ie|ey)$>y      z>s      sh>ch      th>t      gh>      ou>u      v>b
        (?<=[aeiou])([nlt])(?=[aeiou])>\1\1      (?<=..)e$>"""
)
_VOWELS = _rules("a>e e>i i>e o>u u>o")


def sound_keys(words: Sequence[str], language: str) -> list[str]:
    """Return the sound keys of lower-case words, by the rules of English (`en`) or else of Spanish and Basque."""
    text = "".join(c for c in unicodedata.normalize("NFD", "\n".join(words)) if not unicodedata.combining(c))
    for pattern, replacement in _ENGLISH if _is_english(language) else _IBERIAN:
        text = pattern.sub(replacement, text)
    return text.split("\n") if words else []


def misspellings(word: str, language: str, *, vowel: bool) -> list[str]:
    """Return a misspelling of the word, such as `govierno`, and with `vowel` one with another vowel, where possible."""
    tables = [_ENGLISH_SPELLINGS if _is_english(language) else _IBERIAN_SPELLINGS, *([_VOWELS] if vowel else [])]
    return [form for rules in tables if (form := _respelt(word, rules)) != word]


def _is_english(language: str) -> bool:
    return language.split("+")[0] == "en"


def _respelt(word: str, rules: _Rules) -> str:
    """Apply the first rule that changes the word; the word's checksum selects the rule that is tried first."""
    first = zlib.crc32(word.encode()) % len(rules)
    forms = (pattern.sub(replacement, word, count=1) for pattern, replacement in (*rules[first:], *rules[:first]))
    return next((form for form in forms if form != word), word)
