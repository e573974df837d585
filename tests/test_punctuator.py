import itertools
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from dummies import bare_words
from hypothesis import given, settings
from hypothesis import strategies as st

from asr_punct import Punctuator, find
from asr_punct.checkpoint import TOKENIZER, WEIGHTS, read_info
from asr_punct.errors import AsrPunctError, MissingExtraError
from asr_punct.inference.backend import open_backend
from asr_punct.inference.merge import added_labels, mark_flags
from asr_punct.inference.punctuator import _with_opening
from asr_punct.marks import LEFT, Case, Labels, Mark, write_word
from asr_punct.text import split_token
from asr_punct.words import Utterance, Word, annotate


@pytest.fixture(scope="module")
def punctuator(model):
    return Punctuator.from_pretrained(model, threads=1)


def utterance(text, recording="r", **columns):
    return annotate(Utterance(tuple(map(Word, text.split())), recording=recording), **columns)


def merged(given, predicted):
    return added_labels(given, predicted, mark_flags(given, "es"), "es")


# What the product promises


tokens = st.text(min_size=1, max_size=12).filter(lambda text: len(text.split()) == 1).map(str.strip)
spoken = st.sampled_from(
    ["ana", "mira", "la", "casa", "dónde", "está", "¿y", "no,", "ISO", "3.500", "-", "«", "ß", "İ"]
)
times = st.none() | st.integers(0, 10_000).map(lambda value: value / 1000)


@st.composite
def transcripts(draw):
    """Utterances of any tokens, some with times, in a few recordings."""
    result = []
    for recording in draw(st.lists(st.sampled_from("ab"), max_size=5)):
        words = draw(st.lists(st.builds(Word, tokens | spoken, times, times), max_size=30))
        result.append(Utterance(tuple(words), recording=recording))
    return result


@settings(max_examples=150, deadline=None)
@given(transcripts())
def test_words_and_times_survive(punctuator, utterances):
    restored = list(punctuator.restore(utterances))
    assert [(bare_words(u), u.recording, u.id) for u in restored] == [(u.words, u.recording, u.id) for u in utterances]
    for result in restored:
        assert len(result.labels) == len(result.words)
        for word, label in zip(result.words, result.labels, strict=True):
            written = write_word(word.text, label, punctuator.glyphs)
            assert word.text.lower() in written.lower() or word.text in written


@settings(max_examples=100, deadline=None)
@given(transcripts())
def test_nothing_is_added_where_something_stands(punctuator, utterances):
    for result in punctuator.restore(utterances):
        for word, label in zip(result.words, result.labels, strict=True):
            before, core, after = split_token(word.text, "es")
            assert not (before and label.marks & set(LEFT))
            assert not (after and label.marks - set(LEFT))
            assert core or label == Labels()
            assert core == core.lower() or label.case is Case.O


def test_given_labels_are_kept():
    given_labels = (Labels(frozenset({Mark.COMMA}), Case.ALL_CAPS), Labels())
    predicted = [Labels(frozenset({Mark.PERIOD, Mark.OPEN_QUES}), Case.FIRST_CAP)] * 2
    assert merged(utterance("iso va", labels=given_labels), predicted) == (
        Labels(frozenset({Mark.COMMA, Mark.OPEN_QUES}), Case.ALL_CAPS),
        predicted[1],
    )


@pytest.mark.parametrize(
    ("word", "marks"),
    [
        ("<unk>", set()),  # brackets stand where marks would
        ("[noise]", set()),
        ("ana@x.es", {Mark.OPEN_QUES, Mark.COMMA}),
        ("https://x.es", {Mark.OPEN_QUES, Mark.COMMA}),
        ("www.x.es,", {Mark.OPEN_QUES}),
    ],
)
def test_tags_and_addresses_are_given_marks_and_no_case(word, marks):
    predicted = [Labels(frozenset({Mark.OPEN_QUES, Mark.COMMA}), Case.FIRST_CAP)]
    assert merged(utterance(word), predicted) == (Labels(frozenset(marks)),)


def test_the_case_that_an_address_came_with_is_written(punctuator):
    given_labels = (Labels(case=Case.FIRST_CAP), Labels(case=Case.ALL_CAPS))
    (result,) = punctuator.restore([utterance("info@x.es <unk>", labels=given_labels)])
    words = zip(result.words, result.labels, strict=True)
    written = [write_word(word.text, replace(label, marks=frozenset()), punctuator.glyphs) for word, label in words]
    assert written == ["Info@x.es", "<UNK>"]


def test_a_lone_mark_takes_the_places_beside_it():
    predicted = [Labels(frozenset({Mark.COMMA, Mark.OPEN_QUES}))] * 2
    first, dash, second = merged(utterance("sí - no"), predicted)
    assert (first.marks, dash.marks, second.marks) == ({Mark.OPEN_QUES}, frozenset(), {Mark.COMMA})


