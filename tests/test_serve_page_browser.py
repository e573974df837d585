"""The page of the service in a browser: both tabs from dropping a file to the end, without errors on the console."""

import io
import json
import re
import wave

import pytest

pytest.importorskip("fastapi", reason="pip install '.[serve]'")
from browser import CHROMIUM
from dummies import file

from asr_punct import formats
from asr_punct.formats.registry import FORMATS
from asr_punct.marks import Case, Labels, Mark
from asr_punct.words import annotate

pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="no chromium on PATH")]
ROWS = [("ana", 0.2), ("mira", 0.5), ("la", 0.8), ("casa", 1.0), ("dónde", 2.0), ("está", 2.4), ("la", 2.7), ("ley", 3)]
CTM = "".join(f"talk 1 {start:.2f} 0.20 {word}\n" for word, start in ROWS)
WORDS = "[...document.querySelectorAll('.w')]"


@pytest.fixture
def ctm(tmp_path):
    return file(tmp_path, "talk.ctm", CTM)


@pytest.fixture
def sound(tmp_path):
    """Four seconds of silence."""
    with wave.open(str(tmp_path / "talk.wav"), "wb") as out:
        out.setparams((1, 2, 8000, 0, "NONE", ""))
        out.writeframes(bytes(2 * 8000 * 4))
    return tmp_path / "talk.wav"


def drop(page, transcript, *audio):
    page.drop(transcript, *audio)
    page.wait(
        "document.querySelectorAll('.w').length && document.getElementById('status').textContent.startsWith('8 ')"
    )
    if audio:
        page.wait("!document.getElementById('player').hidden")


def texts(page):
    return page.run(f"{WORDS}.map((word) => word.textContent)")


def written(punctuator, utterances, to):
    out = io.StringIO()
    FORMATS[to].write(utterances, out, punctuator.glyphs)
    return out.getvalue().encode()


def test_the_file_tab_from_drop_to_export(open_page, punctuator, ctm, sound):
    restored = list(punctuator.restore(formats.read(ctm)))
    (utterance,) = restored
    with open_page() as page:
        drop(page, ctm, sound)
        assert " ".join(texts(page)) == punctuator.write(utterance)
        widths = page.run(
            "[...document.querySelectorAll('#words .pause')].map((pause) => parseFloat(pause.style.width))"
        )
        assert widths == [0.25, 0.25, 2.0, 0.5, 0.25, 0.25]  # 2.5 rem for each second; 0.8 s between casa and dónde
        doubts = page.run(
            "[...document.querySelectorAll('#words .m')].map((mark) => mark.style.getPropertyValue('--doubt'))"
        )
        assert doubts
        assert all(0 <= float(doubt) < 1 for doubt in doubts)

        page.run("""
            globalThis.heard = [];
            new MutationObserver(() => {
                const now = document.querySelector(".now")?.textContent.toLowerCase().match(/[^¿.,?]+/)[0];
                if (now && now !== heard.at(-1)) heard.push(now);
            }).observe(document.querySelector("#words"), { subtree: true, attributeFilter: ["class"] });
        """)
        page.click(".w[data-id='3']")
        page.wait("heard.length > 1")
        assert page.run("heard").index("dónde") == page.run("heard").index("casa") + 1
        assert page.run("document.querySelector('#player').currentTime") > 1.9
        page.press("Escape")
        assert page.run("document.querySelector('#player').paused")

        labels = list(utterance.labels)
        assert page.run("document.activeElement.dataset.id") == "3"
        changed = set(labels[3].marks) ^ {Mark.ELLIPSIS, Mark.OPEN_QUES}
        page.click("#marks-after [aria-label^=ellipsis]")
        page.click("#marks-before [aria-label^='opening question']")
        page.click("#cases [aria-label='all letters capital']")
        labels[3] = Labels(frozenset(changed), Case.ALL_CAPS)
        page.run(f"{WORDS}[3].focus()")
        page.press("ArrowLeft")
        page.press(";")
        labels[2] = Labels(labels[2].marks ^ {Mark.SEMICOLON}, labels[2].case)
        page.press("ArrowLeft")
        page.press("!")
        page.press("z", modifiers=2)  # Ctrl
        edited = [annotate(utterance, labels=labels)]
        expected = punctuator.write(edited[0])
        page.wait(f"{WORDS}.map((word) => word.textContent).join(' ') === {expected!r}")
        for to in ("text", "ctm", "json", "srt", "textgrid", "whisper", "tsv"):
            page.choose("#format", to)
            page.click("#export")
            name = page.wait("document.querySelector('#status').textContent.match(/as (.*)\\.$/)?.[1]")
            found, expected = page.saved(name), written(punctuator, edited, to)
            if to == "json":  # numbers are written otherwise, and doubtful words have their probabilities
                found, expected = (
                    json.loads(re.sub(rb', "probabilities": .*?}', b"", each)) for each in (found, expected)
                )
            assert found == expected, to
            (page.downloads / name).unlink()
            page.run("document.querySelector('#status').textContent = ''")


