import json
import shutil
from dataclasses import replace

import pytest
from dummies import json_lines, refused, utterances

from asr_punct import hub as package
from asr_punct import scoring
from asr_punct.checkpoint import (
    CASING,
    CONFIG,
    ONNX,
    ONNX_INT8,
    SCORES,
    TOKENIZER,
    WEIGHTS,
    file_sha256,
    read_info,
    write_info,
)
from asr_punct.cli.describe import describe, list_models
from asr_punct.errors import ArgumentError, InputError, ModelError
from asr_punct.hub import find_model, find_trainable_model, shipped_models
from asr_punct.inference.backend import OnnxBackend, open_backend
from asr_punct.inference.punctuator import Punctuator


@pytest.fixture
def copy(model, tmp_path):
    """A model directory that may be damaged."""
    return shutil.copytree(model, tmp_path / "copy", ignore=shutil.ignore_patterns("training"))


def altered(directory, *keys, value):
    """Change one value of `config.json`."""
    path = directory / "config.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    inner = content
    for key in keys[:-1]:
        inner = inner[key]
    inner[keys[-1]] = value
    path.write_text(json.dumps(content), encoding="utf-8")


def test_a_description_lists_the_parts_of_a_model(model):
    plain = read_info(model)
    assert "tagger" not in describe(model, plain)
    changed = replace(
        plain.model,
        pos=replace(plain.model.pos, tagger="own"),
        encoder=replace(plain.model.encoder, sequence_hidden=8),
        window=replace(plain.model.window, tokens=100),
    )
    text = describe(model, replace(plain, model=changed))
    assert "parts of speech   own tagger" in text
    assert "token labelling   one linear layer over all 100 tokens" in text


def describe_model(directory):
    describe(directory, read_info(directory))


def export_graph(directory):
    from asr_punct.training.export import export

    export(directory)


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (describe_model, ONNX_INT8),
        (export_graph, TOKENIZER),
        (export_graph, WEIGHTS),
        (Punctuator.from_pretrained, TOKENIZER),
        (Punctuator.from_pretrained, ONNX),
        (Punctuator.from_pretrained, "config.json"),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_a_missing_file_is_reported(copy, function, name):
    (copy / name).unlink()
    with refused(copy / name, "no such file", ModelError):
        function(copy)


@pytest.mark.parametrize("target", ["missing", CASING, "."])
def test_a_link_is_read_if_it_leads_to_a_file(copy, tmp_path, target):
    """As in caches of the Hub."""
    content = tmp_path / "content"
    content.write_text("EiTB\n", encoding="utf-8")
    (copy / CASING).symlink_to(content)
    altered(copy, "files", CASING, value=file_sha256(content))
    assert Punctuator.from_pretrained(copy)("ana")
    (copy / CASING).unlink()
    (copy / CASING).symlink_to(target)
    with refused(copy / CASING, "no such file", ModelError):
        Punctuator.from_pretrained(copy)


@pytest.mark.parametrize(("keys", "value", "key", "found"), json_lines("model_config_errors.jsonl"))
def test_a_bad_value_is_reported_by_key(copy, keys, value, key, found):
    altered(copy, *keys, value=value)
    with refused(f"{copy / CONFIG}: {key}" if key else copy / CONFIG, found):
        read_info(copy)


@pytest.mark.parametrize("key", ["asr_punct", "decoding", "new"])
def test_other_keys_of_the_configuration_are_ignored(copy, model, key):
    altered(copy, key, value=3)
    assert read_info(copy) == read_info(model)


@pytest.mark.parametrize("content", ["", "[]", "3", "null", "{", '{"format": 1}', '{"format": %s}' % ("9" * 5000)])
def test_a_foreign_configuration_is_refused(tmp_path, content):
    (tmp_path / CONFIG).write_text(content, encoding="utf-8")
    with refused(tmp_path / CONFIG):
        read_info(tmp_path)


# Graphs


@pytest.mark.parametrize(
    ("files", "graph", "opened"),
    [([ONNX, ONNX_INT8], None, ONNX), ([ONNX, ONNX_INT8], "int8", ONNX_INT8), ([ONNX_INT8], None, ONNX_INT8)],
)
def test_the_requested_graph_is_opened(copy, monkeypatch, files, graph, opened):
    content = json.loads((copy / "config.json").read_text(encoding="utf-8"))["files"]
    altered(copy, "files", value={name: content[name] for name in files})
    paths = []
    monkeypatch.setattr(OnnxBackend, "__init__", lambda self, path, threads=0: paths.append(path))
    open_backend(copy, read_info(copy), graph=graph)
    assert paths == [copy / opened]


def test_a_graph_that_cannot_be_opened(copy):
    content = json.loads((copy / "config.json").read_text(encoding="utf-8"))["files"]
    altered(copy, "files", value={ONNX: content[ONNX]})
    with refused(ONNX_INT8, "no such file", ModelError):
        open_backend(copy, read_info(copy), graph="int8")
    with pytest.raises(ArgumentError) as error:
        open_backend(copy, read_info(copy), "cuda", graph="fp32")
    assert (error.value.place, error.value.found) == ("device", "'cuda'")


