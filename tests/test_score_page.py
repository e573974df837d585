"""The score page: structure, figures, escaping."""

import re
from collections import Counter
from dataclasses import replace
from functools import reduce
from html.parser import HTMLParser

import pytest
from labelled import labelled, parse

from asr_punct.errors import InputError
from asr_punct.glyphs import glyphs
from asr_punct.marks import Case, Labels, Mark
from asr_punct.scoring import compare_counts, pair_words, score_counts
from asr_punct.scoring.html import Comparison, write_page
from asr_punct.scoring.html.page import EMBEDDED_BYTES
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
    assert targets[0] == "#transcript"
    assert len(targets) == 7
    assert {target.removeprefix("#") for target in targets} <= ids.keys()
    script = found.all("script")[0][1]
    assert set(re.findall(r'byId\("([\w-]+)"\)', script)) - {"player", "only-different"} <= ids.keys()


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
        ("del", "mark wrong", "mark of the reference", ","): 1,
        ("ins", "mark wrong", "mark of the hypothesis", "."): 1,
        ("span", "case", "should be written Hola", "hola"): 1,
        ("del", "word", "missing word", "de"): 1,
        ("ins", "word", "extra word", "eh"): 1,
        ("ins", "mark extra", "extra mark", ","): 1,
        ("del", "word wrong", "spoken word", "casa"): 1,
        ("ins", "word wrong", "recognised word", "caza"): 1,
        ("del", "mark missing", "missing mark", "."): 1,
    }


def test_a_page_of_the_same_words_has_no_word_errors(tmp_path):
    found, _, content = written(tmp_path, REFERENCE, REFERENCE, align=False)
    assert "word error" not in content
    assert not found.all("circle")
    assert not [a for name in ("ins", "del") for a, _ in found.all(name) if "title" in a]


HOSTILE = ["</script><script>alert(1)</script>", "<img/src=x>", "\u202eabc", '"onclick="x', "&amp;", "a\x07b", "&#x27;"]


def test_hostile_text_stays_text(tmp_path):
    labels = [Labels()] * len(HOSTILE)
    reference = labelled(HOSTILE, labels, id="<b>u")
    names = {"reference": "</title><script>x", "hypothesis": "<i>y</i>"}
    other = labelled([*HOSTILE[1:], "</del>"], labels, id="<b>u")
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
    transcript = make_transcript([pair_words(REFERENCE, RECOGNISED, align=True)], glyphs("es"), 4)
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
    for name, found in (("a.sph", "a .sph file"), ("a.wav", "no such file")):
        with pytest.raises(InputError) as error:
            written(tmp_path, REFERENCE, RECOGNISED, audio=tmp_path / name)
        assert (error.value.place, error.value.found) == (str(tmp_path / name), found)


def spoken(*confidences):
    """Utterances `hola qué tal` with these confidences of `tal`, which is wrong (`tel`) below 0.5."""
    result = []
    for number, confidence in enumerate(confidences):
        text = "hola qué tal" if confidence >= 0.5 else "hola qué tel"
        words = [Word(word, confidence=c) for word, c in zip(text.split(), (0.95, 0.95, confidence), strict=True)]
        result.append(annotate(Utterance(tuple(words), id=f"u{number}"), labels=parse("a b c/PERIOD").labels))
    return result


def test_confidence_of_words_is_drawn(tmp_path):
    hypotheses = spoken(*[0.15] * 15, *[0.25] * 15, *[0.75] * 10)
    references = [parse("hola/COMMA qué tal/PERIOD", id=u.id) for u in hypotheses]
    found, _, _ = written(tmp_path, references, hypotheses)
    titles = [content for _, content in found.all("title")]
    assert "30 words: mean 20.0 %, right 0.0 % (0.0..11.4)" in titles  # one point: fewer than 20 words in a tenth
    assert "90 words: mean 92.8 %, right 100.0 % (95.9..100.0)" in titles
    cells = [content for _, content in found.all("td")]
    assert [cells[i : i + 4] for i, cell in enumerate(cells) if cell == "20.0"] == [["20.0", "0.0", "0.0..11.4", "30"]]
    assert len(found.all("circle")) == 2 + len(references)
    assert len(found.all("line", **{"class": "interval"})) == 2


