import itertools
import shutil
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from dummies import bare_words
from hypothesis import given, settings
from hypothesis import strategies as st

from asr_punct import Punctuator, hub
from asr_punct.checkpoint import TOKENIZER, WEIGHTS, load_tokenizer, read_info, write_info
from asr_punct.errors import AsrPunctError, MissingExtraError
from asr_punct.inference.backend import open_backend
from asr_punct.inference.tokens import TokenReader
from asr_punct.marks import LEFT, Case, Labels, Mark, write_word
from asr_punct.text import split_token
from asr_punct.words import Utterance, Word, annotate


@pytest.fixture(scope="module")
def punctuator(model):
    return Punctuator.from_pretrained(model, threads=1)


def utterance(text, recording="r", **columns):
    return annotate(Utterance(tuple(map(Word, text.split())), recording=recording), **columns)


# Input with marks and capitals

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
def test_words_survive_and_nothing_is_added_beside_marks_of_the_input(punctuator, utterances):
    restored = list(punctuator.restore(utterances))
    assert [(bare_words(u), u.recording, u.id) for u in restored] == [(u.words, u.recording, u.id) for u in utterances]
    for word, label in ((word, word.labels) for result in restored for word in result.words):
        written = write_word(word.text, label, punctuator.glyphs)
        assert word.text.lower() in written.lower() or word.text in written
        before, core, after = split_token(word.text, "es")
        assert not (before and label.marks & set(LEFT))
        assert not (after and label.marks - set(LEFT))
        assert core or label == Labels()
        assert core == core.lower() or label.case is Case.O


BOTH_SIDES = Labels(frozenset({Mark.OPEN_QUES, Mark.COMMA}), Case.FIRST_CAP)


@pytest.mark.parametrize(
    ("text", "given_labels", "expected"),
    [
        ("<unk>", None, [Labels()]),  # brackets are on both sides
        ("[noise]", None, [Labels()]),
        ("ana@x.es", None, [Labels(BOTH_SIDES.marks)]),
        ("https://x.es", None, [Labels(BOTH_SIDES.marks)]),
        ("www.x.es,", None, [Labels(frozenset({Mark.OPEN_QUES}))]),
        (
            "iso va",
            [Labels(frozenset({Mark.COLON}), Case.ALL_CAPS), None],
            [Labels(frozenset({Mark.COLON, Mark.OPEN_QUES}), Case.ALL_CAPS), BOTH_SIDES],
        ),
        (
            "sí - no",
            None,
            [
                Labels(frozenset({Mark.OPEN_QUES}), Case.FIRST_CAP),
                Labels(),
                Labels(frozenset({Mark.COMMA}), Case.FIRST_CAP),
            ],
        ),
    ],
)
def test_labels_are_added_where_the_input_has_none(model, text, given_labels, expected):
    words = annotate(Utterance(tuple(map(Word, text.split()))), labels=given_labels).words
    read = TokenReader(load_tokenizer(model, read_info(model)), "es").read(words)
    assert [token.add(BOTH_SIDES, True) if token.core else token.labels for token in read] == expected


def test_all_caps_needs_two_letters(model):
    (token,) = TokenReader(load_tokenizer(model, read_info(model)), "es").read([Word("y")])
    assert token.add(Labels(case=Case.ALL_CAPS), True).case is Case.FIRST_CAP


def test_the_given_case_of_an_address_is_written(punctuator):
    given_labels = (Labels(case=Case.FIRST_CAP), Labels(case=Case.ALL_CAPS))
    (result,) = punctuator.restore([utterance("info@x.es <unk>", labels=given_labels)])
    words = zip(result.words, result.labels, strict=True)
    written = [write_word(word.text, replace(label, marks=frozenset()), punctuator.glyphs) for word, label in words]
    assert written == ["Info@x.es", "<UNK>"]


# Strings


def test_strings(punctuator):
    assert punctuator("ana mira la casa dónde está la mesa") == "Ana, mira la casa. ¿Dónde está la mesa?"
    assert punctuator("") == ""
    assert punctuator("ana mira la casa\n\ndónde está la ley\n").count("\n") == 3


@pytest.mark.parametrize("value", [None, ["ana mira"], b"ana"])
def test_other_arguments_than_strings_are_refused(punctuator, value):
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


def test_the_call_of_nemo_accepts_its_sizes(punctuator):
    queries = ["ana mira la casa dónde está la ley " * 3] * 3
    expected = [" ".join(["Ana, mira la casa. ¿Dónde está la ley?"] * 3)] * 3
    assert punctuator.add_punctuation_capitalization(queries) == expected
    found = punctuator.add_punctuation_capitalization(queries, batch_size=2, max_seq_length=20, step=8, margin=99)
    assert [text.lower().split()[-1] for text in found] == ["ley?"] * 3
    assert punctuator.add_punctuation_capitalization(queries) == expected


