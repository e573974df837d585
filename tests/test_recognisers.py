"""Recognisers of every kind through one interface: pieces of the sound, words with times of the whole recording."""

import json
import sys
import tomllib
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("soundfile")

from dummies import bare_words

from asr_punct import audio, progress
from asr_punct.asr import named_language, open_recogniser
from asr_punct.asr.segments import LONGEST, plan_pieces, read_pieces
from asr_punct.asr.transcribe import check_recordings, heard, transcribe
from asr_punct.errors import AsrPunctError, AudioError, InputError
from asr_punct.find import model_of_language
from asr_punct.formats.kaldi import read_data_dir
from asr_punct.shipped import PRETRAINED, shipped_models
from asr_punct.words import Word

RATE = 16000


def loudness(*stretches):
    """Energy of stretches of so many seconds, by turns speech and silence, in dB."""
    rng = np.random.default_rng(0)
    levels = [np.full(round(seconds * 100), -20.0 if i % 2 == 0 else -70.0) for i, seconds in enumerate(stretches)]
    return np.concatenate(levels) + rng.normal(0, 0.5, sum(map(len, levels)))


def sound(*stretches, rate=RATE):
    """Noise and near silence by turns, of so many seconds."""
    rng = np.random.default_rng(0)
    parts = [rng.normal(0, 0.1 if i % 2 == 0 else 1e-4, round(seconds * rate)) for i, seconds in enumerate(stretches)]
    return np.concatenate(parts).astype(np.float32)


@pytest.fixture
def recording(tmp_path):
    """Three stretches of noise, of one, two and one seconds, with a second of silence between them."""
    audio.write(tmp_path / "talk.wav", sound(1, 1, 2, 1, 1), RATE)
    return tmp_path / "talk.wav"


# Pieces


def test_pieces_are_the_stretches_between_pauses():
    spans = plan_pieces(loudness(2, 0.3, 2, 1, 3))
    assert [(first, last) for first, last in spans] == [
        (0, pytest.approx(455, abs=3)),
        (pytest.approx(505, abs=3), 830),
    ]


def test_neighbours_are_joined_as_long_as_they_fit():
    energy = loudness(10, 1, 10, 1, 10, 1, 10)
    assert len(plan_pieces(energy)) == 4
    joined = plan_pieces(energy, joined=30.0)
    assert [round((last - first) / 100) for first, last in joined] == [21, 21]


def test_long_stretches_are_cut_where_it_is_quiet():
    spans = plan_pieces(loudness(20, 0.4, 100))
    assert all(last - first <= LONGEST * 100 for first, last in spans)
    assert 2000 <= spans[0][1] <= 2040
    assert spans[0][0] == 0
    assert [first for first, _ in spans[1:]] == [last for _, last in spans[:-1]]


def test_silence_has_no_pieces():
    assert plan_pieces(np.full(500, -100.0)) == []
    assert plan_pieces(np.zeros(0)) == []


def test_sound_that_is_all_as_loud_is_no_silence():
    assert plan_pieces(loudness(4)) == [(0, 400)]


@settings(deadline=None, max_examples=50)
@given(st.lists(st.integers(5, 400), min_size=1, max_size=12), st.sampled_from([0.0, 5.0, 30.0]))
def test_pieces_are_in_order_and_hold_all_speech(lengths, joined):
    stretches = [length / 10 if i % 2 == 0 else length / 100 for i, length in enumerate(lengths)]
    energy = loudness(*stretches)
    spans = plan_pieces(energy, joined)
    assert all(0 <= first < last <= len(energy) for first, last in spans)
    assert all(a[1] <= b[0] for a, b in pairwise(spans))
    assert all(last - first <= LONGEST * 100 for first, last in spans)
    inside = np.zeros(len(energy), bool)
    for first, last in spans:
        inside[first:last] = True
    assert inside[energy > -40].mean() > 0.99


