"""Finishing a transcript on the page, in a browser, by its keys."""

import io
import json
import re

import pytest

pytest.importorskip("fastapi", reason="pip install '.[serve]'")
from browser import CHROMIUM
from dummies import file
from services import service_maker

from asr_punct import formats
from asr_punct.formats.registry import FORMATS
from asr_punct.inference.options import OutputOptions
from asr_punct.serve.models import Models
from asr_punct.words import Utterance, Word

pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="no chromium on PATH")]
TEXT = "[...document.querySelectorAll('.w')].map((word) => word.textContent).join(' ')"
ENTER, TAB = {"windowsVirtualKeyCode": 13, "text": "\r"}, {"windowsVirtualKeyCode": 9}


@pytest.fixture
def make(model, punctuator):
    """Return a function that makes a service whose model adds nothing: the text is that of the file."""
    silent = punctuator.with_output(OutputOptions(marks=frozenset(), case=False))
    with service_maker(Models(lambda _: silent, str(model))) as maker:
        yield maker


def words_json(text, folder, step=0.5, marks=None, **more):
    """Return a file with these words, of 0.4 s each `step` seconds, in the project's JSON."""
    words = [
        {"word": word, "start": i * step, "end": round(i * step + 0.4, 3), "marks": (marks or {}).get(word, [])}
        for i, word in enumerate(text.split())
    ]
    utterance = {"id": "1", "recording": "talk", "language": "es", "times": "asr", "words": words, **more}
    return file(folder, "talk.json", json.dumps({"utterances": [utterance]}))


def drop(page, transcript):
    page.drop(transcript)
    page.wait("document.querySelectorAll('.w').length && document.querySelector('#elapsed').textContent === ''")


def keys(page, *pressed):
    """Press keys: names of keys, or with a leading `=` text that is typed."""
    for key in pressed:
        if key.startswith("="):
            page.send("Input.insertText", text=key[1:])
        else:
            page.press(key, **{"Enter": ENTER, "Tab": TAB}.get(key, {}))


def export(page, to, name):
    page.choose("#format", to)
    page.run("document.querySelector('#status').textContent = ''")
    page.click("#export")
    assert page.wait("document.querySelector('#status').textContent") == f"Saved as {name}."
    content = page.saved(name).decode()
    (page.downloads / name).unlink()
    return content


def test_ten_errors_are_corrected_by_keyboard_and_exported(open_page, make, punctuator, tmp_path):
    """Two wrong words, a missing word, five marks and two capitals."""
    heard = "Hola somos bezinos del bario y queremos hablar Con el alcalde dónde está no lo saben en bilbo"
    right = "Hola, somos vecinos del barrio viejo y queremos hablar con el alcalde. ¿Dónde está? No lo saben en Bilbo."
    with open_page(make=make) as page:
        drop(page, words_json(heard, tmp_path, marks={"hablar": ["COMMA"]}))
        page.run("document.querySelector('#format').focus()")
        while page.run("!document.activeElement.matches('.w')"):
            keys(page, "Tab")
        right_keys = ["ArrowRight"] * 4
        keys(page, ",", *right_keys[:2], "F2", "=vecinos", "Enter")
        keys(page, *right_keys[:2], "F2", "=barrio viejo", "Enter")
        keys(page, *right_keys, ",", "ArrowRight", "F2", "=con", "Enter")
        keys(page, *right_keys[:2], ".", *right_keys[:2], "?", *right_keys, "ArrowRight", "c", ".")
        assert page.run(TEXT) == right
        found = export(page, "srt", "talk.srt")
        assert page.run("document.querySelector('#undo').disabled") is False
        for _ in range(10):
            page.press("z", modifiers=2)
        assert page.run(TEXT) == heard.replace("hablar", "hablar,")
        assert page.run("document.querySelector('#undo').disabled")
    times = [(i / 2, i / 2 + 0.4) for i in range(len(heard.split()))]
    times[4:5] = (2.0, 2.218), (2.218, 2.4)  # by length
    words = tuple(Word(token, *time) for token, time in zip(right.split(), times, strict=True))
    out = io.StringIO()
    FORMATS["srt"].write([Utterance(words, recording="talk", language="es", time_source="asr")], out, punctuator.glyphs)
    assert found == out.getvalue()


def saved_words(page):
    """Return `[text, start, end]` of all words as the page exports them."""
    content = json.loads(export(page, "json", "talk.json"))
    return [[word["written"], word["start"], word["end"]] for each in content["utterances"] for word in each["words"]]


