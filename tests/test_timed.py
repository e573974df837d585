"""Corpora from timed words, pauses refined on recordings, and alignment of files and data directories."""

from dataclasses import replace

import numpy as np
import pytest
from dummies import bare_words, file, grid_of, refused

from asr_punct import formats
from asr_punct.audio import read_samples, write_samples
from asr_punct.corpora.timed import TimedCorpus
from asr_punct.errors import ArgumentError, AsrPunctError, InputError
from asr_punct.marks import Case, Labels, Mark
from asr_punct.recordings import recording_table, single_recording, with_pauses_from_audio
from asr_punct.words import Utterance, Word

pytest.importorskip("soundfile")
RATE = 16000
GRID = (
    'File type = "ooTextFile short"\n"TextGrid"\n\n0\n1\n<exists>\n1\n"IntervalTier"\n"words"\n0\n1\n1\n0\n1\n"hola"\n'
)


def recording(path, spans, length):
    """Noise in the spans (seconds), near silence between them."""
    rng = np.random.default_rng(0)
    samples = rng.normal(0, 1e-4, round(length * RATE))
    for start, end in spans:
        samples[round(start * RATE) : round(end * RATE)] += rng.normal(0, 0.1, round((end - start) * RATE))
    write_samples(path, samples.astype(np.float32), RATE)
    return path


def rows(tmp_path, *lines):
    (tmp_path / "ctm").write_text("".join(f"{line}\n" for line in lines))
    return tmp_path / "ctm"


def data_dir(tmp_path, **tables):
    directory = tmp_path / "data"
    directory.mkdir()
    for name, lines in tables.items():
        (directory / name.replace("_", ".")).write_text("".join(f"{line}\n" for line in lines))
    return directory


def utterance(*words, **fields):
    return Utterance(tuple(Word(*word) for word in words), id="a", recording="a", time_source="asr", **fields)


@pytest.mark.parametrize(
    ("words", "pauses"),
    [
        ([("hola", 0.2, 0.95), ("mundo", 1.05, 1.8)], (0.4, None)),  # 0.1 s by the recogniser's times
        ([("a", 0.0, 0.5), ("b",), ("c", 1.0, 1.5)], (None, None, None)),
    ],
)
def test_pauses_are_refined_and_times_stay(tmp_path, words, pauses):
    audio = recording(tmp_path / "a.wav", [(0.2, 0.8), (1.2, 1.8)], 2.0)
    (result,) = with_pauses_from_audio([utterance(*words)], single_recording(audio))
    assert bare_words(result) == tuple(Word(*word) for word in words)
    assert result.pauses == tuple(pause and pytest.approx(pause, abs=0.03) for pause in pauses)


def test_channels_are_refined_on_their_own_audio(tmp_path):
    left = recording(tmp_path / "1.wav", [(0.2, 0.8), (1.2, 1.8)], 2.0)
    right = recording(tmp_path / "2.wav", [(0.2, 0.95), (1.4, 1.8)], 2.0)
    samples = np.stack([read_samples(left), read_samples(right)], axis=1)
    write_samples(tmp_path / "both.wav", samples, RATE)
    call = [utterance(("hola", 0.2, 0.95), ("mundo", 1.05, 1.8), channel=name) for name in "12"]
    together = with_pauses_from_audio(call, single_recording(tmp_path / "both.wav"))
    alone = [next(with_pauses_from_audio([u], single_recording(p))) for u, p in zip(call, (left, right), strict=True)]
    assert list(together) == alone
    assert alone[0].pauses != alone[1].pauses


