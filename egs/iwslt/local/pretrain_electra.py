#!/usr/bin/env python3
"""Pre-train an ELECTRA encoder on text: replaced-token detection with a small generator (Clark et al. 2020).

DATA has train.tsv and dev.tsv; marks and case are not read. CONFIG gives the encoder's sizes and its tokenizer, which
is trained on the text. The generator has the discriminator's embeddings and a quarter of its width and heads. Writes a
folder of transformers for `model.encoder.name`, and OUTPUT/pretraining.json: on dev.tsv, the share of masked tokens
that the generator finds, and the probability that the discriminator ranks a replaced token above another one (the area
under the ROC curve; chance is 0.5).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, cast

import torch
from torch import Tensor, nn
from transformers import ElectraConfig, ElectraForMaskedLM, ElectraForPreTraining, PreTrainedTokenizerFast
from typer import Option

from asr_punct.config import EncoderConfig
from asr_punct.errors import run_script
from asr_punct.files import write_json_file
from asr_punct.model.device import has_bf16
from asr_punct.partial import make_directory, write_directory
from asr_punct.subwords import SubwordTokenizer, train_tokenizer
from asr_punct.training.configuration import read_config
from asr_punct.training.mapped import Corpora

_MASKED_SHARE, _WEIGHT, _SHRINK = 0.15, 50.0, 4
"""Share of masked tokens, weight of the discriminator's loss, and its width by that of the generator (Clark et al.)."""
_RATE, _WARM_UP, _DECAY, _CLIP = 5e-4, 0.1, 0.01, 1.0
_DEV_BATCHES = 20


@dataclass(frozen=True)
class Scores:
    """Share of masked tokens that the generator finds, and area under the discriminator's ROC curve."""

    masked: float
    detected: float


class Electra(nn.Module):
    """Generator and discriminator with common embeddings."""

    def __init__(self, config: EncoderConfig, tokenizer: SubwordTokenizer, mask: int) -> None:
        super().__init__()
        sizes: dict[str, Any] = {
            "vocab_size": tokenizer.size,
            "embedding_size": config.table_width,
            "pad_token_id": tokenizer.pad,
            "num_hidden_layers": config.layers,
            "max_position_embeddings": config.max_tokens,
            "hidden_dropout_prob": config.dropout,
            "attention_probs_dropout_prob": config.dropout,
        }
        self.mask, self.special = mask, tokenizer.special
        self.discriminator = ElectraForPreTraining(_sized(config, 1, sizes))
        self.generator = ElectraForMaskedLM(_sized(config, _SHRINK, sizes))
        cast(Any, self.generator.electra).embeddings = cast(Any, self.discriminator.electra).embeddings
        cast(Any, self.generator).generator_lm_head.weight = self.discriminator.get_input_embeddings().weight

    def forward(self, tokens: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
        """Return the generator's logits, which tokens were masked, the discriminator's logits, and which are replaced.

        *Shapes:* (batch, tokens, vocabulary), then (batch, tokens) three times, and the loss, ().
        """
        masked = torch.rand(tokens.shape, device=tokens.device) < _MASKED_SHARE
        for number in self.special:
            masked &= tokens != number
        guesses = self.generator(input_ids=torch.where(masked, self.mask, tokens)).logits
        changed = tokens.clone()
        changed[masked] = torch.multinomial(guesses.detach()[masked].float().softmax(dim=-1), 1).squeeze(1)
        replaced = changed != tokens
        found = self.discriminator(input_ids=changed).logits
        loss = nn.functional.cross_entropy(guesses[masked].float(), tokens[masked])
        loss = loss + _WEIGHT * nn.functional.binary_cross_entropy_with_logits(found.float(), replaced.float())
        return guesses, masked, found, replaced, loss


def _sized(config: EncoderConfig, shrink: int, sizes: dict[str, Any]) -> ElectraConfig:
    return ElectraConfig(
        hidden_size=config.width // shrink,
        num_attention_heads=max(1, config.heads // shrink),
        intermediate_size=config.feed_forward // shrink,
        **sizes,
    )


def batches(corpus: Any, tokenizer: SubwordTokenizer, size: int, length: int, seed: int) -> Iterator[Tensor]:
    """Yield batches (size, length) of random places of a corpus for ever; a row begins and ends with special tokens."""
    words = corpus.encode(tokenizer)
    tokens = torch.from_numpy(words.vocabulary.gather(words.words[:])).long()
    generator = torch.Generator().manual_seed(seed)
    inner = min(length - 2, len(tokens))
    edges = torch.full((2, size, 1), tokenizer.start)
    edges[1] = tokenizer.end
    while True:
        starts = torch.randint(len(tokens) - inner + 1, (size, 1), generator=generator)
        yield torch.cat([edges[0], tokens[starts + torch.arange(inner)], edges[1]], dim=1)


@torch.no_grad()
def evaluate(model: Electra, dev: Iterator[Tensor]) -> Scores:
    model.eval()
    torch.manual_seed(0)
    right = total = 0
    found_all, replaced_all = list[Tensor](), list[Tensor]()
    for tokens in islice(dev, _DEV_BATCHES):
        guesses, masked, found, replaced, _ = model(tokens)
        right += int((guesses.argmax(dim=-1) == tokens)[masked].sum())
        total += int(masked.sum())
        found_all.append(found.flatten())
        replaced_all.append(replaced.flatten())
    return Scores(right / max(1, total), area_under_curve(torch.cat(found_all), torch.cat(replaced_all)))


def area_under_curve(scores: Tensor, positive: Tensor) -> float:
    """Return the probability that a positive one has the higher score, from the ranks of scores without ties."""
    ranks = torch.empty(len(scores), dtype=torch.float64)
    ranks[scores.argsort()] = torch.arange(1, len(scores) + 1, dtype=torch.float64)
    count, others = int(positive.sum()), int((~positive).sum())
    return (float(ranks[positive].sum()) - count * (count + 1) / 2) / max(1, count * others)


def train(model: Electra, text: Iterator[Tensor], steps: int) -> None:
    warm_up = max(1, int(_WARM_UP * steps))
    optimizer = torch.optim.AdamW(model.parameters(), lr=_RATE, weight_decay=_DECAY, eps=1e-6)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / warm_up, (steps - step) / max(1, steps - warm_up))
    )
    model.train()
    for tokens in islice(text, steps):
        with torch.autocast("cpu", torch.bfloat16, enabled=has_bf16("cpu")):
            loss = model(tokens)[-1]
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), _CLIP)
        optimizer.step()
        schedule.step()