@pytest.mark.parametrize("size", ["batch_size", "max_seq_length", "step"])
def test_sizes_that_are_too_small_are_refused(punctuator, size):
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
def test_unknown_marks_are_refused(model, marks, found):
    with pytest.raises(AsrPunctError, match=f"--marks: found {found}, expected a list of names from COMMA,PERIOD"):
        Punctuator.from_pretrained(model, marks=marks)


def test_a_model_without_a_graph_needs_torch_on_the_cpu_too(model, monkeypatch):
    info = read_info(model)
    weights = replace(info, files={name: info.files[name] for name in (WEIGHTS, TOKENIZER)})
    monkeypatch.delitem(sys.modules, "asr_punct.inference.torch_backend", raising=False)
    monkeypatch.setitem(sys.modules, "torch", None)
    for device in (None, "cpu"):
        with pytest.raises(MissingExtraError, match="a model without a graph needs the package torch"):
            open_backend(model, weights, device)
    with pytest.raises(MissingExtraError, match="--device cuda needs the package torch"):
        open_backend(model, info, "cuda")


# Streams of utterances


def test_recordings_do_not_touch(punctuator):
    first, second = utterance("ana mira la casa", "1"), utterance("dónde está la ley", "2")
    both = list(punctuator.restore([first, second]))
    assert both == [*punctuator.restore([first]), *punctuator.restore([second])]


def test_an_endless_transcript_is_restored_lazily(punctuator):
    endless = (utterance("ana mira la casa dónde está la ley", str(i // 50)) for i in itertools.count())
    taken = list(itertools.islice(punctuator.restore(endless), 40))
    assert len(taken) == 40


def test_the_number_of_waiting_utterances_is_bounded(punctuator):
    read = 0

    def counted():
        nonlocal read
        for _ in range(3000):
            read += 1
            yield utterance("ana mira la casa dónde está la ley")

    waiting = [read - done for done, _ in enumerate(punctuator.restore(counted()), start=1)]
    assert max(waiting) < 400


def test_pauses_follow_from_times(punctuator):
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


def test_denormal_floats_still_work_after_a_run(punctuator):
    punctuator("ana mira la casa")
    assert np.float64(5e-324) / 1 > 0


# Where models are found


def test_unknown_models_are_refused(tmp_path):
    with pytest.raises(AsrPunctError, match="model 'nobody': found no such"):
        Punctuator.from_pretrained("nobody")
    with pytest.raises(AsrPunctError, match=r"config\.json: found no such file"):
        Punctuator.from_pretrained(tmp_path)


def test_a_hub_name_is_downloaded(model, monkeypatch):
    import huggingface_hub

    asked = []
    monkeypatch.setattr(hub, "reach_hub", lambda: True)
    monkeypatch.setattr(huggingface_hub, "snapshot_download", lambda name, **_: asked.append(name) or str(model))
    assert Punctuator.from_pretrained("someone/es")("ana mira la casa") == "Ana, mira la casa."
    assert asked == ["someone/es"]


def test_an_unreachable_hub_is_reported(monkeypatch):
    import huggingface_hub
    from huggingface_hub.errors import LocalEntryNotFoundError

    def fail(*_, **__):
        raise LocalEntryNotFoundError("no connection")

    monkeypatch.setattr(hub, "reach_hub", lambda: True)
    monkeypatch.setattr(huggingface_hub, "snapshot_download", fail)
    with pytest.raises(AsrPunctError, match=r"model 'someone/es': found no such .* downloaded: no connection"):
        Punctuator.from_pretrained("someone/es")


def test_inference_needs_no_torch(model):
    script = f"""
import sys
from asr_punct import Punctuator, hub
Punctuator.from_pretrained({str(model)!r})("ana mira la casa")
print(sorted({{name.split(".")[0] for name in sys.modules}} & {{"torch", "transformers", "lightning", "omegaconf"}}))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_thresholds_of_the_model_count(model, tmp_path):
    directory = tmp_path / "model"
    shutil.copytree(model, directory)
    info = read_info(directory)
    decoding = replace(info.decoding, thresholds={**info.decoding.thresholds, Mark.PERIOD: 1.0})
    write_info(directory, replace(info, decoding=decoding))
    assert Punctuator.from_pretrained(directory)("ana mira la casa") == "Ana, mira la casa"
