"""Distillation: models that learn from a trained model."""

from dataclasses import replace

import pytest
from dummies import refused, tiny_config

pytest.importorskip("lightning")

import torch

from asr_punct.formats.lines.tsv import read_tsv, write_tsv
from asr_punct.marks import CASES, MARKS, Labels
from asr_punct.model.tagger import TaggerOutput
from asr_punct.subwords import SubwordTokenizer, train_tokenizer
from asr_punct.training.batches import Batch
from asr_punct.training.datamodule import PunctuationData
from asr_punct.training.fit import train
from asr_punct.training.mapped import Corpora
from asr_punct.training.teacher import Teacher, distillation_loss
from asr_punct.words import annotate


@pytest.fixture
def unlabelled(corpus, tmp_path):
    """The corpus without the labels of its training text."""
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "dev.tsv").write_bytes((corpus / "dev.tsv").read_bytes())
    with (folder / "train.tsv").open("w", encoding="utf-8") as out:
        utterances = read_tsv(corpus / "train.tsv")
        write_tsv((annotate(u, labels=(Labels(),) * len(u.words)) for u in utterances), out)
    return folder


def student(teacher, vocabulary=80, **training):
    """A configuration with another tokenizer than the teacher's."""
    config = tiny_config(teacher=str(teacher), **training)
    return replace(config, model=replace(config.model, encoder=replace(config.model.encoder, vocabulary=vocabulary)))


def test_marks_and_case_are_learnt_from_the_teacher_alone(model, unlabelled, tmp_path):
    info = train(student(model, epochs=14, teacher_share=1.0), unlabelled, tmp_path / "student", device="cpu")
    assert min(info.training["dev_f1"], info.training["dev_case_f1"]) > 0.8


def test_labels_without_a_share_of_the_teacher(model, unlabelled, tmp_path):
    info = train(student(model, epochs=14, teacher_share=0.0), unlabelled, tmp_path / "student", device="cpu")
    assert info.training["dev_f1"] == 0


def test_the_teacher_reads_the_same_words_with_its_own_tokenizer(model, corpus):
    teacher = Teacher.load(str(model), 16)
    corpora = Corpora.open(corpus)
    tokenizer = SubwordTokenizer(train_tokenizer(corpora.train.words(), 40), 16)
    assert tokenizer.to_json() != teacher.tokenizer.to_json()
    data = PunctuationData(corpora, tokenizer, student(model), 512, teacher=teacher)
    batch = data.epoch(0)[0]
    words = (batch.inputs["word_index"] > 0).sum(dim=1)
    assert torch.equal((batch.teacher_inputs["word_index"] > 0).sum(dim=1), words)
    assert torch.equal(batch.teacher_inputs["pauses"], batch.inputs["pauses"])
    for row, count in enumerate(words.tolist()):
        texts = [
            "".join(
                names.decode([token])
                for token in inputs["input_ids"][row, 1 : inputs["word_index"][row, count - 1] + 1]
            )
            for names, inputs in ((tokenizer, batch.inputs), (teacher.tokenizer, batch.teacher_inputs))
        ]
        assert texts[0] == texts[1]
    part: Batch = batch.part(1, 2)
    assert torch.equal(part.teacher_inputs["word_index"] > 0, part.inputs["word_index"] > 0)


def test_the_loss_is_lowest_at_the_teacher():
    torch.manual_seed(0)
    taught = output()
    mask = torch.tensor([[True, True, False]])
    student = replace(taught, mark_logits=taught.mark_logits.clone(), case_logits=taught.case_logits.clone())
    logits = [student.mark_logits.requires_grad_(), student.case_logits.requires_grad_()]
    distillation_loss(student, taught, mask).backward()
    assert all(tensor.grad.abs().max() < 1e-6 for tensor in logits)
    assert distillation_loss(output(), taught, mask) > distillation_loss(student, taught, mask)


def output():
    marks, cases = torch.randn(1, 3, len(MARKS)), torch.randn(1, 3, len(CASES))
    return TaggerOutput(marks, cases, marks, marks.sigmoid())


def test_a_teacher_of_shorter_windows_is_refused(model, corpus, tmp_path):
    config = student(model)
    config = replace(config, model=replace(config.model, window=replace(config.model.window, words=17)))
    with refused(model, "windows of 16 words"):
        train(config, corpus, tmp_path / "student", device="cpu")


def test_a_missing_teacher_is_reported(unlabelled, tmp_path):
    with refused("training.teacher", "'nobody'"):
        train(student("nobody"), unlabelled, tmp_path / "student", device="cpu")
    assert not (tmp_path / "student").exists()