def test_words_are_joined_inserted_and_deleted_and_come_back(open_page, make, tmp_path):
    with open_page(make=make) as page:
        drop(page, words_json("ez dakit zer egin au da", tmp_path, step=1, pause_before=0))
        begin = saved_words(page)
        page.run("document.querySelectorAll('.w')[1].focus()")
        keys(page, "j", "i", "=gaur bertan", "Enter")  # in the pause after it
        keys(page, "End", "Delete", "Home", "F2", "Tab", "=ez!", "Tab", "Escape", "Delete")
        keys(page, "F2", "Escape", "F2", "Enter")  # nothing
        changed = saved_words(page)
        assert changed == [["ez", 0, 0.4], ["ez!", 1, 2.4], ["bertan", 2.64, 3], ["egin", 3, 3.4], ["au", 4, 4.4]]
        while page.run("!document.querySelector('#undo').disabled"):
            page.press("z", modifiers=2)
        assert saved_words(page) == begin
        while page.run("!document.querySelector('#redo').disabled"):
            page.press("y", modifiers=2)
        assert saved_words(page) == changed


def test_search_replaces_words_and_keeps_their_marks(open_page, make, tmp_path):
    with open_page(make=make) as page:
        drop(page, words_json("Hiba dice que iba a casa dice Iba ayer etc.", tmp_path, marks={"dice": ["COMMA"]}))
        page.press("h", modifiers=2)
        keys(page, "=Etc.")  # the period is part of the word
        assert page.text("#found") == "1 found (whole words)"
        page.run("document.querySelector('#find').select()")
        keys(page, "=dice,")
        assert page.text("#found") == "2 found (whole words)"
        page.run("document.querySelector('#replacement').focus()")
        keys(page, "=le contó")
        page.click("#replace-all")
        assert page.text("#status") == "2 replaced."
        assert page.run(TEXT) == "Hiba le contó, que iba a casa le contó, Iba ayer etc."
        page.run("document.querySelector('#find').select()")
        page.run("document.querySelector('#find').focus()")
        keys(page, "=iba", "Enter")
        page.run("document.querySelector('#replacement').select()")
        page.run("document.querySelector('#replacement').focus()")
        keys(page, "=fue", "Enter", "Enter", "Enter")
        assert page.run(TEXT) == "Hiba le contó, que fue a casa le contó, Fue ayer etc."
        keys(page, "Escape")
        for _ in range(3):
            page.press("z", modifiers=2)
        assert page.run(TEXT) == "Hiba dice, que iba a casa dice, Iba ayer etc."


def test_speakers_are_renamed(open_page, make, tmp_path):
    with open_page(make=make) as page:
        drop(page, words_json("kaixo denoi eskerrik asko", tmp_path, speaker="S1"))
        speaker = "document.querySelector('.speaker').textContent"
        page.click(".speaker")
        keys(page, "=Miren", "Enter")
        assert page.run(speaker) == "Miren"
        assert page.run("document.activeElement.textContent") == "kaixo"
        assert export(page, "markdown", "talk.md").startswith("**Miren**")
        page.press("z", modifiers=2)
        assert page.run(speaker) == "S1"


def test_another_speaker_speaks_from_a_word_on(open_page, make, tmp_path):
    speakers = "[...document.querySelectorAll('.speaker')].map((each) => each.textContent).join()"
    with open_page(make=make) as page:
        drop(page, words_json("kaixo denoi ongi etorri hemen gaude", tmp_path, speaker="Ane"))
        page.run("document.querySelectorAll('.w')[2].focus()")
        keys(page, "k", "=Jon", "Enter", *["ArrowRight"] * 2, "k", "=Ane", "Enter", "k", "Escape")
        assert page.run(speakers) == "Ane,Jon,Ane"
        markdown = export(page, "markdown", "talk.md")
        assert re.findall(r"\*\*(\w+)\*\* \d:\d\d:\d\d  \n(.*)", markdown) == [
            ("Ane", "kaixo denoi"),
            ("Jon", "ongi etorri"),
            ("Ane", "hemen gaude"),
        ]
        shown(page)
        assert page.run(speakers) == "Ane,Jon,Ane"
        page.click("#view-text")
        keys(page, "z")
        for _ in range(2):
            page.press("z", modifiers=2)
        assert page.run(speakers) == "Ane"


