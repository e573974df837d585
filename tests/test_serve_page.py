"""The page's files and headers, and labels that a request gives."""

import io
import json
import re
from importlib.util import find_spec

import pytest

pytest.importorskip("fastapi", reason="pip install '.[serve]'")
from dummies import file
from format_samples import SAMPLES
from hypothesis import given, settings
from hypothesis import strategies as st

from asr_punct import formats
from asr_punct.errors import AsrPunctError
from asr_punct.formats.registry import BINARY_FILES, FORMATS, PARAGRAPH_FORMATS, WRITABLE_FILES
from asr_punct.marks import CASES, LEFT, MARKS, RIGHT, Labels
from asr_punct.paragraphs import ParagraphSettings, timed_paragraphs
from asr_punct.serve.pages import PAGE
from asr_punct.subtitles import PRESETS
from asr_punct.words import annotate

SCRIPTS = {path.relative_to(PAGE).as_posix(): path.read_text(encoding="utf-8") for path in PAGE.rglob("*.js")}
HTML = (PAGE / "index.html").read_text(encoding="utf-8")
FILES = {name: sample for name, sample in SAMPLES.items() if isinstance(sample, str)}


# Files of the page


STYLES = ("page.css", "theme.css", "captions.css", "icon.svg")


@pytest.mark.parametrize("path", ["/", "/captions", *(f"/page/{name}" for name in (*SCRIPTS, *STYLES))])
def test_files_of_the_page(client, path):
    answer = client.get(path)
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-cache"
    assert client.get(path, headers={"if-none-match": answer.headers["etag"]}).status_code in (200, 304)


@pytest.mark.parametrize("path", ["/", "/page/main.js", "/docs", "/v1/models", "/nothing", "/healthz"])
def test_headers_that_protect_pages(client, path):
    headers = client.get(path).headers
    assert headers["x-content-type-options"] == "nosniff"
    policy = dict(part.split(" ", 1) for part in headers["content-security-policy"].split("; "))
    assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert headers["cache-control"] == ("no-cache" if path in ("/", "/page/main.js") else "no-store")


def test_the_page_obeys_its_policy(client):
    for html in (HTML, client.get("/docs").text):
        assert all('src="page/' in tag for tag in re.findall("<script.*?>", html))
        assert not re.search(r"<style|<[^>]* (style|on\w+)=|javascript:", html)
    for text in (HTML, *SCRIPTS.values()):
        assert not re.search("https?://", text)  # it works without a network


def test_imports_between_modules():
    for name, text in SCRIPTS.items():
        for imported in re.findall(r'from "(.*?)"', text):
            path = (PAGE / name).parent.joinpath(imported).resolve()
            assert path.is_file() or path == PAGE / "tables.js", (name, imported)  # the service makes that one


def test_all_texts_are_in_all_languages():
    texts = {
        name: dict(re.findall(r'^  (\w+): "(.*)",$', text, re.MULTILINE))
        for name, text in SCRIPTS.items()
        if name.startswith("strings/")
    }
    english = texts["strings/en.js"]
    assert len(texts) == 3
    for each in texts.values():
        assert list(each) == list(english)
        assert [set(re.findall(r"{\w+}", each[key])) for key in each] == [
            set(re.findall(r"{\w+}", text)) for text in english.values()
        ]
    used = set(re.findall(r'data-t(?:-label)?="(\w+)"', HTML))
    assert used <= english.keys()
    others = " ".join(text for name, text in SCRIPTS.items() if not name.startswith("strings/"))
    used |= {
        *MARKS,
        *(f"case_{case}" for case in CASES),
        *(f"format_{name.replace('-', '_')}" for name in (*WRITABLE_FILES, *BINARY_FILES)),
        *(f"language_{code}" for code in ("en", "es", "eu")),
        *re.findall(r'"(\w+)"', others),
    }
    assert english.keys() <= used