def test_small_texts_have_no_diagrams(tmp_path):
    hypotheses = spoken(0.2, 0.9)
    found, _, content = written(tmp_path, [parse("hola/COMMA qué tal/PERIOD", id=u.id) for u in hypotheses], hypotheses)
    assert "Too few words with a probability for a diagram: 6." in content
    assert not found.all("svg")
    pooled = [content for _, content in found.all("th", scope="row")]
    assert [name for name in pooled if name in ("0", "0 to 10", "10 to 25", "25 to 50", "over 50")] == ["0", "25 to 50"]


@pytest.mark.parametrize(
    ("probabilities", "labels", "style", "title"),
    [
        ({Mark.COMMA: 0.6}, "a/COMMA", "--doubt:0.40", ", 60.0 %"),
        ({Mark.COMMA: 0.3}, "a", "--doubt:0.30", ", 30.0 %"),
        ({Mark.COMMA: 0.9, Case.FIRST_CAP: 0.25}, "a/COMMA", "--doubt:0.25", ", 90.0 %, Abc 25.0 %"),
        ({Mark.COMMA: 0.95, Case.ALL_CAPS: 0.98}, "a/COMMA/ALL_CAPS", None, ", 95.0 %, ABC 98.0 %"),
        ({}, "a", None, ""),
    ],
)
def test_the_shade_of_a_word_is_the_doubt_of_its_labels(tmp_path, probabilities, labels, style, title):
    sure = {Mark.PERIOD: 1.0}
    hypothesis = annotate(parse(f"{labels} b/PERIOD"), probabilities=[probabilities, sure])
    found, _, content = written(tmp_path, [parse("a b/PERIOD")], [hypothesis], align=False)
    word = found.all("bdi", **{"class": "w"})[0][0]
    assert (word.get("style"), word["title"]) == (style, title)
    assert "the model was unsure of marks or capitals" in content


def test_the_shade_is_the_confidence_of_words_without_probabilities(tmp_path, page):
    found, _, _ = written(tmp_path, [parse("hola qué tal/PERIOD", id="u0")], spoken(0.4))
    assert [word.get("style") for word, _ in found.all("bdi", **{"class": "w"})] == [None, None, "--doubt:0.60"]
    assert not [word for word, _ in page[0].all("bdi") if "style" in word]


def test_two_hypotheses_are_side_by_side_with_their_differences(tmp_path):
    others = [parse("hola/COMMA qué/OPEN_QUES tal/QUESTION", id="u1"), RECOGNISED[1]]
    first, second = (pair_words(REFERENCE, side, align=True) for side in (RECOGNISED, others))
    differences = compare_counts(first.count(), second.count(), samples=50)
    compare = Comparison("<b>two", second, differences)
    found, _, content = written(tmp_path, REFERENCE, RECOGNISED, compare=compare)
    assert "<b>two" not in content
    assert found.all("p", **{"data-shown": "16", "data-words": "16"})
    columns = [len(found.all("div", **{"class": name})) for name in ("texts", "texts same", "texts head")]
    assert columns == [1, 1, 1]
    assert any("only utterances that differ (1 of 2)" in text for _, text in found.all("label"))
    paragraphs = [text.split() for _, text in found.all("p", **{"class": "other"})]
    assert [" ".join(words) for words in paragraphs] == ["hola, ¿qué tal?", "Vengo, de mi eh, casacaza."]
    rows = dict(zip(_row_names(found), differences.values(), strict=False))
    assert rows["F1 of ,"].difference > 0
    shown = [text for _, text in found.all("td")][: 5 * len(differences)]
    expected = [f"{100 * d.difference:+.1f}" for d in differences.values()]
    assert shown[2::5] == expected


def _row_names(page):
    return [text for _, text in page.all("th", scope="row")]