def test_a_command_writes_the_audio_of_a_recording_once(tmp_path):
    sound, log = recording(tmp_path / "a.wav", [(0.2, 0.8), (1.2, 1.8)], 2.0), tmp_path / "log"
    table = {"a": f"echo run >>'{log}'; cat '{sound}' |", "b": "false |"}
    audio_of = recording_table(table, "wav.scp")
    words = utterance(("hola", 0.2, 0.95), ("mundo", 1.05, 1.8))
    piped = list(with_pauses_from_audio([words, words], audio_of))
    assert piped == list(with_pauses_from_audio([words, words], single_recording(sound)))
    assert log.read_text() == "run\n"
    with refused("wav.scp: recording 'b'", "status 1 of 'false |'"):
        list(with_pauses_from_audio([replace(words, recording="b")], audio_of))


def test_words_that_cannot_be_refined(tmp_path):
    audio = recording(tmp_path / "a.wav", [(0.2, 0.8)], 2.0)
    two = [utterance(("hola", 0.2, 0.8)), replace(utterance(("hola", 0.2, 0.8)), recording="b")]
    for audio_of, error in (
        (single_recording(audio), r"a\.wav: found recordings 'a' and 'b', expected words of one recording"),
        (recording_table({"a": str(audio)}, "wav.scp"), r"wav\.scp: found no recording 'b'"),
    ):
        assert list(with_pauses_from_audio([utterance(("hola", 0.2, 2.4))], audio_of))
        with pytest.raises(InputError, match=r"a\.wav: found 2\.00 s of audio, and a word of 'a' ends at 3\.10"):
            list(with_pauses_from_audio([utterance(("hola", 0.2, 3.1))], audio_of))
        with pytest.raises(InputError, match="utterance 'a': found words without times, expected times"):
            list(with_pauses_from_audio([utterance(("hola",))], audio_of))
        with pytest.raises(InputError, match=error):
            list(with_pauses_from_audio(two, audio_of))


def test_labels_are_those_of_the_text_in_the_data_directory(tmp_path):
    tables = {"text": ["u-1 Hola, Ana.", "u-2 ¿Qué tal?"], "segments": ["u-1 r 0 1.6", "u-2 r 1.9 3"]}
    directory = data_dir(tmp_path, utt2doc=["u-1 d", "u-2 d"], **tables)
    source = rows(tmp_path, "u-1 1 0.0 0.5 hola", "u-1 1 0.6 0.4 eh", "u-1 1 1.0 0.5 ana", "u-2 1 2 0.5 qué")
    corpus = TimedCorpus("es", "ctc", None, directory)
    first, second = corpus.read(source)
    assert (first.document, first.recording, first.time_source) == ("d", "r", "ctc")
    comma, period = Labels(frozenset({Mark.COMMA}), Case.FIRST_CAP), Labels(frozenset({Mark.PERIOD}), Case.FIRST_CAP)
    assert first.labels == (comma, Labels(), period)
    assert first.pauses == (0.1, 0.0, 0.5)
    assert second.labels[0].marks == {Mark.OPEN_QUES, Mark.QUESTION}
    assert corpus.summary() == [
        "4 pauses, of which 1 unknown and 0 set to 0 because the words overlap",
        "marks of unrecognised words: 1 moved to a neighbour, 0 lost",
    ]


def test_tiers_can_be_named(tmp_path):
    path = file(tmp_path, "r.TextGrid", "".join(grid_of(a=["hola ana"], b=["adiós"]).lines()))
    assert [
        word.text for each in TimedCorpus("es", None, None, None).read(path, tiers=["b"]) for word in each.words
    ] == ["adiós"]


def test_the_order_is_that_of_the_data_directory(tmp_path):
    names = ["r_1", "r_2", "r_3", "r_10"]
    directory = data_dir(
        tmp_path,
        text=[f"{name} Hola." for name in sorted(names)],
        segments=[f"{name} r {i} {i + 1}" for i, name in enumerate(names)],
        utt2doc=[f"{name} d" for name in names],
    )
    corpus = TimedCorpus("es", None, None, directory)
    found = list(corpus.read(rows(tmp_path, "r_1 1 0 0.5 hola", "r_10 1 3.1 0.5 hola", "r_2 1 1.1 0.5 hola")))
    assert [(value.id, *value.pauses) for value in found] == [("r_1", 0.6), ("r_2", 1.5), ("r_10", None)]
    assert corpus.summary()[0] == "1 utterance without words"