@pytest.mark.parametrize("rate", [8000, 16000, 22050])
def test_pieces_are_parts_of_the_file(recording, rate, monkeypatch):
    whole = audio.read(recording, rate)
    blocks = audio.blocks
    monkeypatch.setattr(audio, "blocks", lambda path, rate: blocks(path, rate, block=0.7))
    spans = [(0, 130), (140, 141), (150, 410), (410, 600)]
    pieces = list(read_pieces(recording, rate, spans))
    for piece, (first, last) in zip(pieces, spans, strict=True):
        assert piece.start == first / 100
        np.testing.assert_array_equal(piece.samples, whole[first * rate // 100 : last * rate // 100])


# From a file to utterances


@dataclass
class Steady:
    """Hears a word in each half second, with the times that are asked for."""

    rate: int = RATE
    times: str = "asr"
    language: str | None = None
    joined: float = 0.0
    late: float = 0.0
    heard: list[int] = field(default_factory=list)

    def words(self, samples):
        self.heard.append(len(samples))
        for i in range(int(len(samples) / self.rate * 2)):
            yield Word(f"w{i}", i / 2 + self.late, i / 2 + 0.4 + self.late, 0.5)


def test_words_have_the_times_of_the_recording(recording):
    recogniser = Steady()
    values = list(transcribe(recording, recogniser))
    assert [value.id for value in values] == ["talk-1", "talk-2", "talk-3"]
    assert {(value.recording, value.audio) for value in values} == {("talk", str(recording))}
    assert {value.time_source for value in values} == {"asr"}
    assert [value.words[0].start for value in values] == pytest.approx([0, 1.75, 4.75], abs=0.03)
    assert bare_words(values[0])[1] == Word("w1", 0.5, 0.9, 0.5)
    assert sum(recogniser.heard) / RATE == pytest.approx(1.25 + 2.5 + 1.25, abs=0.1)
    assert all(len(value.pauses) == len(value.words) for value in values)
    assert values[0].pauses[-1] == pytest.approx(1.0, abs=0.06)
    assert values[1].pause_before == values[0].pauses[-1]


def test_words_stay_in_their_piece_and_in_order(recording):
    class Wild(Steady):
        def words(self, samples):
            yield from [Word("a", 0.5, 9.0), Word("b", 0.2, 0.1), Word("c"), Word("d", 7.0, None)]

    for value in transcribe(recording, Wild(times="whisper")):
        starts = [word.start for word in value.words]
        assert starts == sorted(starts)
        assert all(word.start <= word.end for word in value.words)
        assert value.words[-1].end <= 6
        assert value.time_source == "whisper"


def test_silent_pieces_are_left_out_and_silent_recordings_told(recording, tmp_path, caplog):
    class Half(Steady):
        def words(self, samples):
            found = list(super().words(samples))
            return found if len(self.heard) > 1 else []

    assert [value.id for value in transcribe(recording, Half())] == ["talk-1", "talk-2"]
    caplog.set_level("INFO", "asr_punct")
    deaf = SimpleNamespace(rate=RATE, times="asr", joined=0.0, words=lambda samples: [])
    assert not list(transcribe(recording, deaf))
    audio.write(tmp_path / "silent.wav", np.zeros(RATE, np.float32), RATE)
    assert not list(transcribe(tmp_path / "silent.wav", Steady()))
    assert caplog.messages == [f"{path}: no words were heard in it" for path in (recording, tmp_path / "silent.wav")]


def test_a_recogniser_gets_its_own_rate_and_the_progress_is_told(recording, monkeypatch):
    recogniser, seen = Steady(rate=8000, joined=30.0), []
    monkeypatch.setattr(progress, "counted", lambda items, what, total: seen.append((what, total)) or items)
    (value,) = transcribe(recording, recogniser)
    assert seen == [("pieces of talk", 1)]
    assert recogniser.heard == [pytest.approx(6 * 8000, abs=100)]
    assert value.words[-1].end <= 6


def test_a_long_recording_is_heard_piece_by_piece(tmp_path, monkeypatch):
    """A piece is heard before the blocks after the next ones are decoded."""
    audio.write(tmp_path / "long.wav", np.tile(sound(4, 1), 80), RATE)
    decoded, blocks = [], audio.blocks

    def counted(path, rate):
        for block in blocks(path, rate, block=10.0):
            decoded.append(len(block) / rate)
            yield block

    class Watching(Steady):
        def words(self, samples):
            heard = sum(self.heard) / RATE
            assert sum(decoded) <= heard + 15 + heard / 9
            return super().words(samples)

    energy = audio.energy(tmp_path / "long.wav")
    monkeypatch.setattr(audio, "energy", lambda path: energy)
    monkeypatch.setattr(audio, "blocks", counted)
    assert len(list(transcribe(tmp_path / "long.wav", Watching()))) == 80


def test_the_recordings_are_looked_at_before_the_work(recording, tmp_path):
    check_recordings([recording], one=True)
    twin = tmp_path / "other" / "talk.wav"
    twin.parent.mkdir()
    twin.write_bytes(recording.read_bytes())
    with pytest.raises(InputError, match=r"other/talk\.wav: found the name of .*/talk\.wav"):
        check_recordings([recording, twin], one=False)
    with pytest.raises(InputError, match="found 2 recordings, expected one"):
        check_recordings([recording, twin], one=True)
    with pytest.raises(InputError, match=r"none\.wav: found no such file"):
        check_recordings([recording, tmp_path / "none.wav"], one=False)
    (tmp_path / "text.wav").write_text("hola\n")
    with pytest.raises(AudioError, match=r"text\.wav"):
        check_recordings([tmp_path / "text.wav"], one=False)


# Names


@pytest.mark.parametrize("name", ["", "kaldi", "nemo", "nemo:", "pocketsphinx:en", "Whisper:small"])
def test_an_unknown_recogniser_is_told(name):
    with pytest.raises(AsrPunctError, match=rf"^--asr: found '{name}', expected pocketsphinx, nemo:NAME, whisper:NAME"):
        open_recogniser(name)


@pytest.mark.parametrize(
    ("model", "language"),
    [
        ("stt_eu_conformer_ctc_large", "eu"),
        ("HiTZ/stt_eu_conformer_transducer_large", "eu"),
        ("small.en", "en"),
        ("openai/whisper-small.en", "en"),
        ("small", None),
        ("models/my.engine", None),
        ("model.nemo", None),
    ],
)
def test_some_names_say_the_language(model, language):
    assert named_language(model) == language


@pytest.mark.skipif(set(shipped_models()) != {"en", "es-eu"}, reason=f"other models in {PRETRAINED}")
def test_the_language_chooses_the_model():
    assert [model_of_language(language) for language in ("en", "es", "eu")] == ["en", "es-eu", "es-eu"]
    with pytest.raises(
        AsrPunctError, match="found no --model and a recogniser whose language is not known, expected --model en"
    ):
        model_of_language(None)
    with pytest.raises(
        AsrPunctError, match="found no --model and no shipped model of 'fr', expected --model en, es-eu"
    ):
        model_of_language("fr")


# PocketSphinx


def segment(word, first, last, probability=0.5):
    return SimpleNamespace(word=word, start_frame=first, end_frame=last, prob=probability)


class Decoder:
    """Has the methods of PocketSphinx's decoder."""

    segments = (
        segment("<s>", 0, 9),
        segment("the(2)", 10, 19),
        segment("[NOISE]", 20, 29),
        segment("cat", 30, 49, 1.0000001),
        segment("b.(3)", 50, 54),
        segment("u.s.", 55, 59),
        segment("++BREATH++", 59, 59),
        segment("<sil>", 60, 69),
        segment("sat", 70, 99, 0.123456),
        segment("</s>", 100, 109),
    )

    def __init__(self, **options):
        self.options, self.config, self.given = options, {"frate": 100}, []

    def start_utt(self):
        self.given.append("start")

    def process_raw(self, data, full_utt):
        self.given.append((np.frombuffer(data, "<i2"), full_utt))

    def end_utt(self):
        self.given.append("end")

    def seg(self):
        return iter(self.segments) if self.segments else None


@pytest.fixture
def stub_pocketsphinx(monkeypatch):
    monkeypatch.setitem(sys.modules, "pocketsphinx", SimpleNamespace(Decoder=Decoder))


def test_fillers_and_pronunciations_of_pocketsphinx_are_left_out(stub_pocketsphinx):
    recogniser = open_recogniser("pocketsphinx")
    assert (recogniser.language, recogniser.times, recogniser.rate) == ("en", "asr", RATE)
    words = list(recogniser.words(np.array([0.0, 0.5, -2.0, 2.0], np.float32)))
    assert [word.text for word in words] == ["the", "cat", "b", "u.s.", "sat"]
    assert (words[0], words[1], words[-1]) == (
        Word("the", 0.1, 0.2, 0.5),
        Word("cat", 0.3, 0.5, 1.0),
        Word("sat", 0.7, 1.0, 0.1235),
    )
    _, (pcm, whole), _ = recogniser._decoder.given
    assert (pcm.tolist(), whole) == ([0, 16384, -32767, 32767], True)


def test_what_pocketsphinx_does_not_hear_has_no_words(stub_pocketsphinx, monkeypatch):
    monkeypatch.setattr(Decoder, "segments", ())
    recogniser = open_recogniser("pocketsphinx")
    assert list(recogniser.words(np.zeros(100, np.float32))) == []
    assert list(recogniser.words(np.zeros(0, np.float32))) == []


def test_pocketsphinx_runs_on_the_cpu_alone(stub_pocketsphinx):
    assert open_recogniser("pocketsphinx", "cpu").rate == RATE
    with pytest.raises(AsrPunctError, match="--device: found 'cuda', expected cpu"):
        open_recogniser("pocketsphinx", "cuda")


def test_pocketsphinx_hears_english(tmp_path):
    """The real recogniser, with its own model, on a voice of espeak-ng at another rate."""
    pytest.importorskip("pocketsphinx", reason="pocketsphinx is not installed: pip install '.[pocketsphinx]'")
    pytest.importorskip("espeakng_loader")
    from asr_punct.align.espeak import synthesise

    speech = synthesise("One two three four five.", "en-us", words_per_minute=140)
    audio.write(tmp_path / "talk.flac", speech.samples, speech.rate)
    values = list(transcribe(tmp_path / "talk.flac", open_recogniser("pocketsphinx")))
    words = {word.text: word for value in values for word in value.words}
    spoken = {word.text.lower().strip("."): word for word in speech.words}
    both = words.keys() & spoken.keys()
    assert len(both) >= 3
    assert all(abs(words[text].start - spoken[text].start) < 0.15 for text in both)
    assert all(0 < word.confidence <= 1 for word in words.values())


# The command


@pytest.mark.skipif("en" not in shipped_models(), reason=f"no English model in {PRETRAINED}")
def test_the_command_goes_on_after_a_silent_recording(run, stub_pocketsphinx, recording, tmp_path, caplog):
    silent = tmp_path / "silent.wav"
    audio.write(silent, np.zeros(RATE, np.float32), RATE)
    status, out, err = run("transcribe", silent, recording, "--asr", "pocketsphinx")
    assert (status, err, len(out.split())) == (0, "", 15)
    for name, content in {"a.srt": "", "a.vtt": "WEBVTT\n", "a.json": '{"utterances": [\n]}\n'}.items():
        assert run("transcribe", silent, "--asr", "pocketsphinx", "-o", tmp_path / name) == (0, "", "")
        assert (tmp_path / name).read_text() == content
    assert run("transcribe", silent, "--asr", "pocketsphinx", "--quiet") == (0, "", "")
    assert caplog.messages == [f"{silent}: no words were heard in it"] * 4


@pytest.mark.skipif("en" not in shipped_models(), reason=f"no English model in {PRETRAINED}")
def test_the_command_writes_what_is_heard(run, stub_pocketsphinx, recording, tmp_path):
    command = ("transcribe", recording, "--asr", "pocketsphinx")
    status, out, err = run(*command)
    assert (status, err) == (0, "")
    assert out.lower().replace(",", "").replace(".", "").split() == ["the", "cat", "b", "us", "sat"] * 3
    assert out[0] == "T"
    for name in ("talk.srt", "talk.ctm", "talk.json"):
        assert run(*command, "-o", tmp_path / name) == (0, "", "")
    cues = (tmp_path / "talk.srt").read_text()
    assert cues.startswith("1\n00:00:00,100 --> ")
    assert "the cat" in cues.lower()
    assert len((tmp_path / "talk.ctm").read_text().splitlines()) == 15
    assert '"times": "asr"' in (tmp_path / "talk.json").read_text()


@pytest.mark.skipif("en" not in shipped_models(), reason=f"no English model in {PRETRAINED}")
def test_manifests_and_data_directories_name_the_audio_by_its_path(run, stub_pocketsphinx, recording, tmp_path):
    command = ("transcribe", recording, "--asr", "pocketsphinx")
    assert run(*command, "-o", tmp_path / "a.jsonl")[0] == 0
    lines = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text().splitlines()]
    assert {line["audio_filepath"] for line in lines} == {str(recording)}
    assert run(*command, "--to", "kaldi", "-o", tmp_path / "data")[0] == 0
    assert (tmp_path / "data" / "wav.scp").read_text() == f"talk {recording}\n"
    assert {(item.recording, item.audio) for item in read_data_dir(tmp_path / "data")} == {("talk", recording)}


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["none.wav", "--asr", "pocketsphinx"], "none.wav: found no such file, expected an audio file"),
        (["text.wav", "--asr", "pocketsphinx"], "text.wav: found "),
        (["talk.wav", "--asr", "kaldi"], "--asr: found 'kaldi', expected pocketsphinx, nemo:NAME, whisper:NAME or"),
        (["talk.wav", "--asr", "pocketsphinx", "--model", "none"], "model 'none': found no such model directory"),
        (["talk.wav", "--asr", "pocketsphinx", "--to", "aws"], "--to: found 'aws', expected one of"),
        (
            ["talk.wav", "silent.wav", "--asr", "pocketsphinx", "-o", "out.srt"],
            "AUDIO: found 2 recordings, expected one",
        ),
        (["talk.wav", "--asr", "whisper:small"], "found no --model and a recogniser whose language is not known"),
        (["talk.wav"], "found no --asr, expected one of pocketsphinx, nemo:NAME"),
    ],
)
def test_what_the_command_cannot_do_is_told_on_one_line(
    run, stub_pocketsphinx, packages, recording, tmp_path, monkeypatch, arguments, told
):
    packages("faster_whisper")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text.wav").write_text("hola\n")
    audio.write("silent.wav", np.zeros(RATE, np.float32), RATE)
    before = set(tmp_path.iterdir())
    status, out, err = run("transcribe", *arguments)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"asr-punct: {told}")
    assert set(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("name", "package", "extra"),
    [
        ("pocketsphinx", "pocketsphinx", "pocketsphinx"),
        ("whisper:small", "faster_whisper", "whisper"),
        ("nemo:stt_en_small", "nemo", "nemo"),
        ("transformers:a/b", "transformers", "train"),
    ],
)
def test_a_recogniser_that_is_not_installed_is_told(run, recording, monkeypatch, name, package, extra):
    for missing in ("pocketsphinx", "faster_whisper", "whisper", "nemo", "nemo.collections.asr.models", "transformers"):
        monkeypatch.setitem(sys.modules, missing, None)
    status, out, err = run("transcribe", recording, "--asr", name)
    assert (status, out) == (2, "")
    told = f"the recogniser {name} needs the package {package}"
    assert err.startswith(f"asr-punct: {told}")
    assert f"which is not installed: pip install 'asr-punct[{extra}]'" in err
    packages = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text())["project"]
    assert any(package.replace("_", "-") in needed for needed in packages["optional-dependencies"][extra])


