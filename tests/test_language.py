"""The language of a text: codes in files, identification, and the model that it selects."""

import json
import logging
import subprocess
import sys
from types import SimpleNamespace

import pytest
from dummies import json_lines

from asr_punct import formats
from asr_punct.glyphs import glyphs
from asr_punct.identifier import identify
from asr_punct.inference.choice import MAX_WAITING_WORDS
from asr_punct.inference.punctuator import Punctuator
from asr_punct.languages import describe_languages, facts_of, parse_language
from asr_punct.marks import Labels, Mark
from asr_punct.nemo import punctuate_hypotheses
from asr_punct.words import Utterance, Word

TEXTS = {
    "es": "mañana por la tarde iremos todos juntos a la playa si no llueve y luego cenaremos en casa de mi hermana",
    "eu": "bihar arratsaldean denok joango gara hondartzara euririk ez badu eta gero ahizparen etxean afalduko dugu",
    "en": "tomorrow afternoon we will all go to the beach if it doesn't rain and then have dinner at my sister's house",
    "ca": "demà a la tarda anirem tots junts a la platja si no plou i després soparem a casa de la meva germana gran",
    "gl": "mañá pola tarde iremos todos xuntos á praia se non chove e logo cearemos na casa da miña irmá maior",
    "pt": "amanhã à tarde vamos todos juntos à praia se não chover e depois jantamos em casa da minha irmã mais velha",
    "fr": "demain après-midi nous irons tous ensemble à la plage s'il ne pleut pas et puis nous dînerons chez ma sœur",
    "it": "domani pomeriggio andremo tutti insieme alla spiaggia se non piove e poi ceneremo a casa di mia sorella",
    "de": "morgen nachmittag gehen wir alle zusammen an den strand wenn es nicht regnet und dann essen wir zu abend",
    "bn": "আগামীকাল বিকেলে বৃষ্টি না হলে আমরা সবাই একসঙ্গে সমুদ্রের তীরে যাব",
    "ru": "завтра днём мы все вместе пойдём на пляж если не будет дождя а потом поужинаем у моей сестры",
}
GALICIAN = [
    "a comisión acordou onte investigar a situación económica da administración e presentar un informe este ano",
    "o goberno da comunidade aprobou as axudas para as familias e para os traballadores do sector público",
    "hoxe temos unha conexión en directo co concello onde se celebra a reunión do consello de administración",
]
"""Sentences most of whose words are Spanish too."""
MIXED = "arratsalde on guztioi y muchas gracias por venir hoy aquí eskerrik asko etortzeagatik vamos a empezar hasi"


@pytest.fixture(scope="module")
def auto():
    return Punctuator.from_pretrained("auto", threads=1)


@pytest.fixture
def warnings(caplog):
    caplog.set_level(logging.WARNING, logger="asr_punct")
    return lambda: [record.getMessage() for record in caplog.records]


def documents(*texts, language=""):
    return [
        Utterance(tuple(map(Word, text.split())), document=str(n), language=language) for n, text in enumerate(texts)
    ]


# Identification


@pytest.mark.parametrize("language", TEXTS)
@pytest.mark.parametrize("write", [str, str.upper, lambda text: f"¿{text.title()}, 42 <unk>!"])
def test_languages_are_identified(language, write):
    guess = identify(write(TEXTS[language]).split())
    assert guess.language == language
    assert guess.probability > 0.5


@pytest.mark.parametrize("text", GALICIAN)
def test_galician_is_not_spanish(text):
    assert identify(text.split()).language == "gl"


def test_a_mixture_of_spanish_and_basque_is_of_both():
    assert identify(MIXED.split()).probability_of(["es", "eu"]) > 0.9


@pytest.mark.parametrize(
    "text", ["", "42 1999 3,5 100", "<unk> [noise] - ...", "{noise} (laughs) <unk> {breath}", "hola"]
)
def test_too_few_words_are_not_identified(text):
    assert identify(text.split()) is None


@pytest.mark.parametrize(("value", "code"), json_lines("language_codes.jsonl"))
def test_codes_of_languages(value, code):
    assert parse_language(value) == code


