"""`Punctuator`: strings, utterances, marks of the input, and where models are found."""

import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from asr_punct import Punctuator, hub
from asr_punct.checkpoint import TOKENIZER, WEIGHTS, load_tokenizer, read_info
from asr_punct.errors import AsrPunctError, MissingExtraError
from asr_punct.inference.backend import open_backend, thread_count
from asr_punct.inference.tokens import TokenReader
from asr_punct.inference.tune import read_dev_set
from asr_punct.marks import Case, Labels, Mark, glyphs, write_word
from asr_punct.words import Utterance, Word, annotate


def utterance(text, recording="r", **columns):
    return annotate(Utterance(tuple(map(Word, text.split())), recording=recording), **columns)


# Threads


@pytest.mark.parametrize(
    ("variable", "threads", "expected"),
    [("3", 0, 3), ("2,1", 0, 2), ("3", 4, 4), ("all", 0, 1), ("", 0, 1), ("0", 0, 1)],
)
def test_threads_follow_the_variable_of_openmp(model, monkeypatch, variable, threads, expected):
    """Without it there is one thread for each core that the process may use, here one of 64."""
    monkeypatch.setenv("OMP_NUM_THREADS", variable)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {5}, raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 64)
    backend = open_backend(model, read_info(model), threads=threads)
    assert backend._session.get_session_options().intra_op_num_threads == expected


@pytest.mark.parametrize(("variable", "threads", "place"), [("9", 0, "OMP_NUM_THREADS"), ("1", 9, "threads")])
def test_more_than_four_threads_for_a_core_are_refused(monkeypatch, variable, threads, place):
    monkeypatch.setenv("OMP_NUM_THREADS", variable)
    monkeypatch.setattr(os, "cpu_count", lambda: 3)
    assert thread_count(threads) == 9
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    with pytest.raises(AsrPunctError) as refused:
        thread_count(threads)
    error = refused.value
    assert (error.place, error.found, error.expected) == (place, "9", "at most 8, 4 for each core")


# Input with marks and capitals


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("<unk>", "<unk>"),  # brackets are marks on both sides
        ("[noise]", "[noise]"),
        ("ana@x.es", "¿ana@x.es,"),
        ("https://x.es", "¿https://x.es,"),
        ("www.x.es,", "¿www.x.es,"),
        ("«iso", "«ISO,"),
        ("ISO", "¿ISO,"),
        ("y", "¿Y,"),
        ("-", "-"),
    ],
)
def test_marks_and_capitals_are_added_where_the_input_has_none(model, word, expected):
    (token,) = TokenReader(load_tokenizer(model, read_info(model)), "es").read([Word(word)])
    predicted = Labels(frozenset({Mark.OPEN_QUES, Mark.COMMA}), Case.ALL_CAPS)
    labels = token.merge_labels(predicted, True) if token.core else token.labels
    assert write_word(word, labels, glyphs("es")) == expected
    assert token.labels == Labels()


def test_labels_of_the_input_are_kept(punctuator):
    colon = Labels(frozenset({Mark.COLON}), Case.ALL_CAPS)
    given_labels = utterance("ana mira la casa", labels=(colon, None, None, None))
    for restored in (*punctuator.restore([given_labels]), *punctuator.restore_streaming([given_labels])):
        assert (restored.labels[0], restored.labels[-1].marks) == (colon, {Mark.PERIOD})


def test_the_given_case_of_an_address_is_written(punctuator):
    given_labels = (Labels(case=Case.FIRST_CAP), Labels(case=Case.ALL_CAPS))
    (result,) = punctuator.restore([utterance("info@x.es <unk>", labels=given_labels)])
    words = zip(result.words, result.labels, strict=True)
    written = [write_word(word.text, replace(label, marks=frozenset()), punctuator.glyphs) for word, label in words]
    assert written == ["Info@x.es", "<UNK>"]


# Sounds

SOUNDS = ["[ruido]", "<unk>", "(risas)", "[BLANK_AUDIO]", "♪"]


@pytest.mark.parametrize("sound", SOUNDS)
def test_sounds_are_passed_over(punctuator, sound):
    text = f"{sound} ana mira la casa {sound} {sound} dónde está la mesa {sound}"
    expected = f"{sound} Ana, mira la casa. {sound} {sound} ¿Dónde está la mesa? {sound}"
    assert punctuator(text) == expected
    assert punctuator(text.replace(" ", "\n")) == expected.replace(" ", "\n")
    for streaming in (punctuator.restore_streaming([utterance(text)]), punctuator.restore_streaming(lines(text))):
        assert " ".join(map(punctuator.write, streaming)) == expected


def lines(text):
    return [utterance(word) for word in text.split()]


def test_marks_of_sounds_and_beside_them_count_for_the_word_before(punctuator):
    assert punctuator("ana [risas]. mira la casa") == "Ana [risas]. mira la casa."
    assert punctuator("ana [risas] . mira la casa") == "Ana [risas] . mira la casa."


def pauses_of(punctuator, utterances):
    return [token.pause for part in punctuator.predict(utterances) for token in part.tokens]