@pytest.mark.parametrize("has_audio", [False, True])
def test_the_live_tab_shows_captions_while_the_replay_runs(open_page, ctm, sound, has_audio):
    with open_page() as page:
        drop(page, ctm, *([sound] if has_audio else []))
        page.click("#tab-live")
        page.choose("#speed", "2")
        page.choose("#lookahead", "2")
        page.click("#live-play")
        first = page.wait("document.querySelector('#captions .provisional').textContent")
        assert first.lower().startswith("ana")
        assert page.text("#live-play") == "Pause"
        page.wait("document.querySelector('#captions .final').textContent.toLowerCase().includes('mira')")
        assert page.run("document.querySelector('#position').value < 3")  # it still runs
        page.wait("document.querySelector('#live-play').textContent === 'Start'")
        page.wait("document.querySelector('#live-status').textContent.includes('0 not yet final')")
        found = page.run("[...document.querySelectorAll('#captions .final')].map((each) => each.textContent).join('')")
        assert [word.strip(",.¿?").lower() for word in found.split()] == [word for word, _ in ROWS]
        assert page.run("[...document.querySelectorAll('.provisional')].every((each) => !each.textContent)")


def test_a_replay_pauses_and_jumps(open_page, ctm):
    with open_page() as page:
        drop(page, ctm)
        page.click("#tab-live")
        page.click("#live-play")
        page.wait("document.querySelector('#captions').textContent.trim()")
        page.click("#live-play")
        assert page.text("#live-play") == "Continue"
        page.run("""(() => {
            const position = document.querySelector("#position");
            position.value = 2.8;
            position.dispatchEvent(new Event("input"));
        })()""")
        page.click("#live-play")
        page.wait("document.querySelector('#live-play').textContent === 'Start'")
        page.wait("document.querySelector('#captions').textContent.toLowerCase().includes('ley')")
        assert "dónde" not in page.text("#captions").lower()


@pytest.mark.parametrize(("language", "file_tab"), [("es-ES", "Archivo"), ("eu", "Fitxategia"), ("fr", "File")])
def test_languages_and_colours(open_page, ctm, language, file_tab):
    with open_page(language) as page:
        assert page.text("#tab-file") == file_tab
        page.choose("#ui-language", "eu")
        assert (page.text("#tab-live"), page.run("document.documentElement.lang")) == ("Zuzenean", "eu")
        page.choose("#language", "es")
        drop(page, ctm)
        assert page.text("#status") == "8 hitz · gaztelania"
        colour = "getComputedStyle(document.body).backgroundColor"
        light = page.run(colour)
        page.choose("#theme", "dark")
        dark = page.run(colour)
        page.choose("#theme", "auto")
        assert light != dark
        page.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
        assert page.run(colour) == dark
        page.send("Page.reload")
        page.wait("document.querySelector('#tab-live')?.textContent === 'Zuzenean'")  # the choice is kept


def test_with_a_token(open_page, ctm):
    with open_page(token="abc", query="?token=abc") as page:
        assert page.run("location.search") == ""
        drop(page, ctm)
        page.click("#tab-live")
        page.choose("#speed", "4")
        page.click("#live-play")
        page.wait("document.querySelector('#captions .final').textContent.trim()")


def test_errors_are_shown(open_page, ctm, tmp_path):
    with open_page() as page:
        page.drop(file(tmp_path, "bad.ctm", "talk 1 x"))
        page.wait("document.querySelector('#status').className === 'error'")
        assert page.text("#status").startswith("bad.ctm:1 cannot be read: 3 columns; expected: 5")
        page.console = [line for line in page.console if "422" not in line]  # the browser notes each failed request
        drop(page, ctm)
        assert page.run("document.querySelector('#status').className") == ""