@pytest.mark.parametrize(
    ("row", "error"),
    [
        ("u-9 1 0 1 hola", "no utterance 'u-9', expected names of utterances"),
        ("r 1 60 1 hola", "no utterance 'r', expected names of utterances"),
        ("u-1 1 0.5 1 hola", r"found a word at 0\.5 s, expected words in its segment from 60\.0 to"),
    ],
)
def test_words_that_do_not_fit_the_data_directory(tmp_path, row, error):
    directory = data_dir(tmp_path, text=["u-1 Hola."], segments=["u-1 r 60 62"])
    with pytest.raises(InputError, match=error):
        list(TimedCorpus("es", "asr", None, directory).read(rows(tmp_path, row)))


def test_pauses_are_counted_once_with_audio(tmp_path):
    audio = recording(tmp_path / "a.wav", [(0.2, 0.8)], 2.0)
    corpora = [TimedCorpus("es", "asr", each, None) for each in (None, audio)]
    for corpus in corpora:
        list(corpus.read(rows(tmp_path, "a 1 0.2 0.6 hola")))
    assert corpora[0].summary() == corpora[1].summary()


def test_the_time_source(tmp_path):
    (tmp_path / "a.TextGrid").write_text(GRID)
    missing = tmp_path / "missing.wav"
    for times, expected in ((None, "aligner"), ("whisper", "whisper")):
        (found,) = TimedCorpus("es", times, None, None).read(tmp_path / "a.TextGrid")
        assert found.time_source == expected
    (found,) = TimedCorpus("es", None, missing, None).read(tmp_path / "a.TextGrid")  # nothing to refine
    assert found.pauses == (None,)
    with pytest.raises(AsrPunctError, match=r"missing\.wav"):
        list(TimedCorpus("es", "asr", missing, None).read(tmp_path / "a.TextGrid"))
    with pytest.raises(ArgumentError) as raised:
        TimedCorpus("es", "guess", None, None)
    assert (raised.value.place, raised.value.found) == ("times", "'guess'")


def test_a_file_is_aligned(tmp_path, run):
    pytest.importorskip("espeakng_loader")
    pytest.importorskip("librosa")
    from asr_punct.align.espeak import synthesise

    spoken = synthesise("buenos días a todos", "es+m3", words_per_minute=150)
    write_samples(tmp_path / "una frase.wav", spoken.samples, spoken.rate)
    (tmp_path / "a.txt").write_text("Buenos días\na todos.\n")
    assert (
        run("align", tmp_path / "una frase.wav", tmp_path / "a.txt", "--lang", "es", "-o", tmp_path / "a.ctm")[0] == 0
    )
    (found,) = formats.read(tmp_path / "a.ctm")
    assert (found.id, [word.text for word in found.words]) == ("una_frase", ["buenos", "días", "a", "todos"])
    starts = [word.start for word in spoken.words]
    assert [word.start for word in found.words] == pytest.approx(starts, abs=0.06)
    for name in ("b.json", "b.TextGrid.gz", "b", "ctm.1"):
        assert run("align", tmp_path / "una frase.wav", tmp_path / "a.txt", "-o", tmp_path / name)[0] == 0
        (other,) = formats.read(tmp_path / name, "ctm" if name in ("b", "ctm.1") else None)
        assert [word.text for word in other.words] == [word.text for word in found.words]


SPOKEN = "la presidenta leyó ayer las enmiendas y nadie preguntó cuánto costaría el puente nuevo de la ciudad"
HALF = "la mariposa leyó bien los caballos y jamás preguntó dónde viviría mi gato feo de la playa"
OTHER = "mañana por la tarde iremos al monte si deja de llover y vuelven pronto los niños"


