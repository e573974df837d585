"""`Punctuator`: strings, utterances, marks of the input, and where models are found."""

import multiprocessing
import os
import pickle
import subprocess
import sys
from dataclasses import replace

import numpy as np
import onnxruntime
import pytest

from asr_punct import Punctuator, hub
from asr_punct.checkpoint import TOKENIZER, WEIGHTS, load_tokenizer, read_info
from asr_punct.errors import ArgumentError, AsrPunctError, MissingExtraError
from asr_punct.glyphs import glyphs, write_word
from asr_punct.inference.backend import open_backend, thread_count
from asr_punct.inference.options import OutputOptions
from asr_punct.inference.restorer import Restorer
from asr_punct.inference.token_reader import TokenReader
from asr_punct.inference.tune import read_dev_set
from asr_punct.marks import MARKS, Case, Labels, Mark
from asr_punct.words import Utterance, Word, annotate, utterances_of_text

TEXT = "ana mira la casa dónde está la ley"


def utterance(text, recording="r", **columns):
    return annotate(Utterance(tuple(map(Word, text.split())), recording=recording), **columns)


# Threads


@pytest.mark.parametrize(
    ("variable", "threads", "cores", "expected"),
    [
        *(("3", 0, 1, 3), ("2,1", 0, 1, 2), ("3", 4, 1, 4), ("all", 0, 1, 1), ("", 0, 2, 2), ("0", 0, 1, 1)),
        *(("64", 0, 64, 64), ("", 0, 64, 0)),  # with all cores onnxruntime chooses: one for each physical core
    ],
)
def test_threads_follow_the_variable_of_openmp(model, monkeypatch, variable, threads, cores, expected):
    """Without it there is one thread for each core that the process may use, of 64."""
    opened = []
    monkeypatch.setenv("OMP_NUM_THREADS", variable)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(cores)), raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 64)
    session = onnxruntime.InferenceSession
    monkeypatch.setattr(onnxruntime, "InferenceSession", lambda *a, **b: opened.append(a[1]) or session(*a, **b))
    open_backend(model, read_info(model), threads=threads)
    assert [options.intra_op_num_threads for options in opened] == [expected]
    assert thread_count(threads) == (expected or cores)


@pytest.mark.parametrize(("variable", "threads", "place"), [("9", 0, "OMP_NUM_THREADS"), ("1", 9, "threads")])
def test_more_than_four_threads_for_a_core_are_refused(monkeypatch, variable, threads, place):
    monkeypatch.setenv("OMP_NUM_THREADS", variable)
    monkeypatch.setattr(os, "cpu_count", lambda: 3)
    assert thread_count(threads) == 9
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    with pytest.raises(ArgumentError) as error:
        thread_count(threads)
    assert (error.value.place, error.value.found) == (place, "9")
    assert error.value.expected == "at most 8, 4 for each core"


# Other processes


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_pool_of_processes_opens_the_model_again(model, method):
    texts = ["ana mira la casa dónde está la mesa"] * 9
    expected = ["Ana MiRa la casa ¿Dónde está la mesa?"] * 9
    opened = Punctuator.from_pretrained(model, threads=2, marks={Mark.QUESTION}, casing=iter(["MiRa"]))
    assert pickle.loads(pickle.dumps(opened))(texts[0]) == expected[0]
    with multiprocessing.get_context(method).Pool(2) as pool:
        for punctuator in (opened, opened.with_windows(batch_size=1, max_tokens=12).with_windows(margin=0)):
            assert pool.map(punctuator, texts) == expected == list(map(punctuator, texts))


def test_the_windows_go_with_a_punctuator(model):
    changed = Punctuator.from_pretrained(model, threads=1).with_windows(batch_size=1, max_tokens=12)
    text = [utterance("ana mira la casa dónde está la mesa " * 9)]
    sizes = [
        [len(part.tokens) for part in each.predict(text)] for each in (changed, pickle.loads(pickle.dumps(changed)))
    ]
    assert sizes[0] == sizes[1] != [72]


def test_each_language_has_its_model_in_another_process():
    again = pickle.loads(pickle.dumps(Punctuator.from_pretrained(threads=1, case=False)))
    assert again("buenos días a todos cómo están ustedes") == "buenos días a todos. ¿cómo están ustedes?"
    assert again("what do you think about the new house").endswith("house?")


def test_a_punctuator_made_of_parts_stays_in_its_process(model):
    with pytest.raises(ArgumentError) as error:
        pickle.dumps(Punctuator(Restorer.open(model)).with_windows(margin=1))
    assert error.value.place == "punctuator"


# Input with marks and capitals


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("<unk>", "<unk>"),  # a sound
        ("[noise]", "[noise]"),
        ("ana@x.es", "¿ana@x.es,"),
        ("https://x.es", "¿https://x.es,"),
        ("www.x.es,", "¿www.x.es,"),
        ("«iso", "¿«ISO,"),
        (",iso", ",¿ISO,"),
        ("-iso", "-¿ISO,"),
        ("-5", "¿-5,"),
        ("¿iso?", "¿ISO?"),
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
    (restored,) = punctuator.restore([given_labels])
    for labels in (restored.labels, [item.labels for item in streamed(punctuator, given_labels)]):
        assert (labels[0], labels[-1].marks) == (colon, {Mark.PERIOD})


def streamed(punctuator, *utterances):
    stream = punctuator.stream(patience=0)
    return [item for each in utterances for word in each.words for item in stream.push(word)] + stream.flush()