@pytest.mark.real
@pytest.mark.parametrize(("name", "most"), [("sent34", 0.2), ("sent46", 0.9)])
def test_talks_through_pocketsphinx_to_a_page_of_scores(run, real_data, tmp_path, name, most):
    pytest.importorskip("pocketsphinx", reason="pocketsphinx is not installed: pip install '.[pocketsphinx]'")
    talk, heard = real_data / "speech" / "ted" / f"{name}.wav", tmp_path / "heard.json"
    (tmp_path / "ref.txt").write_text(talk.with_suffix(".lab").read_text())
    for output in (heard, tmp_path / "heard.srt"):
        assert run("transcribe", talk, "--asr", "pocketsphinx", "-o", output) == (0, "", "")
    page, scores = tmp_path / "page.html", tmp_path / "scores.json"
    written = ("--html", page, "--audio", talk, "--json", scores)
    assert run("score", tmp_path / "ref.txt", heard, "--align", "--lang", "en", *written)[0] == 0
    assert json.loads(scores.read_text())["wer"] <= most
    assert "data:audio/wav" in page.read_text()
    cues = (tmp_path / "heard.srt").read_text().split("\n\n")
    assert cues[0].splitlines()[2][0].isupper()
    assert cues[-1].rstrip()[-1] in ".?"