@pytest.fixture(scope="module")
def speech(tmp_path_factory):
    """A recording of `SPOKEN` in another voice than that of the aligner, with a little noise."""
    pytest.importorskip("espeakng_loader")
    pytest.importorskip("librosa")
    from asr_punct.align.espeak import synthesise

    spoken = synthesise(SPOKEN, "es+m7", words_per_minute=150)
    noise = np.random.default_rng(0).normal(0, 2e-3, len(spoken.samples))
    write_samples(
        path := tmp_path_factory.mktemp("speech") / "a.wav", (spoken.samples + noise).astype(np.float32), spoken.rate
    )
    return path


def test_the_words_of_a_data_directory_are_written_into_it_twice(tmp_path, run, speech, caplog):
    wavs = [f"a {speech}", f"b cat '{speech}' |", f"c {speech}"]
    directory = data_dir(tmp_path, text=[f"a {SPOKEN}", f"b {OTHER}", f"c {HALF}"], wav_scp=wavs)
    for _ in range(2):
        caplog.clear()
        assert run("align", "--data-dir", directory, "-o", directory / "ctm", "--fit", tmp_path / "fit")[0] == 0
        (warning,) = caplog.messages
        assert "2 of 3 utterances (first: 'b', fit " in warning
    fits = dict(line.split() for line in (tmp_path / "fit").read_text().splitlines())
    assert float(fits["a"]) > 0.08 > 0.058 > float(fits["c"]) > float(fits["b"])


@pytest.mark.parametrize(
    ("samples", "text", "found"),
    [
        (None, OTHER, "words that fit no better than others"),
        (np.zeros(3 * RATE), SPOKEN, "no speech"),
        (0.3 * np.sin(np.arange(3 * RATE) / 5), SPOKEN, "no speech"),
        (np.random.default_rng(0).normal(0, 0.1, RATE // 20), SPOKEN, "17 words and 0.05 s of audio"),
    ],
)
def test_words_that_cannot_be_those_of_the_audio_are_refused(tmp_path, run, speech, samples, text, found):
    if samples is not None:
        write_samples(speech := tmp_path / "a.wav", samples.astype(np.float32), RATE)
    (tmp_path / "a.txt").write_text(text)
    directory = data_dir(tmp_path, text=[f"u {text}"], wav_scp=[f"u {speech}"])
    for call in ((speech, tmp_path / "a.txt"), ("--data-dir", directory)):
        status, _, err = run("align", *call, "-o", tmp_path / "a.ctm")
        assert (status, len(err.splitlines())) == (2, 1)
        assert found in err
        assert samples is None or "utterance 'u'" in err or call[0] == speech
        assert not (tmp_path / "a.ctm").exists()


@pytest.mark.parametrize("silence", [1.5, 6.0])
def test_one_word_in_a_long_silence_fits(tmp_path, run, silence):
    pytest.importorskip("espeakng_loader")
    pytest.importorskip("librosa")
    from asr_punct.align.espeak import synthesise

    spoken = synthesise("no", "es+m7", words_per_minute=150)
    samples = np.pad(spoken.samples, round(silence * spoken.rate))
    samples += np.random.default_rng(0).normal(0, 2e-3, len(samples)).astype(np.float32)
    write_samples(tmp_path / "a.wav", samples, spoken.rate)
    (tmp_path / "a.txt").write_text("no")
    call = ("align", tmp_path / "a.wav", tmp_path / "a.txt", "--lang", "es", "-o", tmp_path / "a.ctm")
    assert run(*call, "--fit", tmp_path / "fit")[0] == 0
    assert float((tmp_path / "fit").read_text().split()[1]) > 0.1


def test_the_language_of_a_transcript_is_identified():
    from asr_punct.align.methods import identify_language

    assert identify_language(SPOKEN.split()) == "es"
    assert identify_language(["so", "ask", "what", "you", "can", "do", "for", "your", "country"]) == "en"
    with pytest.raises(ArgumentError) as raised:
        identify_language(["no"])
    assert raised.value.place == "language"