@pytest.mark.parametrize(
    ("language", "code"),
    [("eng", "en"), ("en-US", "en"), ("en_GB", "en"), ("spa", "es"), ("es_ES", "es"), ("eus", "eu"), ("baq", "eu")],
)
def test_every_code_of_a_language_chooses_its_model(language, code, auto, warnings):
    given = Punctuator.from_pretrained(language=language, threads=1)
    assert [item.language for item in given.restore(documents("no no no"))] == [code]
    assert [item.language for item in auto.restore(documents("no no no", language=language))] == [code]
    style = auto.glyphs.of(code).name
    stream = auto.stream(language=language)
    stream.push("no", "no")
    assert (given.glyphs.name, stream.glyphs.name, glyphs(language).name) == (style, style, code)
    assert facts_of(language) == facts_of(code)
    assert not warnings()


@pytest.mark.parametrize("language", ["eng", "en-US", "en_US", "English"])
def test_every_code_of_a_language_is_an_option(language, run, tmp_path):
    source = tmp_path / "a.txt"
    source.write_text("no no no\n", encoding="utf-8")
    status, out, err = run("punctuate", source, "--lang", language, "--to", "json")
    assert (status, err) == (0, "")
    assert json.loads(out)["utterances"][0]["language"] == "en"


# Languages in files


def test_kaldi_directories_have_utt2lang(tmp_path):
    (tmp_path / "text").write_text("a hello\nb egun on\n", encoding="utf-8")
    (tmp_path / "utt2lang").write_text("a english\nb eu\n", encoding="utf-8")
    assert [utterance.language for utterance in formats.read(tmp_path, "kaldi")] == ["en", "eu"]


# The choice of a model


def test_each_document_gets_the_model_of_its_language(auto, warnings, tmp_path):
    texts = [TEXTS["en"], TEXTS["es"], TEXTS["eu"], MIXED, TEXTS["en"]]
    names = ["en", "es-eu", "es-eu", "es-eu", "en"]
    expected = [Punctuator.from_pretrained(name, threads=1)(text) for name, text in zip(names, texts, strict=True)]
    assert [auto(text) for text in texts] == expected
    found = list(auto.restore(documents(*texts)))
    assert [auto.glyphs.of(utterance.language).name for utterance in found] == ["en", "es", "es", "es", "en"]
    assert not warnings()
    formats.write(found[:2], tmp_path / "a.json", auto.glyphs)
    assert [utterance.language for utterance in formats.read(tmp_path / "a.json")] == ["en", "es"]


def test_text_is_written_as_its_language_is(auto):
    quoted = Word("nato", labels=Labels(frozenset({Mark.OPEN_QUOTE, Mark.QUOTE})))
    written = {language: auto.write(Utterance((quoted,), language=language)) for language in ("en", "es", "")}
    assert written == {"en": "“NATO”", "es": "«nato»", "": "«nato»"}
    text = f"{TEXTS['en']} with mccarthy"
    assert "McCarthy" in auto(text)
    (hypothesis,) = punctuate_hypotheses([SimpleNamespace(text=text, timestamp=[])], auto)
    assert hypothesis.text == auto(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("thanks", "Thanks."),
        ("really? yes.", "Really? Yes."),
        ("i 'm sorry i ca n't come", "en"),
        ("hola", "¡Hola!"),
        ("bai noski", "Bai, noski."),
        ("42 john", ""),
    ],
)
def test_a_few_words_are_read_as_in_another_language_than_the_default_one_if_the_odds_are_clear(auto, text, expected):
    (found,) = auto.restore(documents(text))
    assert expected in (auto.write(found), found.language)


def test_the_language_in_the_file_is_used_before_the_words(auto, warnings):
    text = "no no no"
    assert [item.language for item in auto.restore(documents(text, language="en"))] == ["en"]
    assert not warnings()


@pytest.mark.parametrize("name", ["auto", "es-eu"])
def test_the_given_language_is_used_before_that_of_the_file(name):
    opened = Punctuator.from_pretrained(name, language="es", threads=1)
    assert [item.language for item in opened.restore(documents("no no no", language="eu"))] == ["es"]