def test_tables_are_those_of_the_package(client):
    answer = client.get("/page/tables.js")
    assert answer.headers["content-type"].startswith("text/javascript")
    tables = {name: json.loads(value) for name, value in re.findall(r"^export const (\w+) = (.*);$", answer.text, re.M)}
    assert [tables["BEFORE"], tables["AFTER"], tables["CASES"]] == [list(LEFT), list(RIGHT), list(CASES)]
    assert tables["GLYPHS"] == {mark: mark.glyph for mark in MARKS}
    assert tables["OPENERS"] == {"QUESTION": "OPEN_QUES", "EXCLAMATION": "OPEN_EXCL"}
    formats = (*WRITABLE_FILES, *(name for name in BINARY_FILES if name != "docx" or find_spec("docx")))
    assert tables["SUFFIXES"] == {name: FORMATS[name].suffixes[0] for name in formats}
    assert {name: limits["speeds"][""] for name, limits in tables["PRESETS"].items()} == {
        name: limits.speed for name, limits in PRESETS.items()
    }
    assert re.findall(r'<option value="(\w+)"', HTML.split('id="preset"')[1].split("</select>")[0]) == list(PRESETS)
    for name, text in SCRIPTS.items():
        for imported in re.findall(r'import {(.*?)} from "./tables.js"', text):
            assert set(imported.replace(",", " ").split()) <= tables.keys(), name


def test_scripts_have_no_lists_of_marks():
    """Names of marks are in the texts, and where one of them is unlike the others: the dash, and ¿ of a text."""
    for name, text in SCRIPTS.items():
        if not name.startswith("strings/"):
            quoted = set(re.findall(r'"(\w+)"', text))
            assert quoted & set(MARKS) <= {"DASH", "OPEN_DASH", "OPEN_QUES"}, name


def test_subtitles_under_limits(client):
    words = "".join(f"talk 1 {i / 2} 0.4 hitza\n" for i in range(12))
    answer = client.post("/v1/punctuate?name=a.ctm&to=srt&subtitles=bbc,characters=12,lines=1", content=words)
    assert answer.text.count(" --> ") == 6
    for query in ("to=srt&subtitles=x", "to=text&subtitles=bbc"):
        assert client.post(f"/v1/punctuate?name=a.ctm&{query}", content=words).status_code == 422


# Labels of a request


def as_json(labels):
    return [{"marks": sorted(each.marks), "case": each.case} for each in labels]


def export(client, name, labels, **options):
    data = {"labels": json.dumps(as_json(labels)), "from": name.split("/")[0], **options}
    return client.post("/v1/punctuate", files={"file": ("talk", FILES[name])}, data=data)


LABELS = st.builds(Labels, st.frozensets(st.sampled_from(MARKS)), st.sampled_from(CASES))


@pytest.mark.parametrize("name", FILES)
@settings(max_examples=20)
@given(labels=st.lists(LABELS, min_size=5, max_size=5), to=st.sampled_from(WRITABLE_FILES))
def test_given_labels_are_written_as_by_the_package(client, punctuator, tmp_path_factory, name, labels, to):
    path = file(tmp_path_factory.mktemp("files"), "talk", FILES[name])
    restored = list(punctuator.restore(formats.read(path, name.split("/")[0])))
    left = iter(labels)
    edited = [annotate(each, labels=[next(left) for _ in each.words]) for each in restored]
    out = io.StringIO()
    if to in PARAGRAPH_FORMATS:
        edited = list(timed_paragraphs(edited, punctuator.glyphs, ParagraphSettings()))
    try:
        FORMATS[to].write(edited, out, punctuator.glyphs)
        expected = 200, out.getvalue()
    except AsrPunctError:  # subtitles of words without times
        expected = 422, None
    answer = export(client, name, labels, to=to)
    assert answer.status_code == expected[0], answer.text
    assert expected[1] in (None, answer.text)


def test_marks_of_the_file_can_be_removed_first(client):
    labels = json.dumps([{}, {"marks": ["COLON"]}])
    for ignored, expected in (("false", "¡Hola! R&d.:"), ("true", "hola r&d:")):
        data = {"labels": labels, "ignore_labels": ignored, "from": "text"}
        answer = client.post("/v1/punctuate", files={"file": ("x", "¡Hola! R&d.")}, data=data)
        assert answer.text.strip() == expected


@pytest.mark.parametrize("name", FILES)
def test_a_file_as_it_is(client, tmp_path, name):
    path = file(tmp_path, "talk", FILES[name])
    tokens = [word.text for each in formats.read(path, name.split("/")[0]) for word in each.words]
    data = {"as_is": "1", "from": name.split("/")[0], "to": "json"}
    answer = client.post("/v1/punctuate", files={"file": ("talk", FILES[name])}, data=data).json()
    words = [word for each in answer["utterances"] for word in each["words"]]
    if not any(word.labels for each in formats.read(path, name.split("/")[0]) for word in each.words):
        assert [word["written"] for word in words] == tokens