def test_a_sound_is_part_of_the_pause_between_the_words_beside_it(punctuator):
    """In hundredths of a second, whether the sound is inside an utterance, at its edges or alone."""
    words = Word("ana", 0.0, 0.5), Word("[risas]", 0.7, 1.5), Word("♪", 1.5, 2.0), Word("mira", 2.1, 2.4)
    divided = (words,), (words[:1], words[1:]), (words[:3], words[3:]), [[word] for word in words]
    for parts in divided:
        utterances = [Utterance(tuple(part), document="d", recording="r", time_source="asr") for part in parts]
        assert pauses_of(punctuator, utterances) == [160, 1000]
    given = utterance("ana [risas] mira", pauses=(0.2, 0.3, None)), utterance("ana [risas] mira", pauses=(0.2, None, 1))
    assert pauses_of(punctuator, given) == [50, 1000, 1000, 100]
    assert pauses_of(punctuator, [utterance("ana [risas] mira", pauses=(9.0, 9.0, 0.1))]) == [999, 10]


def test_a_tuning_corpus_may_have_sounds(punctuator, tmp_path):
    rows = "ana\tCOMMA\t-\tFIRST_CAP\n[risas]\tO\t-\tO\nmira\tPERIOD\t-\tO\n"
    (tmp_path / "dev.tsv").write_text(rows)
    dev = read_dev_set(punctuator, tmp_path / "dev.tsv")
    assert dev.true_cases.tolist() == [1, 0]


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
    queries = ["ana mira la casa dónde está la ley " * 3] * 3
    expected = [" ".join(["Ana, mira la casa. ¿Dónde está la ley?"] * 3)] * 3
    assert punctuator.add_punctuation_capitalization(queries) == expected
    found = punctuator.add_punctuation_capitalization(queries, batch_size=2, max_seq_length=20, step=8, margin=99)
    assert [text.lower().split()[-1] for text in found] == ["ley?"] * 3
    assert punctuator.add_punctuation_capitalization(queries) == expected
    queries = ["ana mira la casa", "", "dónde está la ley"]
    found = punctuator.add_punctuation_capitalization(queries, return_labels=True, dataloader_kwargs={})
    assert found == [",U OO OO .O", "", "OU OO OO ?O"]


@pytest.mark.parametrize(
    ("queries", "options", "message"),
    [
        (["hola"], {"batch_size": 0}, "batch_size: found 0, expected"),
        (["hola"], {"max_seq_length": "x"}, "max_seq_length: found 'x', expected"),
        (["hola"], {"step": 0}, "step: found 0, expected"),
        ("hola", {}, "queries: found 'hola', expected a list of strings"),
        (["hola", None], {}, "queries: found None, expected a list of strings"),
    ],
)
def test_wrong_arguments_of_the_call_of_nemo_are_refused(punctuator, queries, options, message):
    with pytest.raises(AsrPunctError, match=message):
        punctuator.add_punctuation_capitalization(queries, **options)


def test_marks_that_are_not_allowed_are_not_added(model):
    with pytest.raises(AsrPunctError, match=r"^marks: found the string 'QUESTION', expected a list of names"):
        Punctuator.from_pretrained(model, marks="QUESTION")
    chosen = Punctuator.from_pretrained(model, marks={Mark.QUESTION}, case=False)
    assert chosen("ana mira la casa dónde está la mesa") == "ana mira la casa ¿dónde está la mesa?"


def test_a_model_without_a_graph_needs_torch_on_the_cpu_too(model, monkeypatch):
    info = read_info(model)
    weights = replace(info, files={name: info.files[name] for name in (WEIGHTS, TOKENIZER)})
    monkeypatch.delitem(sys.modules, "asr_punct.model.torch_backend", raising=False)
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


def test_the_number_of_waiting_utterances_is_bounded(punctuator):
    read = 0

    def counted():
        nonlocal read
        for _ in range(3000):
            read += 1
            yield utterance("ana mira la casa dónde está la ley")

    waiting = [read - done for done, _ in enumerate(punctuator.restore(counted()), start=1)]
    assert max(waiting) < 600  # 8,192 tokens are sorted together


def test_denormal_floats_still_work_after_a_run(punctuator):
    punctuator("ana mira la casa")
    assert np.float64(5e-324) / 1 > 0


# Where models are found


def test_a_hub_name_is_downloaded(model, monkeypatch):
    import huggingface_hub

    asked = []
    monkeypatch.setattr(hub, "reach_hub", lambda: True)
    monkeypatch.setattr(huggingface_hub, "snapshot_download", lambda name, **_: asked.append(name) or str(model))
    assert Punctuator.from_pretrained("someone/es")("ana mira la casa") == "Ana, mira la casa."
    assert asked == ["someone/es"]


def test_inference_needs_no_torch(model):
    script = f"""
import sys
from asr_punct import Punctuator, hub
Punctuator.from_pretrained({str(model)!r})("ana mira la casa")
print(sorted({{name.split(".")[0] for name in sys.modules}} & {{"torch", "transformers", "lightning", "omegaconf"}}))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


ENGLISH = "The neighbours of the house on the hill were there with the children"


@pytest.mark.parametrize(
    ("name", "text", "language", "given", "expected"),
    [
        ("es-eu", "Etab. Mr.", "", None, "etab. mr"),
        ("es-eu", "Etab. Mr.", "en", None, "etab mr."),
        ("es-eu", "Etab. Mr.", "es", "en", "etab mr."),
        ("auto", f"Etab. Mr. {ENGLISH}", "", None, f"etab mr. {ENGLISH.lower()}"),
    ],
)
def test_labels_are_removed_by_the_rules_of_the_language(name, text, language, given, expected):
    opened = Punctuator.from_pretrained(name, language=given)
    (bare,) = opened.without_marks([Utterance(tuple(map(Word, text.split())), language=language)])
    assert " ".join(word.text for word in bare.words) == expected
