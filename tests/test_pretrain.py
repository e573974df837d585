"""Replaced-token detection: what is hidden, guessed, replaced and learnt."""

import dataclasses

import pytest
from dummies import tiny_config

pytest.importorskip("lightning")

import torch
from safetensors.torch import load_file

from asr_punct.config import Config, as_mapping, from_mapping
from asr_punct.errors import AsrPunctError, ConfigError
from asr_punct.model.electra import ReplacedTokenDetector, sample
from asr_punct.model.encoder import new_encoder
from asr_punct.model.tagger import build_tagger
from asr_punct.training.electra_module import PretrainingModule
from asr_punct.training.fit import train
from asr_punct.training.pretrain import pretrain, training_of_words

MASK, VOCABULARY = 4, 60
KINDS = ["lookup", "transformer", "electra"]


def config_of(kind, **pretraining):
    values = as_mapping(tiny_config(epochs=2))
    values["model"]["encoder"] |= {"kind": kind, "table_width": 16, "pairs": 64, "pair_width": 8}
    values["model"]["context"] |= {"kind": "convolution", "kernels": [3, 0, 3], "dropout": 0.0}
    values["model"]["heads"] |= {"case_vectors": "context"}
    values["pretraining"] |= {"generator": 0.5, "learning_rate": 0.005, "epochs": 2} | pretraining
    return from_mapping(Config, values, "tiny")


def detector_of(kind, masked=0.4, hides="words"):
    torch.manual_seed(3)
    config = config_of(kind).model
    model = build_tagger(config, new_encoder(config.encoder, VOCABULARY, 0))
    return ReplacedTokenDetector(model, config, mask=MASK, masked=masked, generator=0.5, hides=hides)


def inputs_of():
    """Two windows: words of 1, 2, 3 and 1 sub-words, and of 2 and 1."""
    ids = [[2, 10, 11, 12, 13, 14, 15, 16, 3], [2, 17, 18, 19, 3, 0, 0, 0, 0]]
    return {
        "input_ids": torch.tensor(ids),
        "attention_mask": (torch.tensor(ids) > 0).long(),
        "word_index": torch.tensor([[1, 3, 6, 7], [2, 3, 0, 0]]),
        "pauses": torch.zeros(2, 4, dtype=torch.long),
        "boundaries": torch.zeros(2, 4, dtype=torch.long),
    }


@pytest.mark.parametrize("kind", KINDS)
def test_labels_are_those_of_a_loop(kind, monkeypatch):
    detector, inputs = detector_of(kind), inputs_of()
    seen = []
    for encoder in (detector.generator.encoder, detector.model.encoder):
        encoder.register_forward_pre_hook(lambda _, arguments: seen.append(arguments[0]))
    replaced_in_all = 0
    for seed in range(20):
        torch.manual_seed(seed)
        seen.clear()
        found = detector(inputs)
        masked, changed = seen
        hidden = []
        for row, places in enumerate(inputs["word_index"].tolist()):
            for column, place in enumerate(places):
                expected = place > 0 and changed[row, place] != inputs["input_ids"][row, place]
                assert bool(found.replaced[row, column]) == bool(expected)
                if place > 0 and masked[row, place] == MASK:
                    hidden.append(int(inputs["input_ids"][row, place]))
                replaced_in_all += bool(expected)
        assert found.hidden.tolist() == hidden
        assert found.guesses.shape == (len(hidden), VOCABULARY)
        others = torch.ones_like(masked, dtype=torch.bool)
        others[torch.tensor([0, 0, 0, 0, 1, 1]), torch.tensor([1, 3, 6, 7, 2, 3])] = False
        for ids in (masked, changed):
            assert torch.equal(ids[others], inputs["input_ids"][others])
    assert replaced_in_all > 20