def test_words_of_subtitles_are_heard_between_the_ends_of_their_cue(open_page, sound, tmp_path):
    srt = file(tmp_path, "talk.srt", "1\n00:00:01,000 --> 00:00:03,000\nana mira la casa dónde está la ley\n")
    with open_page() as page:
        drop(page, srt, sound)
        page.click(".w[data-id='4']")
        assert page.run("document.querySelector('#player').currentTime") == pytest.approx(2, abs=0.5)
        page.wait("document.querySelector('.now')?.dataset.id > 4")


def test_a_request_that_takes_too_long_is_not_repeated_and_can_be_cancelled(open_page, ctm):
    with open_page() as page:
        page.run("""
            globalThis.asked = 0;
            globalThis.fetch = (path, { signal } = {}) => {
                asked += 1;
                const late = { error: { place: "request", found: "a long one", expected: "a shorter one" } };
                if (asked > 1) return Promise.resolve(new Response(JSON.stringify(late), { status: 504 }));
                return new Promise((_, fail) => signal.addEventListener("abort", () => fail(signal.reason)));
            };
        """)
        page.drop(ctm)
        page.wait("document.querySelector('#elapsed').textContent === '1 s'")
        page.click("#cancel")
        assert page.text("#status") == "Cancelled."
        page.drop(ctm)
        page.wait("document.querySelector('#status').className === 'error'")
        assert (page.run("asked"), page.run("document.querySelector('#cancel').hidden")) == (2, True)


def test_marks_are_typed_as_in_an_editor(open_page, ctm):
    """One key changes the sentence, one undo takes it back."""

    def read(page):
        page.wait("document.querySelector('#undo') && true")
        return " ".join(texts(page))

    with open_page() as page:
        page.choose("#language", "es")
        drop(page, ctm)
        begin = read(page)
        for index in range(8):  # no marks and capitals
            page.run(f"{WORDS}[{index}].focus()")
            for mark in page.run(f"[...{WORDS}[{index}].querySelectorAll('.m')].map((mark) => mark.textContent)"):
                page.press(mark)
        for index in range(8):
            page.run(f"{WORDS}[{index}].focus()")
            while page.run(f"{WORDS}[{index}].textContent !== {WORDS}[{index}].textContent.toLowerCase()"):
                page.press("c")
        bare = " ".join(word for word, _ in ROWS)
        assert read(page) == bare
        page.run(f"{WORDS}[3].focus()")
        page.press("?")
        assert read(page) == bare.replace("ana", "¿ana").replace("casa dónde", "casa? Dónde")
        page.press(",")
        assert read(page) == bare.replace("casa", "casa,")
        page.press("z", modifiers=2)
        page.press("z", modifiers=2)
        assert read(page) == bare
        page.press(".")
        assert read(page) == bare.replace("casa dónde", "casa. Dónde")
        page.press(".")
        assert read(page) == bare
        assert begin != bare


def test_marks_inside_quotation_marks_are_drawn_as_marks(open_page):
    split = """import("/page/marks.js").then(({{ split }}) => split({}, {}).map(({{ text, mark }}) => [text, mark]))"""
    expected = {
        ('"quién', '"¿Quién'): [['"', None], ["¿", "OPEN_QUES"], ["Quién", None]],
        ("(sí)", "(Sí,)"): [["(", None], ["Sí", None], [",", "COMMA"], [")", None]],
        ("o'brien", "O'Brien:"): [["O'Brien", None], [":", "COLON"]],
        ("%", "%."): [["%", None], [".", "PERIOD"]],
    }
    with open_page() as page:
        for (word, written), parts in expected.items():
            assert page.run(split.format(json.dumps(word), json.dumps(written))) == parts


