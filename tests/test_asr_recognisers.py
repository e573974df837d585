"""The recognisers of each package and `asr-punct transcribe`: stubs, or tiny models with random weights."""

import json
import re
import sys
from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("soundfile")

from dummies import refused, save_ctc_model

from asr_punct import audio
from asr_punct.asr import open_recogniser
from asr_punct.asr.transcribe import recognise, recognised_words, whisper_language
from asr_punct.errors import ArgumentError, AsrPunctError
from asr_punct.formats.kaldi.tables import read_data_dir
from asr_punct.hub import PRETRAINED, shipped_models
from asr_punct.words import Utterance, Word, split_words

RATE = 16000
needs_english = pytest.mark.skipif("en" not in shipped_models(), reason=f"no English model in {PRETRAINED}")


def segment(word, first, last, probability=0.5):
    return SimpleNamespace(word=word, start_frame=first, end_frame=last, prob=probability)


class Decoder:
    """A stub of PocketSphinx's decoder."""

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

    last = None

    def __init__(self, **options):
        self.config, self.given = {"frate": 100}, []
        Decoder.last = self

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


def test_pocketsphinx(stub_pocketsphinx):
    recogniser = open_recogniser("pocketsphinx")
    assert (recogniser.language, recogniser.time_source, recogniser.rate) == ("en", "asr", RATE)
    words = list(recogniser.words(np.array([0.0, 0.5, -2.0, 2.0], np.float32)))
    assert [word.text for word in words] == ["the", "cat", "b", "u.s.", "sat"]
    assert words[:2] == [Word("the", 0.1, 0.2, 0.5), Word("cat", 0.3, 0.5, 1.0)]
    assert words[-1] == Word("sat", 0.7, 1.0, 0.1235)
    assert Decoder.last.given[-2][0].tolist() == [0, 16384, -32767, 32767]
    assert list(recogniser.words(np.zeros(0, np.float32))) == []
    with refused("device", "'cuda'", ArgumentError):
        open_recogniser("pocketsphinx", "cuda")


@pytest.mark.parametrize(
    ("name", "language", "warnings"),
    [
        ("pocketsphinx", "spa", ["the language is Spanish (es): used the recogniser pocketsphinx, which is for"]),
        ("whisper:small.en", "eu", ["the language is Basque (eu): used the recogniser whisper:small.en, which is for"]),
        ("pocketsphinx", "en-GB", []),
        ("pocketsphinx", None, []),
        ("whisper:small.en", "es+en", []),
        ("whisper:small", "es", []),
    ],
)
def test_a_recogniser_of_another_language_is_reported(
    name, language, warnings, stub_pocketsphinx, stub_whisper, caplog
):
    open_recogniser(name, language=language)
    found = [record.getMessage() for record in caplog.records]
    assert [message[: len(start)] for message, start in zip(found, warnings, strict=True)] == warnings


def test_real_pocketsphinx(tmp_path):
    """On an espeak-ng voice at another rate."""
    pytest.importorskip("pocketsphinx", reason="pocketsphinx is not installed: pip install '.[pocketsphinx]'")
    pytest.importorskip("espeakng_loader")
    from asr_punct.align.espeak import synthesise

    speech = synthesise("One two three four five.", "en-us", words_per_minute=140)
    audio.write_samples(tmp_path / "talk.flac", speech.samples, speech.rate)
    values = recognise(tmp_path / "talk.flac", open_recogniser("pocketsphinx"))
    words = {word.text: word for value in values for word in value.words}
    truth = {word.text.lower().strip("."): word for word in speech.words}
    both = words.keys() & truth.keys()
    assert len(both) >= 3
    assert all(abs(words[text].start - truth[text].start) < 0.15 for text in both)
    assert all(0 < word.confidence <= 1 for word in words.values())


SPOKEN = ["the", "cat", "b", "us", "sat"] * 3
"""Words of the file `talk`."""


def bare_words(text):
    return re.sub(r"[^\w\s]", "", text.lower()).split()


@needs_english
def test_the_command_goes_on_after_a_silent_recording(run, stub_pocketsphinx, talk, tmp_path, caplog):
    silent = tmp_path / "silent.wav"
    audio.write_samples(silent, np.zeros(RATE, np.float32), RATE)
    status, out, err = run("transcribe", silent, talk, "--asr", "pocketsphinx")
    assert (status, err, bare_words(out)) == (0, "", SPOKEN)
    assert run("transcribe", silent, "--asr", "pocketsphinx", "-o", tmp_path / "a.vtt") == (0, "", "")
    assert (tmp_path / "a.vtt").read_text() == "WEBVTT\n"
    assert caplog.messages == [f"{silent}: no words were recognised"] * 2