def test_the_given_case_of_an_address_is_written(punctuator):
    given_labels = (Labels(case=Case.FIRST_CAP), Labels(case=Case.ALL_CAPS))
    (result,) = punctuator.restore([utterance("info@x.es <unk>", labels=given_labels)])
    words = zip(result.words, result.labels, strict=True)
    written = [write_word(word.text, replace(label, marks=frozenset()), punctuator.glyphs) for word, label in words]
    assert written == ["Info@x.es", "<UNK>"]


# Sounds

SOUNDS = ["[ruido]", "<unk>", "(risas)", "[BLANK_AUDIO]", "♪♪"]


@pytest.mark.parametrize("sound", SOUNDS)
def test_sounds_are_passed_over(punctuator, sound):
    text = f"{sound} ana mira la casa {sound} {sound} dónde está la mesa {sound}"
    expected = f"{sound} Ana, mira la casa. {sound} {sound} ¿Dónde está la mesa? {sound}"
    assert punctuator(text) == expected
    assert punctuator(text.replace(" ", "\n")) == expected.replace(" ", "\n")
    assert " ".join(item.written for item in streamed(punctuator, utterance(text))) == expected


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


def test_a_tuning_corpus_may_have_sounds(model, tmp_path):
    rows = "ana\tCOMMA\t-\tFIRST_CAP\n[risas]\tO\t-\tO\nmira\tPERIOD\t-\tO\n"
    (tmp_path / "dev.tsv").write_text(rows)
    dev = read_dev_set(Restorer.open(model), tmp_path / "dev.tsv")
    assert dev.true_cases.tolist() == [1, 0]
    assert [[MARKS[i] for i in np.flatnonzero(row)] for row in dev.true_marks] == [[Mark.COMMA], [Mark.PERIOD]]


# Strings


def test_strings(punctuator):
    assert punctuator("ana mira la casa dónde está la mesa") == "Ana, mira la casa. ¿Dónde está la mesa?"
    assert punctuator("") == ""
    assert punctuator("ana mira la casa\n\ndónde está la ley\n").count("\n") == 3


@pytest.mark.parametrize("value", [None, ["ana mira"], b"ana"])
def test_other_arguments_than_strings_are_refused(punctuator, value):
    with pytest.raises(ArgumentError) as error:
        punctuator(value)
    assert (error.value.place, error.value.found) == ("text", type(value).__name__)


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
    ("queries", "options", "place", "found"),
    [
        (["hola"], {"batch_size": 0}, "batch_size", "0"),
        (["hola"], {"max_seq_length": "x"}, "max_seq_length", "'x'"),
        (["hola"], {"step": 0}, "step", "0"),
        ("hola", {}, "queries", "'hola'"),
        (["hola", None], {}, "queries", "None"),
    ],
)
def test_wrong_arguments_of_the_call_of_nemo_are_refused(punctuator, queries, options, place, found):
    with pytest.raises(ArgumentError) as error:
        punctuator.add_punctuation_capitalization(queries, **options)
    assert (error.value.place, error.value.found) == (place, found)


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
        with pytest.raises(MissingExtraError, match="a model without a graph: found no package torch"):
            open_backend(model, weights, device)
    with pytest.raises(MissingExtraError, match="device cuda: found no package torch"):
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


@pytest.mark.parametrize("channels", ["", "AB"])
def test_a_long_utterance_is_restored_in_steps(punctuator, channels):
    first, *others = (utterance("ana mira la casa " * count, f"r{count}") for count in (3000, 1))
    given = [replace(first, channel=channels[:1]), *others, *(replace(first, channel=name) for name in channels[1:])]
    steps = list(punctuator.steps(given))
    assert [each for each in steps if each] == list(punctuator.restore(given))
    assert steps.index(None) < steps.count(None) // 2
    assert steps[:3] == [None] * 3


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


# What may be added


def test_a_sensitivity_moves_all_marks(model, punctuator):
    text = "ana mira la casa dónde está la ley " * 20
    (given,) = utterances_of_text(text)

    def marks(options):
        (restored,) = punctuator.with_output(options).restore([given])
        return [label.marks for label in restored.labels]

    none, few, usual, many = (sum(map(len, marks(OutputOptions(sensitivity=value)))) for value in (-10, -3, 0, 3))
    assert none <= few <= usual <= many
    assert none < usual
    opened = Punctuator.from_pretrained(model, sensitivity=3)
    assert opened(text) == punctuator.with_output(OutputOptions(sensitivity=3))(text)
    assert punctuator.with_output(OutputOptions())(text) == punctuator(text)


def test_output_is_narrowed_never_widened(model):
    narrow = Punctuator.from_pretrained(model, marks=["COMMA"], case=False, casing=["caSa"])
    assert narrow.with_output(OutputOptions(marks=frozenset({Mark.PERIOD, Mark.COMMA})))(TEXT) == narrow(TEXT)
    full = Punctuator.from_pretrained(model, casing=["caSa"])
    changed = full.with_output(OutputOptions(marks=frozenset({Mark.COMMA}), casing=("laLey",)))
    assert "caSa" in changed("ana mira la casa")
    assert changed("laley") == "laLey"
    assert full.with_output(OutputOptions(case=False))("casa") == "casa"
    assert pickle.loads(pickle.dumps(changed))(TEXT) == changed(TEXT)