def test_all_caps_needs_two_letters():
    (label,) = merged(utterance("y"), [Labels(case=Case.ALL_CAPS)])
    assert label.case is Case.FIRST_CAP


# Strings


def test_strings(punctuator):
    assert punctuator("ana mira la casa dónde está la mesa") == "Ana, mira la casa. ¿Dónde está la mesa?"
    assert punctuator("") == ""
    assert punctuator("ana mira la casa\n\ndónde está la ley\n").count("\n") == 3


@pytest.mark.parametrize("value", [None, ["ana mira"], b"ana"])
def test_what_is_no_string_is_told(punctuator, value):
    with pytest.raises(AsrPunctError, match=f"text: found {type(value).__name__}, expected str"):
        punctuator(value)


def test_a_casing_list_is_a_file_or_its_lines(model, tmp_path):
    (tmp_path / "list.txt").write_text("# ours\nMiRa\n")
    for casing in (tmp_path / "list.txt", str(tmp_path / "list.txt"), ["MiRa"], iter(["# ours", "MiRa"])):
        assert Punctuator.from_pretrained(model, casing=casing)("ana mira la casa") == "Ana, MiRa la casa."


def test_the_call_of_nemo(punctuator):
    queries = ["ana mira la casa", "dónde está la ley"]
    assert punctuator.add_punctuation_capitalization(queries) == ["Ana, mira la casa.", "¿Dónde está la ley?"]


def test_the_call_of_nemo_gives_its_labels(punctuator):
    found = punctuator.add_punctuation_capitalization(
        ["ana mira la casa", "", "dónde está la ley"], return_labels=True, dataloader_kwargs={}
    )
    assert found == [",U OO OO .O", "", "OU OO OO ?O"]


def test_the_call_of_nemo_takes_its_sizes(punctuator, monkeypatch):
    batches = []
    compute = punctuator._backend.scores
    monkeypatch.setattr(
        punctuator._backend, "scores", lambda features: batches.append(features.word_index.shape) or compute(features)
    )
    queries = ["ana mira la casa dónde está la ley " * 3] * 3
    expected = [" ".join(["Ana, mira la casa. ¿Dónde está la ley?"] * 3)] * 3
    assert punctuator.add_punctuation_capitalization(queries) == expected
    whole, batches[:] = list(batches), []
    found = punctuator.add_punctuation_capitalization(queries, batch_size=2, max_seq_length=20, step=8, margin=99)
    assert [text.lower().split()[-1] for text in found] == ["ley?"] * 3
    assert max(rows for rows, _ in batches) == 2 < max(rows for rows, _ in whole)
    assert punctuator.add_punctuation_capitalization(queries) == expected


@pytest.mark.parametrize("size", ["batch_size", "max_seq_length", "step"])
def test_sizes_that_are_too_small_are_told(punctuator, size):
    for value in (0, "x"):
        with pytest.raises(AsrPunctError, match=f"{size}: found {value!r}, expected"):
            punctuator.add_punctuation_capitalization(["hola"], **{size: value})


@pytest.mark.parametrize(("value", "found"), [("hola", "'hola'"), (["hola", None], "None")])
def test_queries_are_a_list_of_strings(punctuator, value, found):
    with pytest.raises(AsrPunctError, match=f"queries: found {found}, expected a list of strings"):
        punctuator.add_punctuation_capitalization(value)


def test_marks_that_are_not_allowed_are_not_added(model):
    chosen = Punctuator.from_pretrained(model, marks={Mark.QUESTION}, case=False)
    assert chosen("ana mira la casa dónde está la mesa") == "ana mira la casa ¿dónde está la mesa?"


@pytest.mark.parametrize(("marks", "found"), [(["STOP"], "'STOP'"), (["O"], "'O'"), ("COMMA", "'COMMA'")])
def test_what_is_no_list_of_marks_is_told(model, marks, found):
    with pytest.raises(AsrPunctError, match=f"--marks: found {found}, expected a list of names from COMMA,PERIOD"):
        Punctuator.from_pretrained(model, marks=marks)


def test_a_model_without_a_graph_needs_torch_on_the_cpu_too(model, monkeypatch):
    """Where torch is not there, what is told is the model, not the device that is the default."""
    info = read_info(model)
    weights = replace(info, files={name: info.files[name] for name in (WEIGHTS, TOKENIZER)})
    monkeypatch.delitem(sys.modules, "asr_punct.inference.torch_backend", raising=False)
    monkeypatch.setitem(sys.modules, "torch", None)
    for device in (None, "cpu"):
        with pytest.raises(MissingExtraError, match="a model without a graph needs the package torch"):
            open_backend(model, weights, device)
    with pytest.raises(MissingExtraError, match="--device cuda needs the package torch"):
        open_backend(model, info, "cuda")