@pytest.mark.parametrize(
    ("keys", "value", "place"),
    [
        (("model", "heads"), {"kind": "classes", "classes": ["O", "COMMA"]}, ONNX),
        (("encoder", "model_type"), [], f"{CONFIG}: encoder.model_type"),
        (("encoder", "model_type"), {}, f"{CONFIG}: encoder.model_type"),
    ],
)
def test_sizes_that_do_not_fit_the_graph(copy, keys, value, place):
    altered(copy, *keys, value=value)
    with refused(copy / place, kind=ModelError):
        Punctuator.from_pretrained(copy)


def test_token_ids_that_do_not_fit_the_graph(copy):
    tokenizer = json.loads((copy / TOKENIZER).read_text(encoding="utf-8"))
    tokenizer["model"]["vocab"]["[CLS]"] = 10**9
    for token in tokenizer["added_tokens"]:
        token["id"] = tokenizer["model"]["vocab"][token["content"]]
    (copy / TOKENIZER).write_text(json.dumps(tokenizer), encoding="utf-8")
    altered(copy, "files", TOKENIZER, value=file_sha256(copy / TOKENIZER))
    with refused(copy / ONNX, kind=ModelError):
        Punctuator.from_pretrained(copy)("ana")


# Models that ship


@pytest.fixture
def shipped(model, tmp_path, monkeypatch):
    """A package with a default model, and the directory that stands for a checkout's `egs/models`."""
    directory = tmp_path / "pretrained" / "es-eu"
    directory.mkdir(parents=True)
    for name in (TOKENIZER, ONNX_INT8):
        shutil.copy(model / name, directory)
    write_info(directory, replace(read_info(model), training={"parameters": 8_765_432, "licence": "CC BY-SA 4.0"}))
    labelled = utterances(20, 1)
    sets = {"es/congreso": scoring.score(labelled, labelled), "iwslt/test2011": scoring.score(labelled, labelled, 4)}
    scoring.write_score_sets(sets, directory / SCORES)
    monkeypatch.setattr(package, "PRETRAINED", tmp_path / "pretrained")
    monkeypatch.setattr(package, "TRAINABLE", tmp_path / "egs")
    monkeypatch.chdir(tmp_path)
    return directory


def test_the_default_model_is_the_shipped_one(shipped, tmp_path):
    assert find_model(None) == find_model("") == find_model("es-eu") == shipped
    (tmp_path / "es-eu").mkdir()
    assert find_model(None) == shipped
    assert str(find_model("es-eu")) == "es-eu"
    assert Punctuator.from_pretrained().info == read_info(shipped)


def test_training_starts_from_the_weights_of_a_checkout_or_the_model_path(shipped, tmp_path, model, monkeypatch):
    with refused("es-eu", "no model.safetensors", ModelError):
        find_trainable_model("es-eu")
    weights = tmp_path / "egs" / "es-eu"
    shutil.copytree(model, weights)
    assert find_trainable_model("es-eu") == weights
    released = shutil.copytree(model, tmp_path / "release" / "es-eu")
    monkeypatch.setenv("ASR_PUNCT_MODELS", str(tmp_path / "release"))
    assert find_trainable_model("es-eu") == released
    assert find_trainable_model(str(model)) == model
    shutil.copy(model / WEIGHTS, shipped)
    write_info(shipped, read_info(shipped))
    assert find_trainable_model("es-eu") == shipped


def test_models_are_listed_with_facts_and_scores(shipped):
    listed = list_models(shipped_models())
    assert max(map(len, listed.splitlines())) <= 80
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in listed.splitlines() if "|" in line]
    size = sum((shipped / name).stat().st_size for name in (TOKENIZER, ONNX_INT8)) / 1e6
    assert rows[2] == ["es-eu", "es", f"{size:.1f} MB", "8.8 M", "CC BY-SA 4.0"]
    assert "each text gets the model of its language:\n\n* Spanish (es), and other languages: es-eu\n" in listed
    words = str(sum(len(utterance.words) for utterance in utterances(20, 1)))
    assert rows[5] == ["es-eu", "es/congreso", words, "13", "100.0", "100.0"]
    assert rows[6] == ["es-eu", "iwslt/test2011", words, "3", "100.0", "100.0"]
    write_info(shipped, replace(read_info(shipped), training={}))
    assert "|          – |       – |" in list_models(shipped_models())


def test_a_damaged_shipped_model(shipped):
    directories = shipped_models()
    (shipped / SCORES).unlink()
    assert shipped.name in list_models(directories)  # a model may have no scores
    (shipped / SCORES).write_text("[]")
    with pytest.raises(InputError):
        list_models(directories)
    (shipped / CONFIG).unlink()
    with refused(CONFIG, "no such file"):
        list_models(directories)