def main(
    data: Path,
    output: Path,
    config: Annotated[str, Option(help="Configuration of the model.")],
    steps: Annotated[int, Option(min=1, help="Batches; Clark et al. have 1,000,000 of 128 windows.")],
    batch_size: Annotated[int, Option(min=1, help="Windows of a batch.")] = 128,
    length: Annotated[int, Option(min=3, help="Tokens of a window.")] = 128,
    seed: int = 1,
    changes: Annotated[list[str] | None, Option("--set", help="Other keys of the configuration, KEY=VALUE.")] = None,
) -> None:
    encoder = read_config(config, changes or []).model.encoder
    corpora = Corpora.open(data)
    torch.manual_seed(seed)
    trained = train_tokenizer(corpora.train.words(), encoder.vocabulary, encoder.tokenizer)
    tokenizer = SubwordTokenizer(trained, encoder.max_subwords)
    model = Electra(encoder, tokenizer, cast(int, trained.token_to_id("[MASK]")))
    dev = batches(corpora.dev, tokenizer, batch_size, length, 0)
    before = evaluate(model, dev)
    train(model, batches(corpora.train, tokenizer, batch_size, length, seed), steps)
    after = evaluate(model, dev)
    make_directory(output.parent)
    with write_directory(output) as folder:
        model.discriminator.electra.save_pretrained(folder)
        names = {f"{kind}_token": f"[{kind.upper()}]" for kind in ("unk", "cls", "sep", "pad", "mask")}
        cast(Any, PreTrainedTokenizerFast)(tokenizer_object=trained, **names).save_pretrained(folder)
        shares = {"steps": steps, "batch_size": batch_size, "length": length}
        facts = {"masked": [before.masked, after.masked], "detected": [before.detected, after.detected]}
        write_json_file(folder / "pretraining.json", shares | facts)
    print(f"masked tokens found {before.masked:.3f} before, {after.masked:.3f} after; ", end="")
    print(f"replaced tokens {before.detected:.3f} before, {after.detected:.3f} after (chance 0.5)")


if __name__ == "__main__":
    run_script(main)
