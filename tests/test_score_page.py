"""The score page: structure, figures, escaping."""

import re
from collections import Counter
from dataclasses import replace
from functools import reduce
from html.parser import HTMLParser

import pytest
from test_scoring import parse

from asr_punct.errors import InputError
from asr_punct.marks import glyphs
from asr_punct.scoring import pair_words, score_counts
from asr_punct.scoring.html import write_page
from asr_punct.scoring.html.audio import EMBEDDED_BYTES
from asr_punct.scoring.html.transcript import make_transcript
from asr_punct.words import Utterance, Word, annotate

VOID = {"meta", "link", "br", "img", "input", "hr"}
REFERENCE = [
    parse("hola/COMMA/FIRST_CAP qué/OPEN_QUES tal/QUESTION", id="u1"),
    parse("vengo/O/FIRST_CAP de/COMMA mi casa/PERIOD", id="u2"),
]
RECOGNISED = [
    parse("hola/PERIOD qué/OPEN_QUES tal/QUESTION", id="u1"),
    parse("vengo/COMMA/FIRST_CAP mi eh/COMMA caza", id="u2"),
]


class Page(HTMLParser):
    """Elements of a page; checks that they are closed in order."""

    def __init__(self, content):
        super().__init__()
        self.open, self.elements, self.texts = [], [], []
        self.feed(content)
        self.close()
        assert self.open == []

    def handle_starttag(self, name, attributes):
        self.elements.append((name, dict(attributes)))
        self.texts.append("")
        if name not in VOID:
            self.open.append((name, len(self.elements) - 1))

    def handle_endtag(self, name):
        assert self.open.pop()[0] == name

    def handle_data(self, data):
        for _, number in self.open:
            self.texts[number] += data

    def all(self, name, **wanted):
        """Attributes and text of the elements of that name with those attributes."""
        return [
            (attributes, content)
            for (found, attributes), content in zip(self.elements, self.texts, strict=True)
            if found == name and wanted.items() <= attributes.items()
        ]


def written(tmp_path, reference, hypothesis, /, align=True, **options):
    paired = pair_words(reference, hypothesis, align=align)
    scores = score_counts(paired.count(), samples=50)
    path = tmp_path / "page.html"
    names = {"reference": "ref.txt", "hypothesis": "hyp.txt"} | options
    write_page(path, scores, paired, glyphs("es"), **names)
    content = path.read_text(encoding="utf-8")
    return Page(content), scores, content


@pytest.fixture
def page(tmp_path):
    return written(tmp_path, REFERENCE, RECOGNISED)


def test_links_and_scripts_refer_to_elements_of_the_page(page):
    found, _, _ = page
    ids = Counter(attributes["id"] for _, attributes in found.elements if "id" in attributes)
    assert set(ids.values()) == {1}
    targets = [attributes["href"] for attributes, _ in found.all("a")]
    assert len(targets) == 8
    assert {target.removeprefix("#") for target in targets} <= ids.keys()
    script = found.all("script")[0][1]
    assert set(re.findall(r'byId\("([\w-]+)"\)', script)) - {"player"} <= ids.keys()


def test_nothing_is_loaded_from_elsewhere(page):
    found, _, content = page
    assert not re.search(r"https?:|//[a-z]|@import|url\(", content.replace("// ", ""))
    assert not [a for _, a in found.elements if "src" in a or a.get("href", "#")[0] != "#"]
    assert not found.all("link")


def test_figures_are_those_in_the_scores_file(page):
    found, scores, _ = page
    values = scores.as_dict()
    shown = [
        (a["data-metric"], content) for name in ("td", "b") for a, content in found.all(name) if "data-metric" in a
    ]
    assert len(shown) > 30
    for path, content in shown:
        value = reduce(dict.__getitem__, path.split("."), values)
        assert content == (str(value) if isinstance(value, int) else f"{100 * value:.1f}"), path
    known = {f"marks.{name}.f1" for name, rate in values["marks"].items() if rate["f1"] is not None}
    assert known | {"micro.f1", "wer", "written_wer", "slots.inserted", "word_edits.deleted"} <= dict(shown).keys()
    intervals = [content for _, content in found.all("dd") if ".." in content]
    low, high = values["ci95"]["wer"]
    assert f"95 %: {100 * low:.1f}..{100 * high:.1f}" in intervals


def test_errors_of_the_transcript_are_marked(page):
    found, _, _ = page
    kinds = Counter(
        (name, attributes.get("class"), attributes.get("title"), content)
        for (name, attributes), content in zip(found.elements, found.texts, strict=True)
        if name in ("del", "ins", "span") and "title" in attributes
    )
    assert kinds == {
        ("del", "mark wrong", "wrong COMMA", ","): 1,
        ("ins", "mark wrong", "wrong PERIOD", "."): 1,
        ("span", "case", "should be written Hola", "hola"): 1,
        ("del", "word", "missing word", "de"): 1,
        ("ins", "word", "extra word", "eh"): 1,
        ("ins", "mark extra", "extra COMMA", ","): 1,
        ("del", "word wrong", "spoken word", "casa"): 1,
        ("ins", "word wrong", "recognised word", "caza"): 1,
        ("del", "mark missing", "missing PERIOD", "."): 1,
    }


def test_a_page_of_the_same_words_has_no_word_errors(tmp_path):
    found, _, content = written(tmp_path, REFERENCE, REFERENCE, align=False)
    assert "there is no word error rate" in content
    assert not found.all("circle")
    assert not [a for name in ("ins", "del") for a, _ in found.all(name) if "title" in a]