# Whisper, by packages whose models are not at hand: stubs with their interface


@dataclass
class Heard:
    word: str
    start: float
    end: float
    probability: float


HEARD = [
    Heard(" Hello,", 0.25, 0.5, 0.75),
    Heard(" self", np.float64(0.5), 0.625, 0.75),
    Heard("-made", 0.625, 0.75, 0.25),
    Heard(" world.", np.float64(0.75), 1.0, 0.5),
]
EXPECTED = [Word("Hello,", 0.25, 0.5, 0.75), Word("self-made", 0.5, 0.75, 0.5), Word("world.", 0.75, 1.0, 0.5)]


class WhisperModel:
    """faster-whisper's."""

    def __init__(self, name, device, device_index):
        if name == "none":
            raise ValueError("Invalid model size 'none', expected one of: tiny\nand more")
        self.opened = (name, device, device_index)

    def transcribe(self, samples, language, word_timestamps):
        assert word_timestamps
        assert samples.dtype == np.float32
        self.language = language
        segments = [SimpleNamespace(text=" Hello, self-made world.", words=HEARD), SimpleNamespace(text="", words=None)]
        return iter(segments), SimpleNamespace(language="en")


@dataclass
class OpenAI:
    """OpenAI's."""

    opened: tuple

    def transcribe(self, samples, word_timestamps, language, fp16):
        assert word_timestamps
        self.options = (language, fp16)
        words = [vars(word) for word in HEARD]
        return {
            "text": " Hello, self-made world.",
            "segments": [{"text": " Hello, self-made world.", "words": words}],
            "language": "en",
        }