@needs_english
def test_capitals_of_a_recogniser_are_read_in_lower_case(run, stub_pocketsphinx, talk, monkeypatch):
    def in_capitals(path, recogniser, *channel):
        for each in recognise(path, recogniser):
            yield replace(each, words=tuple(replace(word, text=word.text.upper()) for word in each.words))

    command = ("transcribe", talk, "--asr", "pocketsphinx")
    expected = run(*command)
    monkeypatch.setattr("asr_punct.asr.transcribe.recognise", in_capitals)
    assert run(*command, "--lowercase") == expected
    status, out, err = run(*command)
    assert (status, out.isupper()) == (0, True)
    assert err.endswith("(to restore capitals: --lowercase)\n")


@needs_english
def test_fillers_and_paragraphs_are_those_of_the_command(run, stub_pocketsphinx, talk, monkeypatch):
    def turns(path, recogniser, *channel):
        for speaker, text in ("a", "um we are here"), ("a", "at home now"), ("b", "fine"):
            yield Utterance(split_words(text), recording="talk", speaker=speaker)

    monkeypatch.setattr("asr_punct.asr.transcribe.recognise", turns)
    command = ("transcribe", talk, "--asr", "pocketsphinx")
    assert len(run(*command, "--paragraphs", "speaker")[1].splitlines()) == 2
    assert len(run(*command, "--paragraphs", "none")[1].splitlines()) == 3
    assert "um" not in bare_words(run(*command, "--fillers", "drop")[1])
    assert run(*command, "--fillers", "some")[0] == 2


@needs_english
def test_the_command_names_the_recording(run, stub_pocketsphinx, talk, tmp_path):
    command = ("transcribe", talk, "--asr", "pocketsphinx")
    status, out, err = run(*command)
    assert (status, err) == (0, "")
    assert bare_words(out) == SPOKEN
    assert run(*command, "-o", tmp_path / "talk.jsonl") == (0, "", "")
    lines = [json.loads(line) for line in (tmp_path / "talk.jsonl").read_text().splitlines()]
    assert {line["audio_filepath"] for line in lines} == {str(talk)}
    assert run(*command, "--to", "kaldi", "-o", tmp_path / "data")[0] == 0
    assert {(item.recording, item.audio) for item in read_data_dir(tmp_path / "data")} == {("talk", str(talk))}


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["none.wav", "--asr", "pocketsphinx"], "none.wav: found no such file"),
        (["text.wav", "--asr", "pocketsphinx"], "text.wav: found "),
        (["talk.wav", "--asr", "kaldi"], "--asr: found 'kaldi'"),
        (["talk.wav", "--asr", "pocketsphinx", "--model", "none"], "--model: found 'none', no such model directory"),
        (["talk.wav", "--asr", "pocketsphinx", "--to", "aws"], "--to: found 'aws'"),
        (["talk.wav", "b.wav", "--asr", "pocketsphinx", "-o", "out.srt"], "AUDIO: found 2 recordings"),
        (["talk.wav"], "--asr: found none"),
    ],
)
def test_errors_of_the_command(run, stub_pocketsphinx, stub_whisper, talk, tmp_path, monkeypatch, arguments, error):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text.wav").write_text("hola\n")
    (tmp_path / "b.wav").write_bytes(talk.read_bytes())
    before = set(tmp_path.iterdir())
    status, out, err = run("transcribe", *arguments)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"asr-punct: {error}")
    assert set(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("name", "package", "extra"),
    [
        ("pocketsphinx", "pocketsphinx", "pocketsphinx"),
        ("whisper:small", "faster_whisper", "whisper"),
        ("nemo:stt_en_small", "nemo", "audio,nemo"),
        ("transformers:a/b", "transformers", "audio,train"),
        ("pocketsphinx", "soundfile", "pocketsphinx"),
        ("transformers:a/b", "av", "audio,train"),
    ],
)
def test_a_missing_recogniser_names_its_extra(run, talk, stub_pocketsphinx, monkeypatch, name, package, extra):
    if package in ("soundfile", "av"):  # the recogniser itself is installed
        kind = name.partition(":")[0]
        monkeypatch.setitem(sys.modules, kind, sys.modules.get(kind) or SimpleNamespace())
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, f"asr_punct.asr.{package}", raising=False)
    for module in [module for module in sys.modules if module.startswith("nemo.")]:
        monkeypatch.setitem(sys.modules, module, None)
    status, out, err = run("transcribe", talk, "--asr", name)
    assert (status, out) == (2, "")
    assert err.startswith(f"asr-punct: the recogniser {name}: found no package {package}")
    assert f"pip install 'asr-punct[{extra}]'" in err


