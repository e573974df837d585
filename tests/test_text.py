from collections import Counter

import pytest

from asr_punct.marks import Case, Labels, Mark, format_marks, glyphs, parse_marks, write_text
from asr_punct.text import canonical, clean, parse, read_marks, split_token

SIGN = {Case.O: "", Case.FIRST_CAP: "^", Case.ALL_CAPS: "^^"}


def show(text, language="es"):
    """Words with their marks and case: `Hola, tú` -> `hola^/COMMA tú`."""
    parsed = parse(text, language)
    return " ".join(
        word + SIGN[label.case] + (f"/{format_marks(label.marks)}" if label.marks else "")
        for word, label in zip(parsed.words, parsed.labels, strict=True)
    )


def again(text, language="es"):
    parsed = parse(text, language)
    return write_text(parsed.words, parsed.labels, glyphs(language))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("hola", "hola"),
        ("Hola , tú .", "hola^/COMMA tú/PERIOD"),
        ("«¿Qué?», dijo.", "qué^/COMMA+QUESTION+OPEN_QUES+OPEN_QUOTE+QUOTE dijo/PERIOD"),
        ("“sí” „no” «ea»", "sí/OPEN_QUOTE+QUOTE no/OPEN_QUOTE+QUOTE ea/OPEN_QUOTE+QUOTE"),
        ("‘‘ya’’ ``va''", "ya/OPEN_QUOTE+QUOTE va/OPEN_QUOTE+QUOTE"),
        ('"sí", ("no")', "sí/COMMA+OPEN_QUOTE+QUOTE no/OPEN_QUOTE+QUOTE"),
        ("dijo \" sí \" y ' no '", "dijo sí/OPEN_QUOTE+QUOTE y no/OPEN_QUOTE+QUOTE"),
        ('se fue. "', "se fue/PERIOD+QUOTE"),
        ("'a la calle' o ‘ya’", "a/OPEN_QUOTE la calle/QUOTE o ya/OPEN_QUOTE+QUOTE"),
        ("D'Artagnan l’hora", "d'artagnan^ l’hora"),
        ("uno... dos… tres....", "uno/ELLIPSIS dos/ELLIPSIS tres/ELLIPSIS"),
        ("¡ah!.. y . . . nada", "ah/ELLIPSIS+EXCLAMATION+OPEN_EXCL y/ELLIPSIS nada"),
        ("¡¡No!! ¿¿eh??", "no^/EXCLAMATION+OPEN_EXCL eh/QUESTION+OPEN_QUES"),
        ("¿Y tú ¿ quién eres ?", "y^/OPEN_QUES tú quién/OPEN_QUES eres/QUESTION"),
        ("fin। luego؟", "fin/PERIOD luego/QUESTION"),
        ("BOE, EiTB y iPhone A", "boe^^/COMMA eitb^ y iphone a^"),
    ],
)
def test_marks(text, expected):
    assert show(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("catorce—veinte", "catorce/DASH veinte"),
        ("a--b a––b", "a/DASH b a/DASH b"),
        ("ley - la nueva - y ya", "ley/DASH la nueva/DASH y ya"),
        ("ley -- la nueva --", "ley/DASH la nueva/DASH"),
        ("- Sí", "sí^/OPEN_DASH"),
        ("—Sí —dijo ella—, ya.", "sí^/OPEN_DASH dijo/OPEN_DASH ella/COMMA+DASH ya/PERIOD"),
        ("-Ven -dijo-.", "ven^/OPEN_DASH dijo/PERIOD+DASH+OPEN_DASH"),
        ("«—¿Yo?»—dijo", "yo^/QUESTION+DASH+OPEN_QUES+OPEN_QUOTE+QUOTE+OPEN_DASH dijo"),
        ("teórico-práctico ex-", "teórico-práctico ex/DASH"),
        ("a -5 grados, −3,5 y --5", "a -5 grados/COMMA −3,5 y 5/OPEN_DASH"),
        ("1936-1939 y 1936–1939", "1936-1939 y 1936/DASH 1939"),
        ("- - —", ""),
    ],
)
def test_dashes(text, expected):
    assert show(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "3.500 3,5 1.234,56 10:30 10:30h 50% 1º 2.ª 1/2 1.000€ $5 .5 +34 2+2",
        "km/h y/o c/u teórico-práctico o'clock d'or i+d+i at&t c++ c# 20ºc",
        "info@correo.eus http://a.eus/b?c=d,e#f www.a.eus/b/ https://a.es foo_bar archivo.txt",
    ],
)
def test_words_that_stay_whole(text):
    assert parse(text).words == tuple(text.split())
    assert again(text) == text