def module(name, **content):
    made = ModuleType(name)
    made.__spec__ = SimpleNamespace(name=name)
    vars(made).update(content)
    return made


@pytest.fixture
def packages(monkeypatch):
    """Chooses which of the two packages are there."""

    def choose(*names):
        made = {
            "faster_whisper": module("faster_whisper", WhisperModel=WhisperModel),
            "whisper": module("whisper", load_model=lambda name, device: OpenAI((name, device))),
        }
        for name, content in made.items():
            monkeypatch.setitem(sys.modules, name, content if name in names else None)

    return choose


def test_a_confidence_that_is_no_number_is_not_known():
    assert list(heard(" ya", 0.5, 1.0, np.float32("nan"))) == [Word("ya", 0.5, 1.0)]


def test_faster_whisper(packages):
    packages("faster_whisper", "whisper")
    recogniser = open_recogniser("whisper:small.en", "cuda:1")
    assert (recogniser.language, recogniser.times, recogniser.rate) == ("en", "whisper", RATE)
    assert list(recogniser.words(np.zeros(RATE, np.float32))) == EXPECTED
    assert recogniser._model.opened == ("small.en", "cuda", 1)
    assert recogniser._model.language == "en"


def test_openai_whisper(packages):
    packages("whisper")
    recogniser = open_recogniser("whisper:small")
    assert (recogniser.language, recogniser.times, recogniser.rate) == (None, "whisper", RATE)
    assert list(recogniser.words(np.zeros(RATE, np.float32))) == EXPECTED
    assert recogniser._model.opened == ("small", "cpu")
    assert recogniser._model.options == (None, False)


