from dataclasses import replace

import numpy as np
import pytest
from dummies import bare_words

from asr_punct.align.files import align_data_dir, align_file
from asr_punct.align.methods import DtwAligner
from asr_punct.audio import recording_table, single_recording, write
from asr_punct.corpora.timed import TimedCorpus
from asr_punct.errors import AsrPunctError, InputError
from asr_punct.formats import read_utterances, write_utterances
from asr_punct.formats.kaldi import read_wav_scp
from asr_punct.marks import Case, Labels, Mark, glyphs
from asr_punct.pauses import refined
from asr_punct.words import Utterance, Word

pytest.importorskip("soundfile")
RATE = 16000


def recording(path, spans, length):
    """Noise in the spans (seconds), near silence between them."""
    rng = np.random.default_rng(0)
    samples = rng.normal(0, 1e-4, round(length * RATE))
    for start, end in spans:
        samples[round(start * RATE) : round(end * RATE)] += rng.normal(0, 0.1, round((end - start) * RATE))
    write(path, samples.astype(np.float32), RATE)
    return path


def rows(tmp_path, *lines):
    path = tmp_path / "ctm"
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def data_dir(tmp_path, **tables):
    directory = tmp_path / "data"
    directory.mkdir()
    for name, lines in tables.items():
        (directory / name.replace("_", ".")).write_text("".join(f"{line}\n" for line in lines))
    return directory


def test_pauses_are_refined_on_the_audio_and_times_stay(tmp_path):
    """The recogniser says that the gap is 0.10 s; the recording is silent for 0.40 s."""
    audio = recording(tmp_path / "a.wav", [(0.2, 0.8), (1.2, 1.8)], 2.0)
    words = (Word("hola", 0.2, 0.95), Word("mundo", 1.05, 1.8))
    original = Utterance(words, id="a", recording="a", time_source="asr")
    (result,) = refined([original], single_recording(audio))
    assert bare_words(result) == words
    assert result.pauses[0] == pytest.approx(0.4, abs=0.03)
    assert result.pauses[1] is None


def test_words_without_times_cannot_be_refined(tmp_path):
    with pytest.raises(InputError, match="words without times, expected times"):
        list(refined([Utterance((Word("hola"),), id="a")], single_recording(tmp_path / "a.wav")))


def test_words_after_the_end_of_the_audio_are_told(tmp_path):
    """Rounding may put a word's end half a second after the audio's; more is another recording."""
    audio = recording(tmp_path / "a.wav", [(0.2, 0.8)], 2.0)
    table = tmp_path / "wav.scp"
    table.write_text(f"a {audio}\n")
    for audio_of in (single_recording(audio), recording_table(read_wav_scp(table), table)):
        rounded = Utterance((Word("hola", 0.2, 2.4),), id="a", recording="a", time_source="asr")
        assert list(refined([rounded], audio_of))
        beyond = replace(rounded, words=(Word("hola", 0.2, 3.1), Word("eh", 0.3, 0.4)))
        with pytest.raises(InputError, match=r"a\.wav: found 2\.00 s of audio, and a word of 'a' ends at 3\.10"):
            list(refined([rounded, beyond], audio_of))


def test_one_audio_file_holds_one_recording(tmp_path):
    audio = recording(tmp_path / "a.wav", [(0.2, 0.8)], 2.0)
    first = Utterance((Word("hola", 0.2, 0.8),), id="u1", recording="r", time_source="asr")
    audio_of = single_recording(audio)
    assert len(list(refined([first, replace(first, id="u2", channel="2")], audio_of))) == 2
    with pytest.raises(InputError, match=r"a\.wav: found recordings 'r' and 's', expected words of one recording"):
        list(refined([first, replace(first, recording="s")], audio_of))
    source = rows(tmp_path, "r 1 0.2 0.4 hola", "s 1 0.2 0.4 hola")
    corpus = TimedCorpus("es", None, audio, None)
    with pytest.raises(InputError, match="found recordings"):
        list(corpus.read(source))
    for name in "rs":
        assert len(list(corpus.read(rows(tmp_path, f"{name} 1 0.2 0.4 hola")))) == 1