@pytest.mark.parametrize("kind", ["transformer", "electra"])
def test_labels_of_tokens_are_those_of_a_loop(kind):
    """Where tokens are hidden, each but the special ones is as likely, and each has a label of its own."""
    detector, inputs = detector_of(kind, hides="tokens"), inputs_of()
    seen = []
    for encoder in (detector.generator.encoder, detector.model.encoder):
        encoder.register_forward_pre_hook(lambda _, arguments: seen.append(arguments[0]))
    counts = torch.zeros(2, 9)
    for seed in range(100):
        torch.manual_seed(seed)
        seen.clear()
        with torch.no_grad():
            found = detector(inputs)
        masked, changed = seen
        hidden = []
        for row, tokens in enumerate((7, 3)):
            for place in range(9):
                token = int(inputs["input_ids"][row, place])
                if not 1 <= place <= tokens:
                    assert masked[row, place] == changed[row, place] == token
                    continue
                assert found.is_word[row, place - 1]
                assert bool(found.replaced[row, place - 1]) == (int(changed[row, place]) != token)
                if masked[row, place] == MASK:
                    hidden.append(token)
                    counts[row, place] += 1
                else:
                    assert changed[row, place] == token
        assert found.hidden.tolist() == hidden
        assert found.is_word.sum() == 10
    assert counts[0, 1:8].min() > 20  # 40 expected
    assert counts[1, 1:4].max() < 60


def test_a_token_is_told_by_its_own_vector():
    detector, inputs = detector_of("electra", masked=0.0, hides="tokens"), inputs_of()
    detector.eval()
    found = detector(inputs)
    encoder, model = detector.model.encoder, detector.model
    states = encoder.encoder(inputs["input_ids"], inputs["attention_mask"]).last_hidden_state[:, 1:8]
    mask = torch.tensor([[1] * 7, [1] * 3 + [0] * 4])
    expected = detector.head(model.context(states * mask[..., None], mask)).squeeze(-1)
    assert torch.allclose(found.logits[found.is_word], expected[mask > 0], atol=1e-5)


def test_tables_cannot_tell_tokens():
    with pytest.raises(ConfigError, match="hides tokens needs a transformer"):
        detector_of("lookup", hides="tokens")


def test_a_guess_that_is_right_replaces_nothing(monkeypatch):
    detector, inputs = detector_of("lookup", masked=1.0), inputs_of()
    right = torch.tensor([10, 12, 15, 16, 18, 19])
    monkeypatch.setattr("asr_punct.model.electra.sample", lambda _: right)
    assert not detector(inputs).replaced.any()
    monkeypatch.setattr("asr_punct.model.electra.sample", lambda _: right + torch.tensor([0, 0, 1, 0, 0, 1]))
    assert detector(inputs).replaced.tolist() == [[False, False, True, False], [False, True, False, False]]


def test_no_word_hidden_is_no_fault():
    module = PretrainingModule(detector_of("lookup", masked=0.0), config_of("lookup").pretraining, None, 1)
    assert torch.isfinite(module.loss(module.detector(inputs_of())))


@pytest.mark.parametrize("kind", KINDS)
def test_the_generator_learns_nothing_from_the_detection(kind):
    detector = detector_of(kind)
    detector(inputs_of()).logits.sum().backward()
    shared = {id(parameter) for parameter in detector.model.parameters()}
    own = [parameter for parameter in detector.generator.parameters() if id(parameter) not in shared]
    assert own
    assert all(parameter.grad is None for parameter in own)
    detector.zero_grad(set_to_none=True)
    detector(inputs_of()).guesses.sum().backward()
    own = {id(parameter) for parameter in detector.generator.parameters()}
    learnt = {name for name, parameter in detector.model.named_parameters() if parameter.grad is not None}
    shared_names = {name for name, parameter in detector.model.named_parameters() if id(parameter) in own}
    assert learnt == shared_names
    assert detector.generator.table is detector.model.encoder.table