def test_a_model_that_a_package_does_not_have_is_told_on_one_line(packages):
    packages("faster_whisper")
    expected = (
        "--asr: found 'whisper:none', expected a model that whisper can load: Invalid model size 'none', .* tiny$"
    )
    with pytest.raises(AsrPunctError, match=expected):
        open_recogniser("whisper:none")


# Models of transformers, tiny and with random weights: what they say means nothing, its form is theirs


@pytest.fixture(scope="module")
def ctc_model(tmp_path_factory):
    torch, transformers = pytest.importorskip("torch"), pytest.importorskip("transformers")
    folder = tmp_path_factory.mktemp("ctc")
    torch.manual_seed(0)
    vocabulary = {token: i for i, token in enumerate(["<pad>", "<s>", "</s>", "<unk>", "|", *"abcdeo"])}
    (folder / "vocab.json").write_text(json.dumps(vocabulary))
    transformers.Wav2Vec2CTCTokenizer(str(folder / "vocab.json")).save_pretrained(folder)
    transformers.Wav2Vec2FeatureExtractor().save_pretrained(folder)
    config = transformers.Wav2Vec2Config(
        vocab_size=len(vocabulary),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        conv_dim=(8, 8, 8, 8, 8, 8, 8),
        num_conv_pos_embeddings=4,
        num_conv_pos_embedding_groups=2,
        pad_token_id=0,
    )
    transformers.Wav2Vec2ForCTC(config).save_pretrained(folder)
    return folder