class WhisperModel:
    """A stub of faster-whisper's."""

    def __init__(self, name, device, device_index):
        if name == "none":
            raise ValueError("Invalid model size 'none', expected one of: tiny\nand more")
        WhisperModel.opened = (name, device, device_index)
        self.language = "en" if name.endswith(".en") else None

    def transcribe(self, samples, language, word_timestamps):
        assert word_timestamps
        assert samples.dtype == np.float32
        assert language == self.language
        entries = [(" Hello,", 0.25, 0.5, 0.75), (" self", np.float64(0.5), 0.625, 0.75), ("-made", 0.625, 0.75, 0.25)]
        words = [SimpleNamespace(word=w, start=s, end=e, probability=p) for w, s, e, p in entries]
        return iter([SimpleNamespace(words=words), SimpleNamespace(words=None)]), None


@pytest.fixture
def stub_whisper(monkeypatch):
    monkeypatch.setitem(sys.modules, "faster_whisper", SimpleNamespace(WhisperModel=WhisperModel))


@needs_english
def test_the_words_of_a_recogniser_of_any_language_choose_the_model(run, stub_whisper, talk):
    """Without --model and --lang."""
    status, out, _ = run("transcribe", talk, "--asr", "whisper:small")
    assert status == 0
    assert "self-made" in out.lower()


def test_faster_whisper(stub_whisper):
    recogniser = open_recogniser("whisper:small.en", "cuda:1")
    assert (recogniser.language, recogniser.time_source, recogniser.rate) == ("en", "whisper", RATE)
    words = list(recogniser.words(np.zeros(RATE, np.float32)))
    assert words == [Word("Hello,", 0.25, 0.5, 0.75), Word("self-made", 0.5, 0.75, 0.5)]
    assert WhisperModel.opened == ("small.en", "cuda", 1)
    with pytest.raises(ArgumentError, match=r"expected one of: tiny$"):  # the first line of the library's error
        open_recogniser("whisper:none")


def test_a_confidence_of_nan_is_unknown():
    assert list(recognised_words(" ya", 0.5, 1.0, np.float32("nan"))) == [Word("ya", 0.5, 1.0)]
    assert list(recognised_words(" ya", 0.5, 0.4)) == [Word("ya", 0.5)]


@pytest.mark.parametrize(
    ("language", "code"), [("eu", "eu"), ("nb", "no"), ("fil", "tl"), ("sh", None), ("es+eu", None), (None, None)]
)
def test_codes_of_whisper(language, code):
    assert whisper_language(language) == code


@pytest.fixture(scope="module")
def ctc_model(tmp_path_factory):
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    return save_ctc_model(tmp_path_factory.mktemp("models") / "ctc")


@pytest.fixture(scope="module")
def whisper_model(tmp_path_factory):
    """One letter a token, with the generation configuration that word times need."""
    torch, transformers = pytest.importorskip("torch"), pytest.importorskip("transformers")
    folder = tmp_path_factory.mktemp("whisper")
    torch.manual_seed(0)
    letters = [chr(c) for c in (*range(33, 127), *range(161, 173), *range(174, 256), *range(256, 324))]
    names = ["startoftranscript", "en", "translate", "transcribe", "startoflm", "startofprev", "nospeech"]
    names.append("notimestamps")
    special = [f"<|{name}|>" for name in ("endoftext", *names)]
    tokenizer = transformers.WhisperTokenizer(vocab={letter: i for i, letter in enumerate(letters)}, merges=[])
    tokenizer.add_special_tokens({"additional_special_tokens": special})
    tokenizer.add_tokens([transformers.AddedToken(f"<|{i * 0.02:.2f}|>", special=False) for i in range(1501)])
    number = dict(zip(("end", *names), tokenizer.convert_tokens_to_ids(special), strict=True))
    tokenizer.save_pretrained(folder)
    transformers.WhisperFeatureExtractor(feature_size=80).save_pretrained(folder)
    small = {"layers": 1, "attention_heads": 2, "ffn_dim": 16}
    sizes = {f"{part}_{name}": value for part in ("encoder", "decoder") for name, value in small.items()}
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