def test_doubtful_marks_are_counted_down(open_page, tmp_path):
    count = "Number(document.querySelector('#next-doubt').textContent.match(/\\d+/)[0])"
    doubtful = "document.querySelectorAll('.w.doubtful').length"
    with open_page() as page:
        drop(page, words_json("ana mira la casa dónde está la ley " * 4, tmp_path))
        begin = page.run(count)
        page.run("""(() => {
            const limit = document.querySelector("#doubt-limit");
            limit.value = limit.min;
            limit.dispatchEvent(new Event("input"));
        })()""")
        total = page.run(count)
        assert total >= begin > 0
        assert page.run(doubtful) == total
        seen = set()
        page.run("document.activeElement.blur()")
        for left in range(total, 0, -1):
            keys(page, "n")
            seen.add(page.run("document.activeElement.dataset.id"))
            assert page.run(count) == left
        page.press("n")
        assert (page.run(count), len(seen), page.run(doubtful)) == (0, total, 0)


def test_doubtful_marks_are_kept_in_json(open_page, tmp_path):
    count = "Number(document.querySelector('#next-doubt').textContent.match(/\\d+/)[0])"
    with open_page() as page:
        drop(page, words_json("ana mira la casa dónde está la ley " * 4, tmp_path))
        begin = page.run(count)
        keys(page, "n", "n", "c", "n")  # one is seen, one is edited
        assert page.run(count) == begin - 2
        page.drop(file(tmp_path, "again.json", export(page, "json", "talk.json")))
        page.wait("document.querySelector('#file-name').textContent === 'again.json'")
        page.wait("document.querySelector('#status').textContent.startsWith('32 ')")
        assert page.run(count) == begin - 2


def test_an_edit_of_20_000_words_draws_only_the_words_around_it(open_page, make, tmp_path):
    with open_page(make=make) as page:
        drop(page, words_json("bai ez agian " * 6667, tmp_path, step=0.4))
        assert page.run("document.querySelectorAll('.w').length") == 20_001
        page.run("""(() => {
            globalThis.drawn = 0;
            new MutationObserver((records) => { drawn += records.length; })
                .observe(document.querySelector("#words"), { subtree: true, childList: true });
            document.querySelectorAll(".w")[10000].focus();
        })()""")
        keys(page, ".", "F2", "=bihar goizean", "Enter", "Delete", "j")
        page.wait("document.querySelectorAll('.w').length === 20_000")
        assert 0 < page.run("drawn") < 200
        assert page.run("document.querySelector('.status').getBoundingClientRect().top") == 0  # seen wherever one reads


def blocks(page):
    """Return the lines of all cues of the view."""
    html = page.run("[...document.querySelectorAll('#words p:not([hidden])')].map((each) => each.innerHTML)")
    cues = [
        re.sub('<span class="place">.*?</button>(<span.*?</span>)*</span>', "", each).split("<br>") for each in html
    ]
    return [[re.sub("<.*?>", "", line).strip() for line in cue] for cue in cues]


def shown(page):
    page.click("#view-cues")
    page.wait("document.querySelector('#words').dataset.layout === 'cues'")


def test_cues_are_split_and_joined_and_exported_as_they_are_seen(open_page, make, punctuator, tmp_path):
    heard = "kaixo guztioi, gaur hemen gaude. zer moduz zaudete? oso ondo, eskerrik asko zuri"
    path = words_json(heard, tmp_path, step=0.6)
    out = io.StringIO()
    FORMATS["srt"].write(formats.read(path), out, punctuator.glyphs)
    with open_page(make=make) as page:
        drop(page, path)
        shown(page)
        assert page.run("document.querySelector('#format').value") == "srt"
        assert export(page, "srt", "talk.srt") == out.getvalue()
        begin = blocks(page)
        assert begin == [["kaixo guztioi, gaur hemen gaude."], ["zer moduz zaudete?"], ["oso ondo, eskerrik asko zuri"]]
        page.run("document.querySelectorAll('.w')[2].focus()")
        keys(page, "s", "End", "ArrowLeft", "b", "F2", "=esker anitz", "Enter", "Delete", "End", ".")
        first = [["kaixo guztioi,"], ["gaur hemen gaude."]]
        assert blocks(page) == [*first, begin[1], ["oso ondo, eskerrik", "anitz zuri."]]
        page.run("document.querySelectorAll('.w')[5].focus()")
        keys(page, "m")
        changed = [*first, ["zer moduz zaudete?", "oso ondo, eskerrik anitz zuri."]]
        assert blocks(page) == changed
        times = ("00:00:00.000", "00:00:01.000"), ("00:00:01.200", "00:00:02.917"), ("00:00:03.000", "00:00:07.600")
        cues = ["{} --> {}\n{}\n".format(*time, "\n".join(lines)) for time, lines in zip(times, changed, strict=True)]
        assert export(page, "vtt", "talk.vtt") == "WEBVTT\n\n" + "\n".join(cues)
        page.run("document.querySelectorAll('.w')[3].focus()")
        keys(page, "t", "=0:01.5 → 0:02.5", "Enter")
        assert page.run("document.activeElement.textContent") == "gaur"  # its first word
        page.press("ArrowRight", modifiers=8)
        assert page.run("document.activeElement.closest('p').innerText").startswith("00:00:01.500 → 00:00:02.600")
        page.press("ArrowLeft", modifiers=8)
        assert "Dialogue: 0,0:00:01.50,0:00:02.50,Default,,0,0,0,,gaur hemen gaude." in export(page, "ass", "talk.ass")
        page.choose("#preset", "bbc")
        page.wait("document.querySelector('.times').title.startsWith('Times: 1 to')")
        while page.run("!document.querySelector('#undo').disabled"):
            page.press("z", modifiers=2)
        assert blocks(page) == begin