def test_wav_scp_names_the_audio_of_a_recording(tmp_path):
    table = tmp_path / "wav.scp"
    table.write_text("a /x/a.wav\n")
    find = recording_table(read_wav_scp(table), table)
    assert str(find(Utterance((), recording="a"))) == "/x/a.wav"
    with pytest.raises(InputError, match="no recording 'b'"):
        find(Utterance((), recording="b"))


def test_labels_come_from_the_text_of_the_data_directory(tmp_path):
    tables = {"text": ["u-1 Hola, Ana.", "u-2 ¿Qué tal?"], "segments": ["u-1 r 0 1.6", "u-2 r 1.9 3"]}
    directory = data_dir(tmp_path, utt2doc=["u-1 d", "u-2 d"], **tables)
    source = rows(tmp_path, "u-1 1 0.0 0.5 hola", "u-1 1 0.6 0.4 eh", "u-1 1 1.0 0.5 ana", "u-2 1 2 0.5 qué")
    corpus = TimedCorpus("es", "ctc", None, directory)
    first, second = corpus.read(source)
    assert (first.document, first.recording, first.time_source) == ("d", "r", "ctc")
    assert first.labels == (
        Labels(frozenset({Mark.COMMA}), Case.FIRST_CAP),
        Labels(),
        Labels(frozenset({Mark.PERIOD}), Case.FIRST_CAP),
    )
    assert first.pauses == (0.1, 0.0, 0.5)
    assert second.labels[0].marks == {Mark.OPEN_QUES, Mark.QUESTION}
    assert corpus.summary() == [
        "4 pauses: 1 unknown, 0 overlaps set to 0",
        "marks of unrecognised words: 1 moved to a neighbour, 0 lost",
    ]


def test_an_utterance_that_the_data_directory_lacks_is_told(tmp_path):
    directory = data_dir(tmp_path, text=["u-1 Hola."])
    with pytest.raises(InputError, match="no utterance 'u-9'"):
        list(TimedCorpus("es", "asr", None, directory).read(rows(tmp_path, "u-9 1 0 1 hola")))


def test_utterances_in_different_files_have_no_pause_between_them(tmp_path):
    """Their times are on different clocks, though they belong to one document."""
    directory = data_dir(tmp_path, text=["u-1 Hola.", "u-2 Qué."], utt2doc=["u-1 d", "u-2 d"])
    first, second = TimedCorpus("es", None, None, directory).read(
        rows(tmp_path, "u-1 1 0 0.5 hola", "u-2 1 0.5 0.5 qué")
    )
    assert (first.context, second.context) == ("d", "d")
    assert (first.pauses, second.pause_before) == ((None,), None)


def test_the_order_is_that_of_the_data_directory(tmp_path):
    names = ["r_1", "r_2", "r_3", "r_10"]
    directory = data_dir(
        tmp_path,
        text=[f"{name} Hola." for name in sorted(names)],
        segments=[f"{name} r {i} {i + 1}" for i, name in enumerate(names)],
        utt2doc=[f"{name} d" for name in names],
    )
    corpus = TimedCorpus("es", None, None, directory)
    source = rows(tmp_path, "r_1 1 0 0.5 hola", "r_10 1 3.1 0.5 hola", "r_2 1 1.1 0.5 hola")
    utterances = list(corpus.read(source))
    assert [utterance.id for utterance in utterances] == ["r_1", "r_2", "r_10"]
    assert [utterance.pauses for utterance in utterances] == [(0.6,), (1.5,), (None,)]
    assert corpus.summary()[0] == "1 utterance without words"


def test_recordings_and_times_from_the_segment_on_are_told(tmp_path):
    directory = data_dir(tmp_path, text=["u-1 Hola."], segments=["u-1 r 60 62"])
    with pytest.raises(InputError, match="no utterance 'r', expected names of utterances"):
        list(TimedCorpus("es", None, None, directory).read(rows(tmp_path, "r 1 60 1 hola")))
    with pytest.raises(InputError, match=r"found a word at 0\.5 s, expected words in its segment from 60\.0 to"):
        list(TimedCorpus("es", None, None, directory).read(rows(tmp_path, "u-1 1 0.5 1 hola")))


GRID = """File type = "ooTextFile short"
"TextGrid"

0
1
<exists>
1
"IntervalTier"
"words"
0
1
1
0
1
"hola"
"""


