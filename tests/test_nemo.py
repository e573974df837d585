"""The model under NeMo: saved, restored and trained by its tools. Skipped if NeMo is not installed."""

import shutil
import sys
import tarfile

import pytest
import yaml
from dummies import tiny_config, write_corpus

pytest.importorskip("nemo", reason="nemo-toolkit is not installed: pip install '.[nemo]'")
torch = pytest.importorskip("torch")

from lightning.pytorch import Trainer
from nemo.core.classes import ModelPT
from omegaconf import OmegaConf

from asr_punct import Punctuator
from asr_punct.checkpoint import WEIGHTS
from asr_punct.config import as_mapping
from asr_punct.errors import AsrPunctError, ModelError
from asr_punct.hub import configuration_directory, shipped_models
from asr_punct.nemo import AsrPunctModel, PunctuationCapitalizationModel, punctuate_hypotheses
from asr_punct.nemo.parts import NEMO_WEIGHTS
from asr_punct.nemo.train import main, train_with_nemo

QUERIES = ["ana mira la casa", "dónde está la ley", ""]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return write_corpus(tmp_path_factory.mktemp("corpus"), train=60, dev=10)


def configuration(folder, corpus, **changes):
    """Content of the shipped Hydra configuration for a tiny model."""
    config = as_mapping(tiny_config())
    (folder / "tiny.yaml").write_text(yaml.safe_dump({key: config[key] for key in ("model", "training")}))
    values = OmegaConf.load(configuration_directory("nemo") / "punctuation.yaml")
    own = {
        "model": {"config": str(folder / "tiny.yaml"), "data": str(corpus)},
        "trainer": {"accelerator": "cpu", "max_epochs": 2, "enable_progress_bar": False},
        "exp_manager": {"exp_dir": str(folder / "experiments")},
    }
    return OmegaConf.merge(values, own, changes)


@pytest.fixture(scope="module")
def trained(tmp_path_factory, corpus):
    """Folder of an experiment of two epochs, and its model."""
    folder = tmp_path_factory.mktemp("nemo")
    return folder, train_with_nemo(configuration(folder, corpus))


@pytest.fixture(scope="module")
def saved(trained):
    """A file of the model, its labels for `QUERIES`, and the model."""
    folder, model = trained
    model.save_to(str(folder / "a.nemo"))
    return folder / "a.nemo", model.add_punctuation_capitalization(QUERIES, return_labels=True), model


def test_training_leaves_checkpoints_and_the_best_model(trained):
    folder, model = trained
    (nemo,) = folder.rglob("punctuation.nemo")
    (last,) = folder.rglob("*-last.ckpt")
    restored, loaded = AsrPunctModel.restore_from(nemo), AsrPunctModel.load_from_checkpoint(last)
    weights = torch.load(last, weights_only=False)["state_dict"]
    for name, weight in model.state_dict().items():
        assert torch.equal(restored.state_dict()[name], weight)
        assert torch.equal(loaded.state_dict()[name], weights[name])
    assert loaded.info == model.info
    assert [len(text.split()) for text in loaded.add_punctuation_capitalization(QUERIES)] == [4, 4, 0]


def test_a_run_is_resumed(corpus, tmp_path, monkeypatch):
    resumed = {"resume_if_exists": True}
    first = train_with_nemo(configuration(tmp_path, corpus, exp_manager=resumed))
    done, step = [], AsrPunctModel.training_step
    monkeypatch.setattr(AsrPunctModel, "training_step", lambda *a: done.append(a[0].global_step) or step(*a))
    model = train_with_nemo(configuration(tmp_path, corpus, exp_manager=resumed, trainer={"max_epochs": 3}))
    begun = sum(len(first.data_module().epoch(number)) for number in range(2))
    assert done == list(range(begun, begun + len(first.data_module().epoch(2))))
    assert model.task.training_config.epochs == 3


def test_every_way_to_restore_a_file(saved):
    path, expected, model = saved
    for restore in (AsrPunctModel.restore_from, AsrPunctModel.from_pretrained, ModelPT.restore_from):
        restored = restore(str(path))
        assert type(restored) is AsrPunctModel
        assert restored.add_punctuation_capitalization(QUERIES, return_labels=True) == expected
        assert restored.info == model.info
    assert AsrPunctModel.restore_from(path, return_config=True).info.model.language == "es"