def test_sampling_follows_the_softmax():
    torch.manual_seed(0)
    logits = torch.tensor([0.0, 1.0, -2.0, 0.5])
    drawn = sample(logits.expand(40_000, 4))
    assert torch.bincount(drawn, minlength=4) / 40_000 == pytest.approx(logits.softmax(0).tolist(), abs=0.01)
    assert sample(torch.tensor([[-1e4, 0.0, -1e4]]).repeat(100, 1)).unique().tolist() == [1]


def test_words_alone_are_trained_on():
    config = config_of("lookup", epochs=7, learning_rate=0.003)
    training = training_of_words(config)
    assert (training.epochs, training.learning_rate, training.pause_dropout) == (7, 0.003, 1.0)
    assert training.seed == config.training.seed


def test_a_generator_of_no_fit_width_is_told():
    config = config_of("transformer").model
    model = build_tagger(config, new_encoder(config.encoder, VOCABULARY, 0))
    with pytest.raises(ConfigError, match="width 6 is not a multiple"):
        ReplacedTokenDetector(model, config, mask=MASK, masked=0.1, generator=0.2)


@pytest.mark.parametrize("kind", KINDS)
def test_training_starts_from_the_result(corpus, tmp_path, kind):
    config = config_of(kind)
    info = pretrain(config, corpus, tmp_path / "first", device="cpu")
    assert info.training["finished"]
    unmoved = dataclasses.replace(config.training, epochs=1, learning_rate=1e-12)
    train(
        dataclasses.replace(config, training=unmoved),
        corpus,
        tmp_path / "second",
        init=tmp_path / "first",
        device="cpu",
    )
    first, second = (load_file(tmp_path / name / "model.safetensors") for name in ("first", "second"))
    assert first.keys() == second.keys()
    assert all(torch.allclose(first[name], second[name], atol=1e-8) for name in first)
    assert (tmp_path / "first" / "tokenizer.json").read_bytes() == (tmp_path / "second" / "tokenizer.json").read_bytes()


def test_a_head_of_classes_has_them_from_the_corpus_that_it_is_trained_on(corpus, tmp_path):
    config = config_of("lookup")
    heads = dataclasses.replace(config.model.heads, kind="classes")
    config = dataclasses.replace(config, model=dataclasses.replace(config.model, heads=heads))
    first = pretrain(config, corpus, tmp_path / "first", device="cpu")
    assert first.model.heads.classes == ()
    second = train(config, corpus, tmp_path / "second", init=tmp_path / "first", device="cpu")
    assert {"O", "PERIOD"} <= set(second.model.heads.classes)


def test_it_learns_and_goes_on_after_a_stop(corpus, tmp_path, monkeypatch):
    config = config_of("lookup", epochs=12)
    whole = pretrain(config, corpus, tmp_path / "whole", device="cpu").training
    assert whole["dev_detection_f1"] > 0.6  # all words taken for replaced: below 0.25

    class StoppedError(Exception):
        pass

    epochs = iter(range(100))

    def stop(module):
        if next(epochs) == 5:
            raise StoppedError

    with monkeypatch.context() as patch:
        patch.setattr(PretrainingModule, "on_train_epoch_start", stop)
        with pytest.raises(StoppedError):
            pretrain(config, corpus, tmp_path / "cut", device="cpu")
    with pytest.raises(AsrPunctError, match="--resume"):
        pretrain(config, corpus, tmp_path / "cut", device="cpu")
    assert pretrain(config, corpus, tmp_path / "cut", resume=True, device="cpu").training == whole
    first, second = (load_file(tmp_path / name / "model.safetensors") for name in ("whole", "cut"))
    assert all(torch.equal(first[name], second[name]) for name in first)
    state = (tmp_path / "cut" / "config.json").read_bytes()
    pretrain(config, corpus, tmp_path / "cut", resume=True, device="cpu")
    assert (tmp_path / "cut" / "config.json").read_bytes() == state
    (tmp_path / "cut" / "config.json").unlink()  # killed between the last epoch and the end
    assert pretrain(config, corpus, tmp_path / "cut", resume=True, device="cpu").training == whole