def test_a_few_words_are_reported_only_if_their_language_is_clear(auto, warnings):
    for text in ("no no no", "vale vale vale sí sí no no", "hola hola", "palabra palabra"):
        auto(text)
    assert not warnings()
    auto("bonjour tout le monde")
    assert len(warnings()) == 1


@pytest.mark.parametrize("language", ["ca", "fr", "pt", "it", "de", "bn", "ru"])
def test_a_language_without_a_model_is_reported_once(language, warnings):
    auto = Punctuator.from_pretrained(threads=1)
    list(auto.restore(documents(TEXTS[language], TEXTS[language])))
    (message,) = warnings()
    assert message.startswith(f"the words look like {describe_languages([language])}, for which there is no model: ")
    assert "used the model es-eu" in message


WELSH = """bore da heddiw mae'r plant yn mynd i'r ysgol gyda'u ffrindiau ac mae'r athrawes yn darllen stori hir am
    ferch fach oedd yn byw mewn tŷ gwyn ar ben y mynydd wedyn bydd pawb yn chwarae pêl yn y parc tan amser cinio ac yn
    bwyta bara a chaws cyn mynd adref ar y bws coch yn y prynhawn mae'n bwrw glaw felly rydyn ni'n aros yn y tŷ"""


def test_a_text_in_no_known_language_is_reported(auto, warnings):
    for language in ("en", "es", "eu"):
        auto(" ".join([TEXTS[language]] * 4))
    assert not warnings()
    auto(" ".join(WELSH.split()))
    (message,) = warnings()
    assert message.startswith("the words are in no known language, nearest to English (en): used the model en")


@pytest.mark.parametrize(
    ("name", "language", "text", "found"),
    [
        ("auto", "fr", "es", "the language is French (fr), for which there is no model: used the model es-eu"),
        ("auto", "en", "es", "the words look like Spanish (es): used the model en"),
        ("es-eu", None, "en", "the words look like English (en): used the model es-eu"),
        ("en", None, "eu", "the words look like Basque (eu): used the model en"),
        ("en", "es", "es", "the language is Spanish (es): used the model en"),
    ],
)
def test_another_language_than_the_named_one_is_reported(name, language, text, found, warnings):
    punctuator = Punctuator.from_pretrained(name, language=language, threads=1)
    list(punctuator.restore(documents(TEXTS[text], TEXTS[text])))
    (message,) = warnings()
    assert message.startswith(found)


def test_the_command_line_prints_it_as_other_messages():
    command = [sys.executable, "-c", "from asr_punct.cli import main; main()", "punctuate", "--model", "en"]
    done = subprocess.run(command, input=TEXTS["es"], capture_output=True, text=True)
    assert done.stderr.startswith("asr-punct: the words look like Spanish (es): used the model en")


def test_a_stream_decides_on_the_first_words(auto, warnings):
    for language, name in (("en", "en"), ("eu", "es-eu"), ("es", "es-eu")):
        words = TEXTS[language].split()
        stream = auto.stream(right=1)
        first = next(count for count, word in enumerate(words, start=1) if stream.push(word))
        assert first <= MAX_WAITING_WORDS
        expected = Punctuator.from_pretrained(name, threads=1).stream(right=1)
        assert stream.glyphs.name == expected.glyphs.name
        written = []
        for stream, together in ((auto.stream(right=1), 1), (expected, first)):  # words are held back until `first`
            items = stream.push(*words[:together])
            items += [item for word in words[together:] for item in stream.push(word)] + stream.flush()
            written.append([item.written for item in items])
        assert written[0] == written[1]
    assert not warnings()


def test_a_stream_takes_the_given_language(auto, warnings):
    for language, name in (("en", "en"), ("eu", "es"), ("fr", "es")):
        stream = auto.stream(language=language)
        stream.push("no", "no")
        assert stream.glyphs.name == name
        assert len(stream.warnings) == (language == "fr")


def test_a_stream_reports_a_language_without_a_model(warnings):
    stream = Punctuator.from_pretrained(threads=1).stream()
    for word in TEXTS["fr"].split():
        stream.push(word)
    assert len(stream.flush()) <= len(TEXTS["fr"].split())
    assert ["French (fr)" in message for message in warnings()] == [True]
