import copy
import dataclasses
import subprocess
import sys
import types
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from dummies import refused, tiny_config, write_corpus
from model_dummies import funnel, inputs, window, write_model
from test_corpora import treebank

from asr_punct.checkpoint import TOKENIZER, WEIGHTS, ModelInfo, read_info, write_info
from asr_punct.config import Config, PosConfig, from_mapping
from asr_punct.errors import ConfigError, MissingPackageError, ModelError
from asr_punct.features import WordInput, collate
from asr_punct.model.encoder import encoder_from_settings, new_encoder
from asr_punct.model.pos import FlairTagger, PosFusion, PosTagger
from asr_punct.model.pretrained import pretrained_encoder
from asr_punct.model.tagger import Tagger
from asr_punct.model.torch_backend import TorchBackend
from asr_punct.model.weights import load_pos_tagger, load_tagger, save_tagger
from asr_punct.subwords import SubwordTokenizer, train_tokenizer
from asr_punct.training.export import export
from asr_punct.training.fit import train

POS = PosConfig(tagger="own", width=8, table_width=6, kernels=(3, 3))
WIDTH = 32
RECIPE = Path(__file__).parent.parent / "recipes" / "pos.py"


def config(pos=POS, **context):
    model = tiny_config().model
    context = dataclasses.replace(model.context, **{"kind": "attention", **context})
    return dataclasses.replace(model, pos=pos, context=context)


def model_of(model, seed=0):
    torch.manual_seed(seed)
    return Tagger(model, new_encoder(model.encoder, 60, 0)).eval()


def same(found, expected):
    return found.keys() == expected.keys() and all(torch.equal(found[name], expected[name]) for name in expected)


def batch(*sizes):
    rng = np.random.default_rng(0)
    return inputs([window(rng, size) for size in sizes])


def literal_tags(tagger, features):
    """The most probable tags, window by window and without padding."""
    for ids, ends in zip(features["input_ids"], features["word_index"], strict=True):
        words = ends[ends > 0][None]
        yield tagger.logits(ids[None, : int(words.max()) + 2], words)[0].argmax(-1)


def test_a_word_is_joined_to_the_embedding_of_its_tag():
    """Shi et al. 2021, section 2.1: E looks the predicted tags up in W, and C is H beside E."""
    torch.manual_seed(0)
    tagger = PosTagger(POS, 60)
    torch.nn.init.normal_(tagger.words.table.weight)
    fusion = PosFusion(tagger, WIDTH).eval()
    fusion.copy_tagger_weights()
    features, vectors = batch(5, 9), torch.randn(2, 9, WIDTH)
    found = fusion(vectors, features["input_ids"], features["word_index"])
    assert found.shape == (2, 9, fusion.width) == (2, 9, WIDTH + 8)
    assert torch.equal(found[..., :WIDTH], vectors)
    tags = list(literal_tags(tagger, features))
    for row, row_tags in zip(found, tags, strict=True):
        assert torch.equal(row[: len(row_tags), WIDTH:], tagger.linear.weight[row_tags])
    assert len(torch.cat(tags).unique()) > 1


def test_the_embeddings_learn_and_the_tagger_does_not():
    model = model_of(config()).train()
    before = {name: value.clone() for name, value in model.state_dict().items()}
    assert not model.pos.tagger.training
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.1, weight_decay=0.1)
    model(**batch(5, 9)).mark_logits.sum().backward()
    optimizer.step()
    changed = {name for name, value in model.state_dict().items() if not torch.equal(value, before[name])}
    assert "pos.table.weight" in changed
    assert not any(name.startswith("pos.tagger") for name in changed)


def test_a_directory_keeps_the_tagger_and_its_graph_equals_it(tmp_path):
    model = write_model(tmp_path / "model", config())
    assert export(tmp_path / "model") <= 1e-4
    loaded = load_tagger(tmp_path / "model" / WEIGHTS, read_info(tmp_path / "model"))
    assert same(loaded.state_dict(), model.state_dict())