def test_marks_after_words_that_hold_marks():
    assert show("a las 10:30, el 50%. (www.a.eus)") == "a las 10:30/COMMA el 50%/PERIOD www.a.eus"
    assert show("en http://a.eus/b. Y http://a.eus?") == "en http://a.eus/b/PERIOD y^ http://a.eus/QUESTION"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sí,no;ya:va", "sí/COMMA no/SEMICOLON ya/COLON va"),
        ("fin.Luego", "fin/PERIOD luego^"),
        ("fin.luego A.Luego fin.LUEGO", "fin.luego a.luego^ fin.luego"),
        ("ah!oh?eh…ih", "ah/EXCLAMATION oh/QUESTION eh/ELLIPSIS ih"),
        ("pero¿qué «a»b", "pero qué/OPEN_QUES a/OPEN_QUOTE+QUOTE b"),
        ("«...y así»", "y/OPEN_QUOTE así/QUOTE"),
    ],
)
def test_glued_words(text, expected):
    assert show(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("el Sr. Ruiz y la Dra. Vega.", "el sr.^ ruiz^ y la dra.^ vega^/PERIOD"),
        ("vino el Sr.", "vino el sr.^"),
        ("peras, etc. Luego etc. y más etc.", "peras/COMMA etc./PERIOD luego^ etc. y más etc./PERIOD"),
        ("etc., etc.; etc.?", "etc./COMMA etc./SEMICOLON etc./QUESTION"),
        ("en EE. UU. hay", "en ee.^^ uu.^^ hay"),
        ("en EE. UU. Hay", "en ee.^^ uu.^^/PERIOD hay^"),
        ("en EE.UU., p.ej. hoy", "en ee.uu.^^/COMMA p.ej. hoy"),
        ("a J. R. Soto", "a j.^ r.^ soto^"),
        ("un plan B. El otro", "un plan b^/PERIOD el^ otro"),
        ("vitamina C.", "vitamina c^/PERIOD"),
        ("una S. A. El", "una s.^ a.^/PERIOD el^"),
        ("¿y V.? bien", "y/OPEN_QUES v.^/QUESTION bien"),
        ("siglo I a. C. y ya", "siglo i^ a. c.^ y ya"),
        ("núm. 5, no. 5, no. Ya", "núm. 5/COMMA no. 5/COMMA no/PERIOD ya^"),
        ("etc... etc.… etc..", "etc/ELLIPSIS etc./ELLIPSIS etc./PERIOD"),
        ("(patos, etc.). Y", "patos/COMMA etc./PERIOD y^"),
    ],
)
def test_spanish_abbreviations(text, expected):
    assert show(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2. artikulua, XX. mendea", "2. artikulua/COMMA xx.^^ mendea"),
        ("maiatzaren 4. eguna", "maiatzaren 4. eguna"),
        ("1., 2. eta 3. atalak", "1./COMMA 2. eta 3. atalak"),
        ("2016. Gero", "2016/PERIOD gero^"),
        ("I. kapitulua", "i.^ kapitulua"),
        ("jn. Aldai, and. Oiz etab.", "jn. aldai^/COMMA and. oiz^ etab./PERIOD"),
        ("K.a. 44. urtea", "k.a.^ 44. urtea"),
        ('EAEko «Hitza»ko "Bat"-en', "eaeko^ hitzako^/OPEN_QUOTE+QUOTE bat-en^/OPEN_QUOTE+QUOTE"),
        ("gorputz- eta keinu-hizkuntza", "gorputz eta keinu-hizkuntza"),
        ("diru-, lan- edo lur-galera", "diru/COMMA lan edo lur-galera"),
        ("bat -bi- eta hiru-", "bat bi/DASH+OPEN_DASH eta hiru/DASH"),
    ],
)
def test_basque(text, expected):
    assert show(text, "eu") == expected


def test_ordinals_are_basque():
    assert show("2. artikulua", "es") == "2/PERIOD artikulua"
    assert show("2. artikulua", "es+eu") == "2. artikulua"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mr. Hall and St. Ives", "mr.^ hall^ and st.^ ives^"),
        ("the U.S. Senate", "the u.s.^^ senate^"),
        ("in the U.S. That’s it", "in the u.s.^^/PERIOD that’s^ it"),
        ("at 5 p.m. Eastern", "at 5 p.m. eastern^"),
        ("It was I. Then", "it^ was i^/PERIOD then^"),
        ("no. 5 or no. Yes", "no. 5 or no/PERIOD yes^"),
        ("the workers' day, goin' on", "the workers' day/COMMA goin' on"),
        ("'the workers' day", "the/OPEN_QUOTE workers/QUOTE day"),
        ("tell 'em, ’tis the '90s", "tell 'em/COMMA ’tis the '90s"),
        ("he said 'em' twice", "he said em/OPEN_QUOTE+QUOTE twice"),
        ("so --", "so/DASH"),
        ("401(k)s [T]he", "401ks the^"),
    ],
)
def test_english(text, expected):
    assert show(text, "en") == expected


def test_american_order_is_written():
    assert again("“Yes”, he said. “No”.", "en") == "“Yes,” he said. “No.”"
    assert again("“Yes,” he said. “No.”", "es") == "«Yes», he said. «No»."