@pytest.mark.parametrize(("fixture", "times"), [("ctc_model", "ctc"), ("whisper_model", "whisper")])
def test_models_of_transformers(request, talk, fixture, times):
    recogniser = open_recogniser(f"transformers:{request.getfixturevalue(fixture)}")
    assert (recogniser.time_source, recogniser.rate, recogniser.language) == (times, RATE, None)
    values = list(recognise(talk, recogniser))
    words = [word for value in values for word in value.words]
    assert words
    assert all(0 <= word.start <= word.end <= 6 for word in words)
    assert all(a.start <= b.start for a, b in pairwise(words))
    assert {value.time_source for value in values} == {times}


def test_a_whisper_model_without_word_times(whisper_model, tmp_path):
    for file in whisper_model.iterdir():
        (tmp_path / file.name).symlink_to(file)
    (tmp_path / "generation_config.json").unlink()
    with refused("asr", kind=ArgumentError):
        open_recogniser(f"transformers:{tmp_path}")


def test_the_language_of_a_multilingual_whisper_model(whisper_model, tmp_path):
    for language in ("en", "en+eu", None):
        assert open_recogniser(f"transformers:{whisper_model}", language=language).language == language
    with pytest.raises(AsrPunctError, match=r"<\|eu\|> is not supported by this specific model"):
        open_recogniser(f"transformers:{whisper_model}", language="eu")
    for file in whisper_model.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    settings = json.loads((tmp_path / "generation_config.json").read_text())
    (tmp_path / "generation_config.json").write_text(json.dumps({**settings, "is_multilingual": False}))
    assert open_recogniser(f"transformers:{tmp_path}", language="eu").language == "eu"


def test_models_of_transformers_whose_tokenizers_have_no_word_times(ctc_model, tmp_path):
    """The weights of wav2vec 2.0 with another tokenizer."""
    import transformers

    for file in ctc_model.iterdir():
        if "token" not in file.name and "symbols" not in file.name and "vocab" not in file.name:
            (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "vocab.txt").write_text("[PAD]\n[UNK]\na\n")
    transformers.BertTokenizerFast(str(tmp_path / "vocab.txt")).save_pretrained(tmp_path)
    with pytest.raises(ArgumentError) as raised:
        open_recogniser(f"transformers:{tmp_path}")
    assert "Wav2Vec2ForCTC with Bert" in raised.value.found


def test_missing_devices_and_models_of_transformers(ctc_model, tmp_path):
    with pytest.raises(AsrPunctError, match="'cuda:99', expected a device that torch finds"):
        open_recogniser(f"transformers:{ctc_model}", "cuda:99")
    (tmp_path / "empty").mkdir()
    with refused("asr", repr(f"transformers:{tmp_path / 'empty'}"), ArgumentError):
        open_recogniser(f"transformers:{tmp_path / 'empty'}")


def test_the_channels_of_a_stereo_file_are_recognised_as_two_files_are(tmp_path):
    """On two espeak-ng voices, of which one is shorter than the other."""
    pytest.importorskip("pocketsphinx", reason="pocketsphinx is not installed: pip install '.[pocketsphinx]'")
    pytest.importorskip("espeakng_loader")
    import soundfile

    from asr_punct.align.espeak import synthesise

    texts = ("One two three four five.", "Seven eight nine ten.")
    spoken = [synthesise(text, "en-us", words_per_minute=140) for text in texts]
    length = max(len(each.samples) for each in spoken)
    both = np.stack([np.pad(each.samples, (0, length - len(each.samples))) for each in spoken])
    soundfile.write(tmp_path / "call.wav", both.T, spoken[0].rate)

    def heard(name):
        found = recognise(tmp_path / name, open_recogniser("pocketsphinx"))
        return {each.channel: [(word.text, word.start) for word in each.words] for each in found}

    together = heard("call.wav")
    for channel, samples in enumerate(both, start=1):
        soundfile.write(tmp_path / "alone.wav", samples, spoken[0].rate)
        alone = heard("alone.wav")
        assert len(alone["1"]) > 2
        assert together[str(channel)] == [(text, pytest.approx(start, abs=0.05)) for text, start in alone["1"]]