def test_a_tagger_s_file_keeps_its_weights_in_half_precision(tmp_path):
    tagger = PosTagger(POS, 60)
    save_tagger(copy.deepcopy(tagger).half(), tmp_path / WEIGHTS)
    for path in (tmp_path, tmp_path / WEIGHTS):
        other = PosTagger(POS, 60)
        load_pos_tagger(other, path)
        assert same(other.state_dict(), {name: value.half().float() for name, value in tagger.state_dict().items()})
    with refused(WEIGHTS, "weight words.table.weight of shape (61, 6) instead of (62, 6)", ModelError):
        load_pos_tagger(PosTagger(POS, 61), tmp_path)
    with refused("none", kind=ModelError):
        load_pos_tagger(tagger, tmp_path / "none")


def bert(directory, words):
    """A tiny BERT with a tokenizer of these words, as a hub has it."""
    transformers = pytest.importorskip("transformers")
    directory.mkdir()
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words]
    (directory / "vocab.txt").write_text("\n".join(vocabulary))
    transformers.BertTokenizerFast(str(directory / "vocab.txt")).save_pretrained(directory)
    sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    encoder = transformers.BertModel(transformers.BertConfig(vocab_size=len(vocabulary), **sizes))
    encoder.save_pretrained(directory)
    return directory


WORDS = {"ana": "PROPN", "luis": "PROPN", "mira": "VERB", "la": "DET", "casa": "NOUN", "ley": "NOUN", "está": "VERB"}


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """An encoder, and a tagger that the recipe trained for it: two directories."""
    folder = tmp_path_factory.mktemp("pos")
    encoder = bert(folder / "encoder", WORDS)
    rng = np.random.default_rng(0)
    drawn = [[list(WORDS)[i] for i in rng.integers(0, len(WORDS), 8)] for _ in range(60)]
    bank = [[(i, word, WORDS[word]) for i, word in enumerate(words, 1)] for words in drawn]
    path, output = treebank(folder / "a.conllu", bank), folder / "tagger"
    command = [sys.executable, RECIPE, "--train", path, "--dev", path, "--test", path, "--epochs", 80, "-o", output]
    settings = [f"model.encoder.name={encoder}", *(f"model.pos.{key}" for key in ("width=32", "table_width=16"))]
    result = subprocess.run([*map(str, command), *settings], capture_output=True, text=True)
    return types.SimpleNamespace(encoder=encoder, tagger=output, result=result)


def test_the_recipe_learns_the_tags(trained):
    assert trained.result.returncode == 0, trained.result.stderr
    lines = trained.result.stdout.splitlines()
    assert float(lines[-1].split("\t")[0]) > 0.95


def fusion_config(trained, **changes):
    values = {
        "model": {
            "encoder": {"name": str(trained.encoder)},
            "pos": {"tagger": "own", "width": 32, "table_width": 16, **changes.pop("pos", {})},
            "context": {"kind": "attention", "layers": 1, "heads": 2, "feed_forward": 16},
            "window": {"words": 16, "margin": 4},
        },
        "training": {"epochs": 1, "precision": "fp32", "pos_tagger": str(trained.tagger), **changes},
    }
    return from_mapping(Config, values, "x")


@pytest.mark.parametrize("weights", ["tagger", "random"])
def test_embeddings_start_as_the_tagger_s_weights_or_at_random(weights, trained, tmp_path):
    corpus = write_corpus(tmp_path / "corpus", 20, 10)
    options = fusion_config(trained, pos={"weights": weights}, learning_rate=1e-9)
    info = train(options, corpus, tmp_path / "model", device="cpu")
    model = load_tagger(tmp_path / "model" / WEIGHTS, info)
    tagger = PosTagger(options.model.pos, len(WORDS) + 5)
    load_pos_tagger(tagger, trained.tagger)
    assert torch.equal(model.pos.tagger.linear.weight, tagger.linear.weight)
    assert torch.allclose(model.pos.table.weight, tagger.linear.weight, atol=1e-4) == (weights == "tagger")


def test_an_own_tagger_without_weights(trained, tmp_path):
    corpus = write_corpus(tmp_path / "corpus", 20, 10)
    with refused("training.pos_tagger", "nothing", ConfigError):
        train(fusion_config(trained, pos_tagger=None), corpus, tmp_path / "model", device="cpu")
    assert not (tmp_path / "model").exists()