def test_a_missing_file(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    for path in (tmp_path / "a.nemo", "~/a.nemo"):
        with pytest.raises(ModelError, match=r"a\.nemo: found no such file, expected a \.nemo file"):
            AsrPunctModel.restore_from(path)


def test_a_restored_model_is_saved_again_without_the_first_file(saved, tmp_path):
    path, expected, _ = saved
    copy = tmp_path / "copy.nemo"
    copy.write_bytes(path.read_bytes())
    model = ModelPT.restore_from(str(copy))
    copy.unlink()
    model.save_to(str(tmp_path / "deep" / "b.nemo"))
    assert [file.name for file in (tmp_path / "deep").iterdir()] == ["b.nemo"]
    again = AsrPunctModel.restore_from(tmp_path / "deep" / "b.nemo")
    assert again.add_punctuation_capitalization(QUERIES, return_labels=True) == expected


def test_directories_and_files_convert_to_each_other(saved, tmp_path):
    _, expected, model = saved
    model.save_directory(tmp_path / "model")
    assert (
        Punctuator.from_pretrained(tmp_path / "model").add_punctuation_capitalization(QUERIES, return_labels=True)
        == expected
    )
    AsrPunctModel.from_pretrained(str(tmp_path / "model")).save_to(str(tmp_path / "b.nemo"))
    AsrPunctModel.restore_from(tmp_path / "b.nemo").save_directory(tmp_path / "again")
    for name in (WEIGHTS, "tokenizer.json", "config.json"):
        assert (tmp_path / "again" / name).read_bytes() == (tmp_path / "model" / name).read_bytes()


def test_a_casing_list_goes_with_the_model(saved, tmp_path):
    _, _, model = saved
    model.save_directory(tmp_path / "model")
    (tmp_path / "model" / "casing.txt").write_text("MiRa\n")
    AsrPunctModel.from_pretrained(str(tmp_path / "model")).save_to(str(tmp_path / "a.nemo"))
    (text,) = AsrPunctModel.restore_from(tmp_path / "a.nemo").add_punctuation_capitalization(["mira"])
    assert "MiRa" in text


@pytest.mark.skipif(not shipped_models(), reason="no model is shipped")
def test_shipped_models_are_listed_and_found_by_the_old_names(monkeypatch, tmp_path):
    assert {model.pretrained_model_name for model in AsrPunctModel.list_available_models()} == set(shipped_models())
    queries = ["how are you", "great how about you"]
    model = PunctuationCapitalizationModel.from_pretrained("punctuation_en_bert")
    assert model.task is not None
    expected = Punctuator.from_pretrained("en").add_punctuation_capitalization(queries)
    assert model.add_punctuation_capitalization(queries, batch_size=1, max_seq_length=64, step=8, margin=16) == expected
    monkeypatch.setattr("asr_punct.hub.TRAINABLE", tmp_path)
    graph = AsrPunctModel.from_pretrained("en")
    assert graph.task is None
    assert graph.add_punctuation_capitalization(queries) == expected
    graph.save_to(str(tmp_path / "en.nemo"))
    assert AsrPunctModel.restore_from(tmp_path / "en.nemo").add_punctuation_capitalization(queries) == expected
    with pytest.raises(AsrPunctError, match="found only an ONNX graph"):
        Trainer(max_epochs=1, logger=False, enable_checkpointing=False, accelerator="cpu").fit(graph)


def test_training_goes_on_from_a_file(saved, corpus):
    path, _, _ = saved
    trainer = Trainer(
        max_epochs=1, logger=False, enable_checkpointing=False, accelerator="cpu", enable_progress_bar=False
    )
    model = AsrPunctModel.restore_from(path, trainer=trainer)
    before = {name: weight.clone() for name, weight in model.state_dict().items()}
    model.setup_training_data({"directory": str(corpus)})
    trainer.fit(model)
    assert any(not torch.equal(weight, before[name]) for name, weight in model.state_dict().items())
    assert 0 <= float(trainer.callback_metrics["dev_f1"]) <= 1


class Hostile:
    """A pickle that calls a function."""

    def __reduce__(self):
        return print, ("run",)


def test_weights_that_are_more_than_tensors_are_refused(saved, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", "1")
    torch.save({"task.x": Hostile()}, tmp_path / "code.ckpt")
    torch.save({"task.x": torch.zeros(2)}, tmp_path / "other.ckpt")
    for name, error_text in (("code", "expected tensors by name"), ("other", "expected the weights")):
        with pytest.raises(ModelError, match=error_text) as error:
            AsrPunctModel.restore_from(repacked(saved[0], tmp_path, tmp_path / f"{name}.ckpt"))
        assert "\n" not in str(error.value)
        assert AsrPunctModel(saved[2].cfg).info == saved[2].info  # no longer taken for one that is restored
    assert "run" not in capsys.readouterr().out.split()


def repacked(path, folder, weights):
    """The file with other weights."""
    with tarfile.open(path) as archive:
        archive.extractall(folder / "content", filter="data")
    shutil.copy(weights, folder / "content" / NEMO_WEIGHTS)
    with tarfile.open(folder / "changed.nemo", "w") as archive:
        archive.add(folder / "content", arcname=".")
    return folder / "changed.nemo"


@pytest.mark.parametrize(
    ("values", "error"),
    [
        ({"config": "small", "settings": ["training.optimizer.ema_decay=0.0"]}, "model.data: found nothing"),
        ({"config": "small", "data": "nowhere"}, "no such file"),
        ({"directory": "nowhere"}, "no such file"),
        ({"info": {"format": 99}}, "format 99"),
    ],
)
def test_unusable_configurations(values, error):
    with pytest.raises(AsrPunctError, match=error):
        AsrPunctModel(OmegaConf.create(values))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "model.data: found nothing, expected a directory"),
        (["model.data=nowhere"], "nowhere/train.tsv: found no such file"),
        (["+trainer.foo=1"], "trainer: found Trainer.__init__() got an unexpected keyword argument 'foo', expected "),
    ],
)
def test_wrong_input_of_the_training_command_is_one_line(arguments, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["train.py", "exp_manager.exp_dir=exp", *arguments])
    with pytest.raises(SystemExit, match="2"):
        main()
    error = capsys.readouterr().err
    assert error.splitlines()[-1].startswith(f"train.py: {message}")
    assert "Traceback" not in error