@pytest.mark.parametrize(("times", "expected"), [(None, "aligner"), ("whisper", "whisper")])
def test_the_source_of_times_is_what_the_input_says(tmp_path, times, expected):
    (tmp_path / "a.TextGrid").write_text(GRID)
    (utterance,) = TimedCorpus("es", times, None, None).read(tmp_path / "a.TextGrid")
    assert utterance.time_source == expected


def test_audio_is_not_read_for_the_times_of_an_aligner(tmp_path):
    (tmp_path / "a.TextGrid").write_text(GRID)
    nowhere = tmp_path / "nowhere.wav"
    (utterance,) = TimedCorpus("es", None, nowhere, None).read(tmp_path / "a.TextGrid")
    assert utterance.pauses == (None,)
    with pytest.raises(AsrPunctError, match="nowhere"):
        list(TimedCorpus("es", "asr", nowhere, None).read(tmp_path / "a.TextGrid"))


@pytest.mark.parametrize("times", ["guess", "none"])
def test_an_unknown_source_of_times_is_told(times):
    for ask in (lambda: TimedCorpus("es", times, None, None), lambda: read_utterances("a.ctm", times=times)):
        with pytest.raises(AsrPunctError, match=f"--times: found '{times}', expected one of asr aligner ctc whisper"):
            ask()


@pytest.fixture(scope="module")
def speech(tmp_path_factory):
    """A spoken sentence."""
    pytest.importorskip("espeakng_loader")
    pytest.importorskip("librosa")
    from asr_punct.align.espeak import synthesise

    path = tmp_path_factory.mktemp("speech") / "frase.wav"
    spoken = synthesise("buenos días a todos", "es+m3", words_per_minute=150)
    write(path, spoken.samples, spoken.rate)
    return path


def test_a_file_is_aligned(speech, tmp_path):
    (tmp_path / "a.txt").write_text("Buenos días\na todos.\n")
    (result,) = align_file(speech, tmp_path / "a.txt", "es", DtwAligner("es"))
    assert [word.text for word in result.words] == ["buenos", "días", "a", "todos"]
    assert (result.id, result.time_source) == ("frase", "aligner")
    edges = [time for word in result.words for time in (word.start, word.end)]
    assert edges == sorted(edges)


def test_a_file_with_a_space_in_its_name_gives_a_ctm_that_can_be_read(speech, tmp_path):
    talk = tmp_path / "my talk.wav"
    talk.write_bytes(speech.read_bytes())
    (tmp_path / "a.txt").write_text("Buenos días a todos.\n")
    write_utterances(align_file(talk, tmp_path / "a.txt", "es", DtwAligner("es")), tmp_path / "a.ctm", glyphs("es"))
    (result,) = read_utterances(tmp_path / "a.ctm")
    assert (result.id, len(result.words)) == ("my_talk", 4)


def test_a_data_directory_is_aligned_segment_by_segment(speech, tmp_path):
    tables = {"wav_scp": [f"r {speech}"], "text": ["r-1 Buenos días a todos."], "segments": ["r-1 r 0.1 1.3"]}
    directory = data_dir(tmp_path, **tables)
    (cut,) = align_data_dir(directory, "es", DtwAligner("es"))
    (directory / "segments").write_text("r-1 r 0 1.3\n")
    (whole,) = align_data_dir(directory, "es", DtwAligner("es"))
    assert [word.start for word in cut.words[1:]] == pytest.approx([word.start for word in whole.words[1:]], abs=0.06)


def test_a_data_directory_without_text_is_told(tmp_path):
    directory = data_dir(tmp_path, wav_scp=["r a.wav"])
    with pytest.raises(InputError, match="found no text for 'r'"):
        list(align_data_dir(directory, "es", DtwAligner("es")))


def test_times_are_kept_where_some_are_missing(tmp_path):
    words = (Word("a", 0.0, 0.5), Word("b"), Word("c", 1.0, 1.5))
    audio = recording(tmp_path / "a.wav", [(0.0, 0.5), (1.0, 1.5)], 2.0)
    utterance = Utterance(words, id="a", recording="a", time_source="asr")
    (result,) = refined([utterance], single_recording(audio))
    assert result == utterance