def test_a_closing_mark_brings_its_opening_one():
    pairs = {"QUESTION": Mark.OPEN_QUES, "EXCLAMATION": Mark.OPEN_EXCL, "QUOTE": Mark.OPEN_QUOTE}
    for closing, opening in pairs.items():
        assert _with_opening([closing, "COMMA"]) == {Mark.COMMA, Mark(closing), opening}
    assert _with_opening({Mark.OPEN_QUES, Mark.DASH}) == {Mark.OPEN_QUES, Mark.DASH}
    assert _with_opening(()) == set()


# Streams of utterances


def test_recordings_do_not_touch(punctuator):
    """An utterance is punctuated alike, whatever recording follows it."""
    first, second = utterance("ana mira la casa", "1"), utterance("dónde está la ley", "2")
    both = list(punctuator.restore([first, second]))
    assert both == [*punctuator.restore([first]), *punctuator.restore([second])]


def test_an_endless_transcript_is_restored_lazily(punctuator):
    endless = (utterance("ana mira la casa dónde está la ley", str(i // 50)) for i in itertools.count())
    taken = list(itertools.islice(punctuator.restore(endless), 40))
    assert len(taken) == 40


def test_words_held_at_once_are_bounded(punctuator):
    """However long one recording is, only so many of its utterances wait for their labels."""
    read = 0

    def counted():
        nonlocal read
        for _ in range(3000):
            read += 1
            yield utterance("ana mira la casa dónde está la ley")

    waiting = [read - done for done, _ in enumerate(punctuator.restore(counted()), start=1)]
    assert max(waiting) < 400


def test_pauses_count(punctuator):
    """A long pause and none are two inputs; unknown ones are a third."""
    silent = utterance("ana mira la casa", pauses=(0.0, 0.0, 0.0, None))
    assert [u.pauses for u in punctuator.restore([silent])] == [silent.pauses]
    timed = Utterance(tuple(Word(w, i, i + 0.5) for i, w in enumerate(["ana", "mira", "la", "casa"])), recording="r")
    assert [u.pauses for u in punctuator.restore([timed])] == [(0.5, 0.5, 0.5, None)]


def test_windows_agree_with_one_long_window(model):
    """Words far from an edge are labelled as if the window had been longer."""
    info = read_info(model)
    short = Punctuator.from_pretrained(model)
    rng = np.random.default_rng(0)
    text = " ".join(rng.choice(["ana mira la casa", "dónde está la ley", "luis mira la mesa"], 40))
    (labels,) = (u.labels for u in short.restore([utterance(text)]))
    assert len(labels) > 4 * info.model.window.words
    starts = [i for i, word in enumerate(text.split()) if word in ("ana", "luis", "dónde")]
    assert np.mean([labels[i].case is Case.FIRST_CAP for i in starts]) > 0.95


# Where models are found


def test_unknown_models_are_told(tmp_path):
    with pytest.raises(AsrPunctError, match="model 'nobody': found no such"):
        Punctuator.from_pretrained("nobody")
    with pytest.raises(AsrPunctError, match=r"config\.json: found no such file"):
        Punctuator.from_pretrained(tmp_path)


def test_a_hub_name_is_downloaded(model, monkeypatch):
    import huggingface_hub

    asked = []
    monkeypatch.setattr(find, "reach_hub", lambda: True)
    monkeypatch.setattr(huggingface_hub, "snapshot_download", lambda name, **_: asked.append(name) or str(model))
    assert Punctuator.from_pretrained("someone/es")("ana mira la casa") == "Ana, mira la casa."
    assert asked == ["someone/es"]


def test_a_hub_that_cannot_be_reached_is_told(monkeypatch):
    import huggingface_hub
    from huggingface_hub.errors import LocalEntryNotFoundError

    def fail(*_, **__):
        raise LocalEntryNotFoundError("no connection")

    monkeypatch.setattr(find, "reach_hub", lambda: True)
    monkeypatch.setattr(huggingface_hub, "snapshot_download", fail)
    with pytest.raises(AsrPunctError, match=r"model 'someone/es': found no such .* downloaded: no connection"):
        Punctuator.from_pretrained("someone/es")


def test_inference_needs_no_torch(model):
    """Punctuating with a graph imports neither torch nor what stands on it."""
    script = f"""
import sys
from asr_punct import Punctuator, find
Punctuator.from_pretrained({str(model)!r})("ana mira la casa")
print(sorted({{name.split(".")[0] for name in sys.modules}} & {{"torch", "transformers", "lightning", "omegaconf"}}))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_thresholds_of_the_model_count(model, tmp_path):
    info = read_info(model)
    punctuator = Punctuator.from_pretrained(model)
    decoding = replace(info.decoding, thresholds={**info.decoding.thresholds, Mark.PERIOD: 2.0})
    never = replace(info, decoding=decoding)
    strict = Punctuator(never, punctuator._tokenizer, punctuator._backend)
    assert strict("ana mira la casa") == "Ana, mira la casa"