def test_a_finished_transcript_opens_as_it_is(open_page, ctm, tmp_path):
    finished = file(tmp_path, "talk.srt", "1\n00:00:01,000 --> 00:00:03,000\nAna, mira <i>la Casa</i>. dónde\n")
    shown = f"{WORDS}.map((word) => word.textContent).join(' ')"
    saved = "document.querySelector('#status').textContent.includes('{}')"
    with open_page() as page:
        page.choose("#given-marks", "as_is")
        page.drop(finished)
        page.wait(f"{shown} === 'Ana, mira la Casa. dónde'")
        page.click("#export")
        page.wait(saved.format("talk.srt"))
        assert page.saved("talk.srt") == finished.read_bytes()
        page.run(f"{WORDS}[3].focus()")
        page.press(".")  # marks of the file are edited as those of the model
        page.press("ArrowRight")
        page.press("?")
        expected = "Ana, mira la Casa ¿dónde?"
        page.wait(f"{shown} === 'Ana, mira la Casa dónde?' || {shown} === {expected!r}")
        page.choose("#format", "json")
        page.click("#export")
        page.wait(saved.format("talk.json"))
        now = page.run(shown)
        page.choose("#given-marks", "")
        page.drop(file(tmp_path, "own.json", page.saved("talk.json").decode()))
        page.wait("document.querySelector('#file-name').textContent === 'own.json'")
        page.wait("document.querySelector('#status').textContent.startsWith('5 ')")
        assert page.run(shown) == now
        words = [{"word": '"quién', "marks": ["OPEN_QUES"], "case": "FIRST_CAP", "inside": True}]
        words.append({"word": 'es"', "marks": ["QUESTION"], "inside": True})
        page.drop(file(tmp_path, "side.json", json.dumps({"utterances": [{"words": words}]})))
        page.wait(f"{shown} === '\"¿Quién es?\"'")
        page.run(f"{WORDS}[1].focus()")
        page.press("!")  # takes the place of the ?
        page.wait(f"{shown}.endsWith('es!\"')")
        page.choose("#format", "text")
        page.click("#export")
        page.wait(saved.format("side.txt"))
        assert page.saved("side.txt").decode().rstrip().endswith('es!"')


def test_the_tools_take_a_row_each_and_a_video_is_beside_the_buttons(open_page, ctm, sound):
    rows = "[...document.querySelectorAll('#transcript-tools .tools:not([hidden])')].map((each) => each.offsetHeight)"
    one = "document.querySelector('#export').offsetHeight"
    with open_page() as page:
        page.send("Emulation.setDeviceMetricsOverride", width=1280, height=800, deviceScaleFactor=1, mobile=False)
        drop(page, ctm, sound)
        page.click("#view-cues")
        page.wait("document.querySelector('#words').dataset.layout === 'cues'")
        page.run(f"{WORDS}[0].click()")
        for language in ("es", "eu", "en"):
            page.choose("#ui-language", language)
            assert page.run(rows) == [page.run(one)] * 2, language
            tops = "new Set([...document.querySelectorAll('#editor .group button')].map((each) => each.offsetTop))"
            assert page.run(f"{tops}.size") == 1, language
        page.run("document.querySelector('#player').classList.add('video')")
        page.run(f"{WORDS}[0].focus()")
        page.press(",")  # selects it
        box = "document.querySelector('{}').getBoundingClientRect()"
        assert page.run(f"{box.format('#player')}.right <= {box.format('#editor')}.left")
        assert page.run(f"{box.format('#waveform')}.width > 1000")
        page.send("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=1, mobile=True)
        assert page.run("innerWidth") == 390  # nothing is wider


def test_captions_for_viewers(open_page):
    from websockets.sync.client import connect

    with open_page(token="abc", query="?token=abc") as page:
        origin = page.run("location.origin")
        page.open(f"{origin}/captions?stream=hall&lines=1&colour=ff0000&size=20&token=abc")
        page.wait("document.body.dataset.connected")
        assert page.run("location.search") == "?stream=hall&lines=1&colour=ff0000&size=20"
        with connect(f"ws{origin[4:]}/v1/stream?captions=hall&token=abc") as speaker:
            speaker.send(json.dumps({"words": ["ana", "mira"]}))
            page.wait("document.querySelector('.provisional').textContent.toLowerCase().startsWith('ana')")
            speaker.send(json.dumps({"end": True}))
            page.wait("document.querySelector('.final').textContent.toLowerCase().includes('mira')")
        style = "getComputedStyle(document.querySelector('#captions'))"
        assert page.run(f"[{style}.color, {style}.fontSize === innerHeight / 5 + 'px']") == ["rgb(255, 0, 0)", True]
