"""Languages of which little is known. One that gets a module of its own has all of its record there."""

from asr_punct.languages.record import Language, words

_NAMED = """
    ar Arabic ARABIC, cs Czech, da Danish, el Greek GREEK, fi Finnish, he Hebrew HEBREW,
    hi Hindi DEVANAGARI, hu Hungarian, hy Armenian ARMENIAN, id Indonesian, is Icelandic, ja Japanese HIRAGANA KATAKANA,
    ka Georgian GEORGIAN, ko Korean HANGUL, lt Lithuanian, lv Latvian, nl Dutch, pl Polish, ro Romanian,
    ru Russian CYRILLIC, sk Slovak, sl Slovenian, sv Swedish, ta Tamil TAMIL, th Thai THAI,
    tr Turkish, vi Vietnamese, zh Chinese CJK
"""
"""Codes, names and scripts."""
LANGUAGES = (
    Language("ast", "Asturian", opens_sentences=True),
    Language("ca", "Catalan", words("cat valencian"), stl_number="03"),
    Language("de", "German", words("deu ger"), stl_number="08", first_names=words("hans")),
    Language(
        "fr",
        "French",
        words("fra fre"),
        stl_number="0F",
        first_names=words(
            """anne clara claude françois georges henri jacques jan jean laura louis marie martin michel philippe pierre
            saint"""
        ),
    ),
    Language("fil", "Filipino", whisper_code="tl"),
    Language("gl", "Galician", words("glg"), opens_sentences=True),
    Language("it", "Italian", words("ita"), stl_number="15"),
    Language("nb", "Norwegian", words("no"), whisper_code="no"),
    Language("pt", "Portuguese", words("por"), stl_number="21"),
    Language("sh", "Serbo-Croatian", whisper_code=None),
    *(Language(code, name, scripts=frozenset(scripts)) for code, name, *scripts in map(str.split, _NAMED.split(","))),
)