HOSTILE = ["</script><script>alert(1)</script>", "<img/src=x>", "\u202eabc", '"onclick="x', "&amp;", "a\x07b", "&#x27;"]


def test_hostile_text_stays_text(tmp_path):
    words = tuple(map(Word, HOSTILE))
    labels = parse("a " * len(words)).labels
    reference = annotate(Utterance(words, id="<b>u"), labels=labels)
    names = {"reference": "</title><script>x", "hypothesis": "<i>y</i>"}
    other = annotate(Utterance((*words[1:], Word("</del>")), id="<b>u"), labels=labels)
    for hypothesis in (reference, other):
        found, _, content = written(tmp_path, [reference], [hypothesis], **names)
        assert len(found.all("script")) == 1
        assert not found.all("img")
        assert not found.all("b", id="u")
        assert not [a for _, a in found.elements if "onclick" in a]
        assert "\x07" not in content
        isolated = [words for _, words in found.all("bdi")]
        assert any("\u202eabc" in words for words in isolated)
        assert any(words.endswith("&amp") for words in isolated)


def test_the_transcript_has_a_limit(page):
    found, _, _ = page
    assert found.all("p", **{"data-shown": "8", "data-words": "8"})[0][1].startswith("All 8 words")
    assert len(found.all("bdi", **{"class": "w"})) == 8
    transcript = make_transcript(pair_words(REFERENCE, RECOGNISED, align=True), glyphs("es"), 4)
    assert (transcript.shown, transcript.total) == (4, 8)


def timed(text_, *starts):
    utterance = parse(text_)
    words = [Word(word.text, start, start + 0.4) for word, start in zip(utterance.words, starts, strict=True)]
    return annotate(Utterance(tuple(words), recording="r", time_source="asr"), labels=utterance.labels)


def pauses(tmp_path, references, hypotheses, align=True):
    """Word, title, style, class and text of each pause bar in the transcript."""
    found, _, _ = written(tmp_path, references, hypotheses, align)
    drawn, word = [], ""
    for (name, attributes), content in zip(found.elements, found.texts, strict=True):
        if name == "bdi":
            word = content
        elif name == "i":
            drawn.append((word, attributes["title"], attributes["style"], attributes["class"], content))
    return drawn[1:]  # without the legend's


def test_pauses_of_the_hypothesis_else_of_the_reference_are_drawn_to_scale(tmp_path):
    assert pauses(tmp_path, [timed("a b", 0.0, 3.0)], [parse("a b")])[0][:2] == ("a", "pause of 2.60 s")
    assert pauses(tmp_path, [parse("a b c d e")], [timed("a b c d e", 0.0, 0.42, 1.82, 9.0, 9.7)]) == [
        ("b", "pause of 1.00 s", "--seconds:1.00", "pause", "1.0"),
        ("c", "pause of 6.78 s", "--seconds:3.00", "pause long", "6.8"),
        ("d", "pause of 0.30 s", "--seconds:0.30", "pause", ""),
    ]


def test_pauses_between_utterances_are_those_of_one_recording(tmp_path):
    hypotheses = [replace(timed("a x", 0.0, 0.4), id="1"), replace(timed("b", 1.6), id="2")]
    references = [parse("a x", id="1"), parse("b", id="2")]
    assert [row[:2] for row in pauses(tmp_path, references, hypotheses)] == [("x", "pause of 0.80 s")]
    apart = [hypotheses[0], replace(hypotheses[1], recording="other")]
    assert pauses(tmp_path, references, apart) == []


def test_audio_is_embedded_or_linked(tmp_path):
    audio = tmp_path / "a b#.wav"
    audio.write_bytes(b"RIFF")
    found, _, _ = written(tmp_path, [parse("a b")], [timed("a b", 0.25, 1.0)], audio=audio)
    assert found.all("audio")[0][0]["src"] == "data:audio/wav;base64,UklGRg=="
    assert [a["data-t"] for a, _ in found.all("bdi") if "data-t" in a] == ["0.250", "1.000"]
    with open(audio, "wb") as out:
        out.truncate(EMBEDDED_BYTES + 1)
    found, _, content = written(tmp_path, [parse("a")], [timed("a", 0.0)], audio=audio)
    assert found.all("audio")[0][0]["src"] == "a%20b%23.wav"
    assert len(content) < 100_000


def test_audio_that_browsers_do_not_play_is_refused(tmp_path):
    (tmp_path / "a.sph").touch()
    with pytest.raises(InputError, match=r"a\.sph: found a \.sph file, expected audio that browsers play: \.flac"):
        written(tmp_path, REFERENCE, RECOGNISED, audio=tmp_path / "a.sph")
    with pytest.raises(InputError, match=r"a\.wav: found no such file"):
        written(tmp_path, REFERENCE, RECOGNISED, audio=tmp_path / "a.wav")


def test_confidence_of_words_is_drawn(tmp_path):
    words = (Word("hola", confidence=0.9), Word("ke", confidence=0.2), Word("tal", confidence=0.95))
    hypotheses = [annotate(Utterance(words, id="u1"), labels=parse("a b c").labels)]
    found, _, _ = written(tmp_path, REFERENCE[:1], hypotheses)
    titles = [content for _, content in found.all("title")]
    assert "1 words: mean 20.0 %, right 0.0 %" in titles
    assert "2 words: mean 92.5 %, right 100.0 %" in titles
    cells = [content for _, content in found.all("td")]
    assert [cells[i : i + 3] for i, cell in enumerate(cells) if cell == "20.0"] == [["20.0", "0.0", "1"]]
    assert ["92.5", "100.0", "2"] in [cells[i : i + 3] for i in range(len(cells))]