def test_a_ctc_model_of_transformers(ctc_model, recording):
    recogniser = open_recogniser(f"transformers:{ctc_model}")
    assert (recogniser.times, recogniser.rate, recogniser.language) == ("ctc", RATE, None)
    values = list(transcribe(recording, recogniser))
    words = [word for value in values for word in value.words]
    assert words
    assert all(set(word.text) <= set("abcdeo<unks/>") for word in words)
    assert all(0 <= word.start <= word.end <= 6 for word in words)
    assert {value.time_source for value in values} == {"ctc"}


@pytest.fixture(scope="module")
def whisper_model(tmp_path_factory):
    """One letter a token; its generation configuration is what word times need."""
    torch, transformers = pytest.importorskip("torch"), pytest.importorskip("transformers")
    folder = tmp_path_factory.mktemp("whisper")
    torch.manual_seed(0)
    letters = [chr(c) for c in (*range(33, 127), *range(161, 173), *range(174, 256), *range(256, 324))]
    names = [
        "startoftranscript",
        "en",
        "translate",
        "transcribe",
        "startoflm",
        "startofprev",
        "nospeech",
        "notimestamps",
    ]
    special = [f"<|{name}|>" for name in ("endoftext", *names)]
    tokenizer = transformers.WhisperTokenizer(vocab={letter: i for i, letter in enumerate(letters)}, merges=[])
    tokenizer.add_special_tokens({"additional_special_tokens": special})
    tokenizer.add_tokens([transformers.AddedToken(f"<|{i * 0.02:.2f}|>", special=False) for i in range(1501)])
    number = dict(zip(("end", *names), tokenizer.convert_tokens_to_ids(special), strict=True))
    tokenizer.save_pretrained(folder)
    transformers.WhisperFeatureExtractor(feature_size=80).save_pretrained(folder)
    sizes = {f"{part}_{name}": value for part in ("encoder", "decoder") for name, value in SMALL.items()}
    model = transformers.WhisperForConditionalGeneration(
        transformers.WhisperConfig(
            **sizes,
            d_model=16,
            vocab_size=len(tokenizer),
            max_target_positions=48,
            decoder_start_token_id=number["startoftranscript"],
            **dict.fromkeys(("eos_token_id", "pad_token_id", "bos_token_id"), number["end"]),
            suppress_tokens=None,
            begin_suppress_tokens=None,
        )
    )
    model.generation_config = transformers.GenerationConfig(
        alignment_heads=[[0, 0], [0, 1]],
        lang_to_id={"<|en|>": number["en"]},
        task_to_id={name: number[name] for name in ("transcribe", "translate")},
        no_timestamps_token_id=number["notimestamps"],
        is_multilingual=True,
        max_initial_timestamp_index=50,
        max_length=24,
        decoder_start_token_id=number["startoftranscript"],
        eos_token_id=number["end"],
        pad_token_id=number["end"],
    )
    model.save_pretrained(folder)
    return folder


SMALL = {"layers": 1, "attention_heads": 2, "ffn_dim": 16}


def test_whisper_by_transformers(whisper_model, recording):
    recogniser = open_recogniser(f"transformers:{whisper_model}")
    assert (recogniser.times, recogniser.rate, recogniser.language) == ("whisper", RATE, None)
    values = list(transcribe(recording, recogniser))
    words = [word for value in values for word in value.words]
    assert words
    assert all(0 <= word.start <= word.end <= 6 for word in words)
    assert {value.time_source for value in values} == {"whisper"}


def test_a_whisper_model_that_cannot_tell_times_is_told(whisper_model, tmp_path):
    for file in whisper_model.iterdir():
        (tmp_path / file.name).symlink_to(file)
    (tmp_path / "generation_config.json").unlink()
    with pytest.raises(AsrPunctError, match=r"expected a model that transformers can load: You are trying to return"):
        open_recogniser(f"transformers:{tmp_path}")


def test_a_device_and_a_model_of_transformers_that_are_not_there_are_told(ctc_model, tmp_path):
    with pytest.raises(AsrPunctError, match="--device: found 'cuda:99', expected a device that torch finds"):
        open_recogniser(f"transformers:{ctc_model}", "cuda:99")
    (tmp_path / "empty").mkdir()
    with pytest.raises(AsrPunctError, match=r"--asr: found 'transformers:.*', expected a model that transformers"):
        open_recogniser(f"transformers:{tmp_path / 'empty'}")