def test_cues_are_kept_in_json(open_page, make, tmp_path):
    with open_page(make=make) as page:
        drop(page, words_json("kaixo guztioi, gaur hemen gaude. zer moduz zaudete?", tmp_path, step=0.6))
        shown(page)
        page.run("document.querySelectorAll('.w')[2].focus()")
        keys(page, "s", "End", "b")
        page.choose("#preset", "bbc")
        page.wait("document.querySelector('.times').title.includes('1 to')")
        page.press("z", modifiers=2)
        expected = [["kaixo guztioi,"], ["gaur hemen gaude."], ["zer moduz", "zaudete?"]]
        assert blocks(page) == expected
        content = json.loads(export(page, "json", "talk.json"))
        assert content["subtitles"]["limits"] == "netflix"
        assert [cue["lines"] for cue in content["subtitles"]["cues"]] == [[[0, 1]], [[2, 3, 4]], [[5, 6], [7]]]
        subtitles = export(page, "srt", "talk.srt")
        page.drop(file(tmp_path, "again.json", json.dumps(content)))
        page.wait("document.querySelector('#status').textContent.startsWith('8 ')")
        assert export(page, "srt", "again.srt") == subtitles
        shown(page)
        assert blocks(page) == expected
        content["utterances"][0]["words"].pop()
        page.drop(file(tmp_path, "other.json", json.dumps(content)))
        page.wait("document.querySelector('#status').textContent.startsWith('7 ')")
        assert export(page, "srt", "other.srt") != subtitles


def hold(page, condition):
    """Let requests that fulfil a condition wait in the page until `release()`."""
    page.run(f"""(() => {{
        const ask = globalThis.fetch;
        const held = [];
        globalThis.release = () => held.splice(0).forEach((go) => go());
        globalThis.held = held;
        globalThis.fetch = async (path, options = {{}}) => {{
            const {{ body }} = options;
            if ({condition}) await new Promise((go) => held.push(go));
            return ask(path, options);
        }};
    }})()""")


def test_cues_of_a_file_stay_when_words_change_while_they_are_read(open_page, make, tmp_path):
    cue = "1\n00:00:01,000 --> 00:00:03,000\n{} mira\nla casa\n\n2\n00:00:04,000 --> 00:00:04,500\nadiós\n"
    with open_page(make=make) as page:
        hold(page, "body instanceof FormData && body.get('to') === 'vtt'")
        drop(page, file(tmp_path, "talk.srt", cue.format("ana")))
        page.wait("held.length")
        page.run("document.querySelectorAll('.w')[0].focus()")
        keys(page, "F2", "=Ane Eli", "Enter")
        page.click("#view-cues")
        page.wait("release(), document.querySelector('#words').dataset.layout === 'cues'")
        assert export(page, "srt", "talk.srt") == cue.format("Ane Eli")


def test_an_export_waits_for_edits_and_joins_pass_empty_cues(open_page, make, tmp_path):
    with open_page(make=make) as page:
        drop(page, words_json("one. two. etc.", tmp_path, step=3))
        shown(page)
        page.run("document.querySelectorAll('.w')[1].focus()")
        keys(page, "Delete", "Home", "m")
        assert blocks(page) == [["one. etc."]]
        hold(page, "typeof body === 'string'")
        keys(page, "End", ".")
        page.wait("held.length")
        assert page.run(TEXT) == "one. etc.."  # until the service has written it
        page.choose("#format", "srt")
        page.click("#export")
        page.wait("release(), document.querySelector('#status').textContent.includes('talk.srt')")
        assert page.saved("talk.srt").decode().splitlines()[2] == "one. etc."