class FakeTagger:
    """A stand-in for flair's SequenceTagger, its tokens and its dictionary: the tag is the length of the word."""

    tag_type = "upos"

    @classmethod
    def load(cls, name):
        if name != "here":
            raise FileNotFoundError(f"no {name}")
        tagger = cls()
        tagger.linear, tagger.label_dictionary = torch.nn.Linear(4, 9), tagger
        return tagger

    def get_idx_for_item(self, name):
        return int(name)

    def predict(self, sentences):
        FakeTagger.read = [[token.text for token in sentence] for sentence in sentences]


def fake_token(text):
    return types.SimpleNamespace(text=text, get_label=lambda kind: types.SimpleNamespace(value=str(len(text))))


@pytest.fixture
def flair(monkeypatch):
    monkeypatch.setitem(sys.modules, "flair", types.ModuleType("flair"))
    monkeypatch.setitem(
        sys.modules, "flair.data", types.SimpleNamespace(Sentence=lambda words: [*map(fake_token, words)])
    )
    monkeypatch.setitem(sys.modules, "flair.models", types.SimpleNamespace(SequenceTagger=FakeTagger))


FLAIR = PosConfig(tagger="flair", name="here")
TEXT = [["mira", "la", "casa"], ["dónde", "está"]]


def tokenizer_of(words):
    return SubwordTokenizer(train_tokenizer(words, 60), max_subwords=8)


def features_of(tokenizer, windows):
    words = [[WordInput(subwords, 0) for subwords in tokenizer.encode(window)] for window in windows]
    return collate(words, tokenizer.start, tokenizer.end, tokenizer.pad)


def test_flair_tags_the_words(flair):
    tokenizer = tokenizer_of(TEXT[0] + TEXT[1])
    tagger = FlairTagger("here", tokenizer)
    features = features_of(tokenizer, TEXT)
    tags = tagger(torch.from_numpy(features.input_ids), torch.from_numpy(features.word_index))
    assert FakeTagger.read == TEXT
    assert tags.tolist() == [[4, 2, 4], [5, 4, 0]]


def test_a_directory_with_flair_keeps_the_embeddings_and_has_no_graph(flair, tmp_path, monkeypatch):
    tokenizer = tokenizer_of(TEXT[0] + TEXT[1])
    model = Tagger(config(FLAIR), new_encoder(config().encoder, tokenizer.size, 0), tokenizer).eval()
    assert torch.equal(model.pos.table.weight, model.pos.tagger.weights)
    assert not any("tagger" in name for name in model.state_dict())
    with torch.no_grad():
        model.pos.table.weight += 1
    (tmp_path / TOKENIZER).write_text(tokenizer.to_json(), encoding="utf-8")
    save_tagger(model, tmp_path / WEIGHTS)
    write_info(tmp_path, ModelInfo(config(FLAIR), model.encoder.settings))
    info, features = read_info(tmp_path), features_of(tokenizer, TEXT)
    expected = model(**{name: torch.from_numpy(array) for name, array in features.inputs().items()})
    found = TorchBackend.load(tmp_path / WEIGHTS, info, "cpu").probabilities(features)
    np.testing.assert_allclose(found.labels, expected.mark_logits.sigmoid().detach().numpy(), atol=1e-5)
    with refused(tmp_path, "the POS tagger flair"):
        export(tmp_path)
    for name in ("flair", "flair.data", "flair.models"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingPackageError, match=r"pos\.tagger flair: found no package flair, .* pip install flair"):
        load_tagger(tmp_path / WEIGHTS, info)


def test_a_missing_flair_tagger(flair):
    with refused("model.pos.name", "'there'", ConfigError):
        FlairTagger("there", tokenizer_of(TEXT[0]))
    with refused("model.pos.tagger", "flair", ConfigError):
        model_of(config(FLAIR))


def test_a_funnel_transformer_under_the_fusion(tmp_path):
    """Its decoder gives a vector for each sub-word again, of width d_model."""
    funnel(tmp_path)
    encoder = pretrained_encoder(str(tmp_path)).eval()
    model_config = config(heads=2)
    model = Tagger(model_config, encoder).eval()
    for sizes in ((1,), (2, 1), (9, 5)):
        assert model(**batch(*sizes)).mark_logits.shape == (len(sizes), max(sizes), 13)
    again = Tagger(model_config, encoder_from_settings(encoder.settings)).eval()
    again.load_state_dict(model.state_dict())
    assert torch.equal(again(**batch(5)).mark_logits, model(**batch(5)).mark_logits)