def test_weights_are_averaged_by_nemo(corpus, tmp_path):
    values = configuration(tmp_path, corpus, model={"settings": ["training.optimizer.ema_decay=0.9"]}).model
    with pytest.raises(AsrPunctError, match=r"under NeMo exp_manager\.ema averages"):
        AsrPunctModel(values)


def test_transcripts_of_nemo_are_punctuated(saved, tmp_path):
    """A tiny CTC model with random weights."""
    np, soundfile = pytest.importorskip("numpy"), pytest.importorskip("soundfile")
    models = pytest.importorskip("nemo.collections.asr.models")
    recogniser = models.EncDecCTCModel(cfg=ctc_configuration()).eval()
    sound = np.random.default_rng(0).normal(0, 0.1, 16000 * 2).astype("float32")
    soundfile.write(tmp_path / "a.wav", sound, 16000)
    punctuator = saved[2].punctuator
    for timestamps in (True, False):
        (before,) = recogniser.transcribe([str(tmp_path / "a.wav")], timestamps=timestamps, verbose=False)
        (found,) = punctuate_hypotheses([before], punctuator)
        assert type(found) is type(before)
        assert letters(found.text) == letters(before.text) != ""
        if timestamps:
            assert list(found.timestamp) == list(before.timestamp)
            for entry, old in zip(found.timestamp["word"], before.timestamp["word"], strict=True):
                assert letters(entry["word"]) == letters(old["word"])
                assert {**entry, "word": ""} == {**old, "word": ""}
            texts = [segment["segment"] for segment in found.timestamp["segment"]]
            assert " ".join(texts) == found.text
            assert set(found.timestamp["segment"][0]) == set(before.timestamp["segment"][0])
        else:
            assert found.timestamp is before.timestamp


def letters(text):
    return [word for word in ("".join(c for c in part if c.isalpha()).lower() for part in text.split()) if word]


def ctc_configuration():
    vocabulary = [" ", *"abcdeo"]
    parts = "nemo.collections.asr.modules."
    layer = {"filters": 16, "repeat": 1, "kernel": [3], "stride": [2], "dilation": [1], "dropout": 0.0}
    return OmegaConf.create(
        {
            "sample_rate": 16000,
            "preprocessor": {
                "_target_": parts + "AudioToMelSpectrogramPreprocessor",
                "sample_rate": 16000,
                "window_size": 0.025,
                "window_stride": 0.01,
                "features": 16,
                "dither": 0.0,
                "pad_to": 0,
            },
            "encoder": {
                "_target_": parts + "ConvASREncoder",
                "feat_in": 16,
                "activation": "relu",
                "conv_mask": True,
                "jasper": [{**layer, "residual": False, "separable": True}],
            },
            "decoder": {
                "_target_": parts + "ConvASRDecoder",
                "feat_in": 16,
                "num_classes": len(vocabulary),
                "vocabulary": vocabulary,
            },
        }
    )