def test_cues_of_a_file_stay_when_words_change(open_page, make, tmp_path):
    cue = "1\n00:00:01,000 --> 00:00:03,000\n{} <i>mira</i>\nla casa\n\n2\n00:00:04,000 --> 00:00:04,500\nadiós\n"
    with open_page(make=make) as page:
        drop(page, file(tmp_path, "talk.srt", cue.format("ana")))
        page.run("document.querySelectorAll('.w')[0].focus()")
        keys(page, "c")
        assert export(page, "srt", "talk.srt") == cue.format("Ana")
        page.run("document.querySelectorAll('.w')[0].focus()")
        keys(page, "F2", "=Ane Eli", "Enter")
        assert export(page, "srt", "talk.srt") == cue.format("Ane Eli").replace("<i>", "").replace("</i>", "")
        shown(page)
        broken = page.run("[...document.querySelectorAll('.broken')].map((each) => each.textContent)")
        assert broken == ["00:00:04.000 → 00:00:04.500"]  # too short


def test_subtitles_over_a_limit_are_found_one_by_one_and_speakers_are_shown(open_page, make, tmp_path):
    texts = "bai. a{}. agian. ez. b{}.".format("b" * 60, "c" * 60)
    selected = "document.activeElement.textContent.slice(0, 2)"
    with open_page(make=make) as page:
        drop(page, words_json(texts, tmp_path, step=5, speaker="Miren"))
        shown(page)
        assert page.run("[...document.querySelectorAll('.speaker')].map((each) => each.textContent)") == ["Miren"]
        assert "(2)" in page.text("#cue-problem")
        keys(page, "p")  # the focus is still on the button
        assert page.run(selected) == "ab"
        keys(page, "p")
        assert page.run(selected) == "bc"
        keys(page, "p")
        assert page.run(selected) == "ab"
        keys(page, "F2", "=ados", "Enter")
        assert "(1)" in page.text("#cue-problem")
        keys(page, "P")
        assert page.run(selected) == "bc"
        keys(page, "F2", "=ados", "Enter", "p")
        assert page.text("#status") == "No subtitle breaks a limit."
        assert page.run("document.querySelector('#cue-problem').disabled")


def test_cues_of_people_who_speak_at_the_same_time(open_page, make, punctuator, tmp_path):
    def spoken(speaker, start, text):
        times = [(word, round(start + i * 0.5, 2)) for i, word in enumerate(text.split())]
        words = [{"word": word, "start": at, "end": round(at + 0.4, 2), "marks": []} for word, at in times]
        return {"recording": "talk", "language": "es", "times": "asr", "speaker": speaker, "words": words}

    long = "bai, hori da egia, eta gainera bihar goizean, etorriko dira denak, nik uste dut, horrela da."
    talk = [
        spoken("Ane", 0, long),
        spoken("Jon", 2, "bai, ondo."),
        spoken("Miren", 3, "bai. ados."),
        spoken("Jon", 14, "ez."),
    ]
    path = file(tmp_path, "talk.json", json.dumps({"utterances": talk}))
    out = io.StringIO()
    FORMATS["srt"].write(formats.read(path), out, punctuator.glyphs)
    with open_page(make=make) as page:
        drop(page, path)
        shown(page)
        assert export(page, "srt", "talk.srt") == out.getvalue()
        begin = blocks(page)
        page.run("document.querySelector('.w').focus()")
        order = page.run("[...document.querySelectorAll('.w')].map((word) => word.dataset.id)")
        for place in order[1:]:
            keys(page, "ArrowRight")
            assert page.run("document.activeElement.dataset.id") == place
        for place in order[-2::-1]:
            keys(page, "ArrowLeft")
            assert page.run("document.activeElement.dataset.id") == place
        page.run("[...document.querySelectorAll('.w')].find((word) => word.textContent === 'ondo.').focus()")
        keys(page, "F2", "=oso ongi.", "Enter")
        expected = [[line.replace("ondo.", "oso ongi.") for line in cue] for cue in begin]
        assert expected != begin
        assert blocks(page) == expected
        page.press("z", modifiers=2)
        assert blocks(page) == begin