def test_what_is_dropped_is_counted():
    text = ". (Sí!!) [no] * niño(s) ==== <b> a\u200bb \ufeff «» ¿"
    parsed = parse(text)
    assert parsed.words == ("sí", "no", "niños", "b", "ab")
    assert parsed.dropped == Counter(
        {"(": 2, ")": 2, "!": 1, "[": 1, "]": 1, "*": 1, "=": 4, "<": 1, ">": 1, "\u200b": 1, "\ufeff": 1}
    ) + Counter("«»¿.")
    assert parse("a.,; b!..!").dropped == Counter({",": 1, ";": 1, "!": 1})


def test_unicode_forms():
    assert parse("e\u0301l ca\u00adsa\u00a0y\u2028ya").words == ("él", "casa", "y", "ya")
    assert clean("e\u0301\ufeff") == "é"
    assert show("İz straße STRASSE") == "i̇z^ straße strasse^^"
    assert show("नमस्ते दुनिया। ঠিক আছে?", "bn") == "नमस्ते दुनिया/PERIOD ঠিক আছে/QUESTION"


def test_canonical():
    def one(word, marks, case="O", language="es", after=()):
        words = [word, *after]
        labels = [Labels(parse_marks(marks), Case(case)), *(Labels(case=Case.FIRST_CAP) for _ in after)]
        label = canonical(words, labels, language)[0]
        return format_marks(label.marks), label.case.value

    assert one("a", "COMMA+COLON+SEMICOLON+PERIOD+QUOTE") == ("PERIOD+QUOTE", "O")
    assert one("a", "COMMA+COLON+SEMICOLON") == ("SEMICOLON", "O")
    assert one("a", "COMMA+COLON") == ("COLON", "O")
    assert one("a", "PERIOD+ELLIPSIS+QUESTION") == ("QUESTION+ELLIPSIS", "O")
    assert one("a", "O", "ALL_CAPS") == ("O", "FIRST_CAP")
    assert one("ß", "O", "FIRST_CAP") == ("O", "O")
    assert one("etc.", "O") == ("PERIOD", "O")
    assert one("etc.", "COMMA+PERIOD") == ("COMMA", "O")
    assert one("etc.", "PERIOD", after=["luego"]) == ("PERIOD", "O")
    assert one("sr.", "PERIOD") == ("O", "O")
    assert one("u.s.", "PERIOD", language="en", after=["senate"]) == ("O", "O")
    assert one("etc", "PERIOD") == ("O", "O")
    assert one("etc", "PERIOD+QUOTE") == ("PERIOD+QUOTE", "O")
    assert one("etc", "PERIOD+QUOTE", language="en") == ("QUOTE", "O")


@pytest.mark.parametrize(
    ("token", "language", "expected"),
    [
        ("hola", "es", ("", "hola", "")),
        ("«¿Qué?»,", "es", ("«¿", "Qué", "?»,")),
        ("(sí)", "es", ("(", "sí", ")")),
        ("—sí,no—", "es", ("—", "sí,no", "—")),
        ("Sr.", "es", ("", "Sr.", "")),
        ("fin.", "es", ("", "fin", ".")),
        ("etc.,", "es", ("", "etc.", ",")),
        ("2.", "eu", ("", "2", ".")),
        ("workers'", "en", ("", "workers'", "")),
        ("'workers'", "en", ("'", "workers", "'")),
        ("workers'", "es", ("", "workers", "'")),
        ("-5%", "es", ("", "-5%", "")),
        ("\u200bhola", "es", ("\u200b", "hola", "")),
        ("-", "es", ("", "", "-")),
        ("«", "es", ("«", "", "")),
        ("¿*?", "es", ("¿", "", "*?")),
        ("", "es", ("", "", "")),
    ],
)
def test_split_token(token, language, expected):
    assert split_token(token, language) == expected


def test_read_marks():
    assert read_marks("«¿", "?»,") == parse_marks("OPEN_QUOTE+OPEN_QUES+QUESTION+QUOTE+COMMA")
    assert read_marks("-\"'", "'\"...-") == parse_marks("OPEN_DASH+OPEN_QUOTE+QUOTE+ELLIPSIS+DASH")
    assert read_marks("(", ")*") == frozenset()
    assert read_marks(",", "¿") == frozenset()
    assert read_marks("", "–") == {Mark.DASH}


@pytest.mark.parametrize(
    "pattern",
    ["a", "a ", "a-", "--", "- ", "' ", "a'", '"', "a.", "A. ", "a.Bc", "a(b)", "(", "1,", "www.", "http://", "a-, "],
)
@pytest.mark.parametrize("more", ["", "é", "…", " eta "])
def test_long_input_is_read_in_reasonable_time(pattern, more):
    """Quadratic work on this length would take minutes."""
    text = (pattern + more) * 4_000
    parsed = parse(text, "eu+en")
    written = write_text(parsed.words, parsed.labels, glyphs("eu"))
    assert parse(written, "eu+en").words == parsed.words
    token = text.replace(" ", "")
    assert "".join(split_token(token, "eu+en")) == token
