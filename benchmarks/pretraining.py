"""What pre-training is worth at equal compute: the same CPU time for training alone, and for both.

Every row has the same seed, data and windows. Its parts end by CPU time, their rates falling to 0 until then. The
development set is scored at thresholds of 0.5.

    python benchmarks/pretraining.py DATA [--seconds 360] [--shares 0 0.25 0.5] [--config small] [KEY=VALUE ...]

DATA has train.tsv and dev.tsv.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path

import torch

from asr_punct.config import Config, TrainingConfig
from asr_punct.model.device import has_bf16
from asr_punct.model.electra import ReplacedTokenDetector
from asr_punct.model.encoder import new_encoder
from asr_punct.model.tagger import Tagger, build_tagger
from asr_punct.subwords import SubwordTokenizer, train_tokenizer
from asr_punct.training.configuration import read_config
from asr_punct.training.corpus import read_words
from asr_punct.training.datamodule import TRAIN, DevelopmentBatches, PunctuationData
from asr_punct.training.electra_module import PretrainingModule
from asr_punct.training.lightning_module import DEV_CASE_F1, DEV_F1, BatchModule, PunctuationModule
from asr_punct.training.optim import build_optimizer, clip_gradients
from asr_punct.training.pretrain import training_of_words
from asr_punct.training.sampling import Batch

_MAX_TOKENS = 512
_WARMUP_STEPS = 30


def batches(corpora: PunctuationData) -> Iterator[Batch]:
    """Those of one epoch after the other."""
    for epoch in count():
        part = corpora.epoch(epoch)
        for index in range(len(part)):
            yield part[index]


def spend(module: BatchModule, training: TrainingConfig, source: Iterator[Batch], seconds: float) -> int:
    """Train for so much CPU time. Returns the words seen."""
    optimizer = build_optimizer(module, training)
    highest = [group["lr"] for group in optimizer.param_groups]
    begin, words = time.process_time(), 0
    for step in count():
        spent = (time.process_time() - begin) / seconds
        if spent >= 1:
            break
        batch = next(source)
        torch.manual_seed(step)
        for group, rate in zip(optimizer.param_groups, highest, strict=True):
            group["lr"] = rate * min(1, (step + 1) / _WARMUP_STEPS) * (1 - spent)
        optimizer.zero_grad()
        with torch.autocast("cpu", torch.bfloat16, enabled=has_bf16("cpu")):
            loss = module.batch_loss(batch)
        torch.autograd.backward(loss)
        clip_gradients(module.parameters(), training.clip_norm)
        optimizer.step()
        words += int(batch.counted.sum())
    return words


def scores(model: Tagger, corpora: PunctuationData, tokenizer: SubwordTokenizer, config: Config) -> tuple[float, float]:
    """F1 of marks and of case on the development set."""
    module = PunctuationModule(model.eval(), config.training, 1)
    development = DevelopmentBatches(corpora.dev, tokenizer, config, _MAX_TOKENS)
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16, enabled=has_bf16("cpu")):
        for index in range(len(development)):
            module.validation_step(development[index], index)
    found = module.scores()
    return found[DEV_F1], found[DEV_CASE_F1]


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--seconds", type=float, default=360.0, help="CPU time of a row")
    parser.add_argument("--shares", type=float, nargs="+", default=[0.0, 0.25, 0.5], help="of it for pre-training")
    parser.add_argument("--config", default="small")
    parser.add_argument("settings", nargs="*", metavar="KEY=VALUE", help="changes to the configuration")
    options = parser.parse_intermixed_args()
    if not all(0 <= share < 1 for share in options.shares):
        parser.error("a share is from 0 to below 1")
    torch.set_num_threads(1)
    config = read_config(options.config, options.settings)
    vocabulary = train_tokenizer(read_words(options.data / TRAIN), config.model.encoder.vocabulary)
    tokenizer = SubwordTokenizer(vocabulary, config.model.encoder.max_subwords)
    alone = training_of_words(config)
    corpora = PunctuationData(options.data, tokenizer, config, _MAX_TOKENS)
    words_alone = PunctuationData(options.data, tokenizer, replace(config, training=alone), _MAX_TOKENS)
    own = config.pretraining
    for share in options.shares:
        torch.manual_seed(config.training.seed)
        model = build_tagger(config.model, new_encoder(config.model.encoder, tokenizer.size, tokenizer.pad))
        before = 0
        if share:
            detector = ReplacedTokenDetector(
                model, config.model, mask=tokenizer.mask, masked=own.masked, generator=own.generator
            )
            before = spend(
                PretrainingModule(detector, own, alone, 1), alone, batches(words_alone), share * options.seconds
            )
        module = PunctuationModule(model, config.training, 1)
        after = spend(module, config.training, batches(corpora), (1 - share) * options.seconds)
        marks, case = scores(model, corpora, tokenizer, config)
        print(
            f"share {share:.2f}: {before} words pre-trained on, {after} trained on: F1 {marks:.4f}, case {case:.4f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
