"""The score page in a browser: no errors on the console, buttons, playing words."""

import json
import re
import subprocess
import wave

import pytest
from browser import CHROMIUM
from dummies import file

from asr_punct.formats.json.own import write_json
from asr_punct.glyphs import glyphs
from asr_punct.marks import Case, Labels, Mark
from asr_punct.words import Utterance, Word, annotate

pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="no chromium on PATH")]
REFERENCE = "Hola, ¿qué tal?\nVengo de mi casa.\n"
RECOGNISED = [
    ("hola", Labels(frozenset({Mark.PERIOD}), Case.FIRST_CAP), {Mark.PERIOD: 0.6, Mark.COMMA: 0.3}),
    ("qué", Labels(frozenset({Mark.OPEN_QUES})), {Mark.OPEN_QUES: 0.9}),
    ("tal", Labels(frozenset({Mark.QUESTION})), {Mark.QUESTION: 0.9}),
    ("vengo", Labels(frozenset(), Case.FIRST_CAP), {Case.FIRST_CAP: 0.97}),
    ("mi", Labels(), {}),
    ("eh", Labels(), {}),
    ("caza", Labels(frozenset({Mark.PERIOD})), {Mark.PERIOD: 0.8}),
]


@pytest.fixture
def page(run, tmp_path):
    """A page of words with errors, times, confidence, probabilities and a second of sound for each word."""
    words = tuple(
        Word(word, float(i), i + 0.5 + 0.1 * (i % 3), 0.9 - 0.1 * i) for i, (word, *_) in enumerate(RECOGNISED)
    )
    labels, probabilities = (tuple(row[column] for row in RECOGNISED) for column in (1, 2))
    recognised = annotate(
        Utterance(words, "u", recording="r", time_source="asr"), labels=labels, probabilities=probabilities
    )
    with open(tmp_path / "hyp.json", "w", encoding="utf-8") as out:
        write_json([recognised], out, glyphs("es"))
    with wave.open(str(tmp_path / "talk.wav"), "wb") as out:
        out.setparams((1, 2, 8000, 0, "NONE", ""))
        out.writeframes(bytes(2 * 8000 * len(words)))
    reference = file(tmp_path, "ref.txt", REFERENCE)
    path = tmp_path / "page.html"
    sides = ("score", reference, tmp_path / "hyp.json", "--align")
    status, _, error = run(*sides, "--html", path, "--audio", tmp_path / "talk.wav", "--quiet")
    assert (status, error) == (0, "")
    return path


def opened(page, script=""):
    """Return the page after the browser has run it and `script`, and the messages on the console."""
    content = page.read_text(encoding="utf-8")
    page.write_text(content.replace("</body>", f"<script>{script}</script></body>"), encoding="utf-8")
    options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={page.parent / 'profile'}"]
    options += ["--enable-logging=stderr", "--v=0", "--virtual-time-budget=5000", "--dump-dom"]
    command = [CHROMIUM, *options, page.as_uri()]
    done = subprocess.run(command, check=True, capture_output=True, text=True, encoding="utf-8", timeout=300)
    return done.stdout, [line for line in done.stderr.splitlines() if "CONSOLE" in line]


def answers(page, script):
    """Return `found` after `script`; the console must stay empty."""
    known = """
        const found = {};
        const byId = (id) => document.getElementById(id);
        const words = document.querySelectorAll("#words .w");
        setTimeout(() => { document.title = JSON.stringify(found); }, 3000);
    """
    content, console = opened(page, f"{{ {known} {script} }}")
    assert console == []
    return json.loads(re.search("<title>(.*)</title>", content)[1])


def test_the_console_stays_empty(page):
    content, console = opened(page)
    assert console == []
    assert content.count("too few") + content.count("Too few") == 3  # of marks, capitals and words
    assert "words with errors: 4" in content
    assert re.findall('data-t="([^"]*)" role="button" tabindex="0"', content) == ["0.000"]


def test_buttons_go_from_error_to_error(page):
    script = """
        found.messages = ["next", "next", "next", "next", "next", "previous"].map((way) => {
          byId(`${way}-error`).click();
          return byId("which-error").textContent;
        });
        found.here = [...document.querySelectorAll(".here")].map((word) => word.textContent);
        words[3].click();
        byId("next-error").click();
        found.after = byId("which-error").textContent;
    """
    found = answers(page, script)
    expected = [
        "1 of 4: mark of the reference: ,; mark of the hypothesis: .",
        "2 of 4: missing word: de",
        "3 of 4: extra word: eh",
        "4 of 4: spoken word: casa; recognised word: caza",
    ]
    assert found["messages"] == [*expected, expected[0], expected[3]]
    assert found["here"] == ["casacaza."]
    assert found["after"] == expected[1]


def test_words_play_at_a_click_and_by_keys(page):
    script = """
        const press = (key) => {
          document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
        };
        const player = byId("player");
        player.muted = true;
        player.addEventListener("loadedmetadata", () => {
          found.duration = player.duration;
          words[1].click();
          press("ArrowRight");
          press("Enter");
          found.focused = document.activeElement.textContent;
          found.time = player.currentTime;
        });
        player.addEventListener("seeked", () => setTimeout(() => {
          found.now = document.querySelector(".now").textContent;
          player.pause();
        }));
    """
    found = answers(page, script)
    assert found == {"duration": 7, "focused": "tal?", "time": 2, "now": "tal?"}


def test_utterances_without_a_difference_can_be_hidden(page, run, tmp_path):
    other = file(tmp_path, "other.txt", "Hola, ¿qué tal?\nVengo mi eh caza.\n")
    sides = ("score", tmp_path / "ref.txt", tmp_path / "hyp.json", "--align", "--compare", other)
    assert run(*sides, "--html", page, "--quiet")[0] == 0
    script = """
        const shown = () => [...document.querySelectorAll(".texts:not(.head)")].map((row) => row.offsetHeight > 0);
        found.before = shown();
        byId("only-different").click();
        found.after = shown();
        byId("next-error").click();
        byId("previous-error").click();
        found.message = byId("which-error").textContent;
    """
    found = answers(page, script)
    message = "1 of 7: mark of the reference: ,; mark of the hypothesis: ."  # the only error that is not hidden
    assert found == {"before": [True, True], "after": [True, False], "message": message}