def test_marks_of_a_file_as_it_is_are_labels(client):
    srt = "1\n00:00:01,000 --> 00:00:03,000\n¡Hola, <i>Ana</i>! EiTB\n«R&D…» sra. O'Brien:\n"
    options = {"files": {"file": ("a.srt", srt)}, "data": {"as_is": "1", "language": "es"}}
    assert client.post("/v1/punctuate", **options).text == srt
    options["data"]["to"] = "json"
    words = client.post("/v1/punctuate", **options).json()["utterances"][0]["words"]
    assert [(word["word"], word["marks"], word["case"]) for word in words] == [
        ("hola", ["COMMA", "OPEN_EXCL"], "FIRST_CAP"),
        ("ana", ["EXCLAMATION"], "FIRST_CAP"),
        ("EiTB", [], "O"),
        ("r&d", ["OPEN_QUOTE", "QUOTE", "ELLIPSIS"], "ALL_CAPS"),
        ("sra.", [], "O"),
        ("O'Brien", ["COLON"], "O"),
    ]
    options["data"] |= {"to": "srt", "labels": json.dumps([{}] * 6)}
    assert client.post("/v1/punctuate", **options).text.splitlines()[2:] == ["hola <i>ana</i> EiTB", "r&d sra. O'Brien"]
    options["data"] |= {"ignore_labels": "1"}
    assert client.post("/v1/punctuate", **options).status_code == 422


def test_the_side_of_a_quotation_mark_is_kept(client):
    labels = [{"marks": ["OPEN_QUES"], "case": "FIRST_CAP", "inside": True}, {"marks": ["QUESTION"], "inside": True}]
    options = {"files": {"file": ("a.txt", '"quién es"')}, "data": {"labels": json.dumps(labels), "language": "es"}}
    assert client.post("/v1/punctuate", **options).text.strip() == '"¿Quién es?"'
    options["data"]["to"] = "json"
    found = client.post("/v1/punctuate", **options)
    assert [word["inside"] for word in found.json()["utterances"][0]["words"]] == [True, True]
    again = client.post("/v1/punctuate", files={"file": ("a.json", found.content)}, data={"as_is": "1", "to": "text"})
    assert again.text.strip() == '"¿Quién es?"'
    bad = found.text.replace('"inside": true', '"inside": 1')
    assert client.post("/v1/punctuate", files={"file": ("a.json", bad)}).json()["error"]["found"] == "inside 1"


def test_marks_beside_straight_quotes_and_brackets_can_be_edited(client):
    text = '"¿Quién es?" dijo. ("Sí"), "Hola," (no)'
    data = {"as_is": "1", "language": "es", "to": "json"}
    found = client.post("/v1/punctuate", files={"file": ("a.txt", text)}, data=data)
    (utterance,) = found.json()["utterances"]
    assert [(word["word"], word["marks"]) for word in utterance["words"]] == [
        *(('"quién', ["OPEN_QUES"]), ('es"', ["QUESTION"]), ("dijo", ["PERIOD"]), ('("sí")', ["COMMA"])),
        *(('"Hola,"', []), ("(no)", [])),  # in Spanish a comma is never inside
    ]
    assert " ".join(word["written"] for word in utterance["words"]) == text


def test_text_of_a_file_with_times_is_in_paragraphs(client):
    segments = [("Ana", "ana"), ("Ana", "mira."), ("Jon", "la casa.")]
    file = {
        "segments": [
            {"start": i, "end": i + 1, "text": text, "speaker": name} for i, (name, text) in enumerate(segments)
        ]
    }
    data = {"to": "text", "as_is": "1", "language": "es"}
    answer = client.post("/v1/punctuate", files={"file": ("a.json", json.dumps(file))}, data=data)
    assert answer.text.splitlines() == ["ana mira.", "la casa."]


def test_labels_of_words_in_json(client):
    body = {"words": [{"word": "ana"}, {"word": "mira"}], "labels": [{"marks": ["PERIOD"]}, {"case": "ALL_CAPS"}]}
    answer = client.post("/v1/punctuate", json=body).json()
    assert [word["written"] for word in answer["words"]] == ["ana.", "MIRA"]


@pytest.mark.parametrize("labels", ["x", "{}", "[{}]", '[{"marks": ["X"]}, {}, {}, {}]', '[{"mark": []}, {}, {}, {}]'])
def test_bad_labels(client, labels):
    answer = client.post("/v1/punctuate", files={"file": ("talk.txt", "ana mira la casa")}, data={"labels": labels})
    assert answer.status_code in (400, 422)
    assert answer.json()["error"]["place"].startswith("labels")
