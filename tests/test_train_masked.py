"""Hidden words for an encoder of es-eu: batches, a training that stops and goes on, and options of gpu.sh."""

import subprocess
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import train_masked
from dummies import save_cased_encoder, write_corpus
from transformers import AutoModel

from asr_punct.errors import InputError
from asr_punct.model.pretrained import pretrained_encoder, pretrained_tokenizer
from asr_punct.training.mapped import StoredCorpus

GPU = Path(__file__).parent.parent / "egs" / "models" / "gpu.sh"


@pytest.mark.parametrize("options", [[], ["--task", "large"], ["--task", "en", "--minutes", "0"], ["en"]])
def test_wrong_options_of_the_tasks_for_a_gpu(options):
    done = subprocess.run([GPU, "--venv", "none", *options], capture_output=True, text=True)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    return save_cased_encoder(tmp_path_factory.mktemp("encoder"))


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    return write_corpus(tmp_path_factory.mktemp("corpus")) / "train.tsv"


def test_whole_words_are_hidden_and_found_again(encoder, text):
    corpus = StoredCorpus.open(text).encode(pretrained_tokenizer(str(encoder), 16))
    batch = train_masked.draw_batch(corpus, step=3, rows=40, words=20)
    hidden, ids = batch.targets >= 0, batch.input_ids
    assert 0.1 < hidden.float().mean() / batch.attention_mask.float().mean() < 0.3
    assert 0.6 < (ids[hidden] == corpus.vocabulary.unknown).float().mean() < 1
    words = torch.where(hidden, batch.targets, ids)
    start, end, _ = corpus.vocabulary.special
    rows = [row[seen > 0].tolist() for row, seen in zip(words, batch.attention_mask, strict=True)]
    assert {(row[0], row[-1]) for row in rows} == {(start, end)}
    all_subwords = " ".join(map(str, corpus.vocabulary.gather(np.asarray(corpus.words))))
    assert all(" ".join(map(str, row[1:-1])) in all_subwords for row in rows)
    assert torch.equal(train_masked.draw_batch(corpus, step=3, rows=40, words=20).input_ids, ids)


def test_a_stopped_training_goes_on_to_its_last_step(encoder, text, tmp_path, capsys):
    def train(steps, seconds):
        torch.manual_seed(1)
        output = tmp_path / "masked"
        train_masked.main(text, encoder, output, steps, 4, 10, seconds=seconds, learning_rate=1e-3, device="cpu")
        return pretrained_encoder(str(output)), capsys.readouterr().out

    _, first = train(3, 0.0)
    trained, last = train(3, 600.0)
    assert ("0 of 3 steps: run the same command again" in first, "3 of 3 steps\n" in last) == (True, True)
    before = AutoModel.from_pretrained(encoder).get_input_embeddings().weight
    assert not torch.equal(trained.table.weight, before)
    again, _ = train(3, 600.0)
    assert torch.equal(again.table.weight, trained.table.weight)
    with pytest.raises(InputError, match="a run of 3 steps, expected 5"):
        train(5, 600.0)
