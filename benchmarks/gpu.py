"""Speed of training and inference on a GPU: `python benchmarks/gpu.py -o gpu.json`, in less than ten minutes.

Needs torch and this repository alone, not installed. Rows whose packages are missing are left out and named. All models
have the size of BERT-base and random weights, except the shipped ones:

* torch: an encoder of torch's own layers.
* transformers: token classification, one sentence per row, padded, in fp32 without fused attention.
* AutoPunct: this project's model, windows of 128 words that fill rows of 256 sub-words without padding, in fp32, then
  in bf16 with fused attention, then compiled.
* es-eu, en: the shipped models' weights for training, from the checkout, inference.

For each row: words a second, FLOPs of matrix products a word (torch.utils.flop_counter), and the share of the card's
bf16 peak (data sheet, dense; --peak-tflops for other cards) and of a measured product of large matrices. With
`--rehearse` the sizes are tiny and it runs on the CPU, with meaningless numbers (FLOPs of fused attention on a CPU are
not counted).
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode

sys.path.insert(0, str(Path(__file__).parent.parent))

PEAK_TFLOPS = {"B200": 2250, "H200": 989, "H100": 989, "A100": 312, "L40S": 362, "L4": 121, "A10": 125, "V100": 125}
"""Dense 16-bit tensor peaks of the makers' data sheets (SXM versions), by a part of the device's name."""
_WORDS, _TOKENS, _LABELS, _SENTENCE = 128, 256, 14, (5, 40)


class Sizes(NamedTuple):
    """Sizes of the models and batches, and the seconds of a measurement."""

    layers: int = 12
    width: int = 768
    vocabulary: int = 30_522
    rows: int = 256
    seconds: float = 8.0


class Case(NamedTuple):
    """A model to measure, whose outputs are summed as the loss, on inputs with this number of words.

    `compiled` models are compiled; of those that do not `train`, only inference is measured.
    """

    name: str
    build: Callable[[], nn.Module]
    inputs: dict[str, Tensor]
    words: int
    bf16: bool = True
    compiled: bool = True
    trains: bool = True


class TorchEncoder(nn.Module):
    """Embeddings, torch's transformer layers and a classifier of tokens."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        heads, width = max(1, sizes.width // 64), sizes.width
        layer = nn.TransformerEncoderLayer(width, heads, 4 * width, activation="gelu", batch_first=True)
        self.tokens, self.places = nn.Embedding(sizes.vocabulary, width), nn.Embedding(_TOKENS, width)
        self.layers = nn.TransformerEncoder(layer, sizes.layers, enable_nested_tensor=False)
        self.classify = nn.Linear(width, _LABELS)

    def forward(self, input_ids: Tensor) -> tuple[Tensor, ...]:
        """Return logits, (rows, tokens, labels)."""
        states = self.layers(self.tokens(input_ids) + self.places.weight[: input_ids.shape[1]])
        return (self.classify(states),)


class Outputs(nn.Module):
    """Returns a tuple of some named outputs of a model."""

    def __init__(self, model: nn.Module, *names: str) -> None:
        super().__init__()
        self.model, self.names = model, names

    def forward(self, **inputs: Tensor) -> tuple[Tensor, ...]:
        """Return the tensors."""
        output = self.model(**inputs)
        return tuple(getattr(output, name) for name in self.names)


def windows(sizes: Sizes, vocabulary: int) -> dict[str, Tensor]:
    """Return the model's inputs for windows of `_WORDS` words that fill rows of `_TOKENS` tokens."""
    from asr_punct.features import pack

    rng = np.random.default_rng(0)
    counts = np.concatenate([rng.permutation([1, 3] * (_WORDS // 2 - 1) + [1, 1]) for _ in range(sizes.rows)])
    rows = np.repeat(np.arange(sizes.rows), _WORDS)
    pauses, flags = rng.integers(0, 1001, len(rows)), np.zeros(len(rows), np.int64)
    features = pack(rng.integers(5, vocabulary, counts.sum()), counts, pauses, flags, rows, (1, 2, 0))
    return {name: torch.from_numpy(array) for name, array in features.inputs().items()}


def sentences(sizes: Sizes) -> tuple[dict[str, Tensor], int]:
    """Return a batch of sentences, one sentence per row with padding, and its number of words."""
    lengths = torch.from_numpy(np.random.default_rng(0).integers(*_SENTENCE, sizes.rows * _WORDS // 22))
    mask = (torch.arange(2 * _SENTENCE[1]) < 2 * lengths[:, None]).long()  # two sub-words a word, as in the windows
    return {"input_ids": torch.randint(5, sizes.vocabulary, mask.shape), "attention_mask": mask}, int(lengths.sum())


def cases(sizes: Sizes, left_out: list[str]) -> Iterator[Case]:
    """Yield the models that can be built here; append the others to `left_out`."""
    tokens = {"input_ids": torch.randint(5, sizes.vocabulary, (sizes.rows, _TOKENS))}
    words = sizes.rows * _WORDS
    yield Case("torch", lambda: TorchEncoder(sizes), tokens, words)
    for group in (_autopunct, _transformers, _shipped):
        try:
            yield from group(sizes, words)
        except ModuleNotFoundError as error:
            left_out.append(f"{group.__name__.strip('_')}: no package {error.name}")


def _bert(sizes: Sizes) -> Any:
    from transformers import BertConfig

    make: Any = BertConfig
    heads, width = max(1, sizes.width // 64), sizes.width
    shape = {"hidden_size": width, "num_hidden_layers": sizes.layers, "num_attention_heads": heads}
    return make(vocab_size=sizes.vocabulary, intermediate_size=4 * width, num_labels=_LABELS, **shape)


def _autopunct(sizes: Sizes, words: int) -> Iterator[Case]:
    from transformers import BertModel

    from asr_punct.config import ModelConfig
    from asr_punct.model.encoder import WordEncoder
    from asr_punct.model.tagger import Tagger

    def build() -> nn.Module:
        encoder = WordEncoder(BertModel(_bert(sizes), add_pooling_layer=False))
        return Outputs(Tagger(ModelConfig(), encoder), "label_logits", "case_logits")

    inputs = windows(sizes, sizes.vocabulary)
    yield Case("AutoPunct bf16 compiled", build, inputs, words)
    yield Case("AutoPunct bf16", build, inputs, words, compiled=False)
    yield Case("AutoPunct fp32", build, inputs, words, bf16=False, compiled=False)


def _transformers(sizes: Sizes, words: int) -> Iterator[Case]:
    from transformers import BertForTokenClassification

    def build() -> nn.Module:
        config = _bert(sizes)
        config._attn_implementation = "eager"
        return Outputs(BertForTokenClassification(config), "logits")

    inputs, count = sentences(sizes)
    yield Case("transformers fp32", build, inputs, count, bf16=False, compiled=False)


def _shipped(sizes: Sizes, words: int) -> Iterator[Case]:
    from asr_punct.checkpoint import WEIGHTS, load_tokenizer, read_info
    from asr_punct.hub import find_trainable_model
    from asr_punct.model.weights import load_tagger

    for name in ("es-eu", "en"):
        directory = find_trainable_model(name)
        info = read_info(directory)
        inputs = windows(sizes, load_tokenizer(directory, info).size)

        def build(path: Path = directory / WEIGHTS, info: Any = info) -> nn.Module:
            return Outputs(load_tagger(path, info).fold(), "label_logits", "case_logits")

        yield Case(name, build, inputs, words, trains=False)


def steps(case: Case, device: torch.device, train: bool, backend: str) -> tuple[Callable[[], None], float]:
    """Return a function that runs a step, and the FLOPs of its matrix products."""
    model = case.build().to(device).train(train)
    inputs = {name: tensor.to(device) for name, tensor in case.inputs.items()}
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5, fused=device.type == "cuda")

    def step(run: Callable[..., Any] = model) -> None:
        precision = torch.autocast(device.type, torch.bfloat16) if case.bf16 else nullcontext()
        with torch.set_grad_enabled(train):
            with precision:
                outputs = run(**inputs)
            if train:
                sum(output.float().square().mean() for output in outputs).backward()
                optimizer.step()
                optimizer.zero_grad()

    with FlopCounterMode(display=False) as counter:
        step()
    compiled = torch.compile(model, backend=backend) if case.compiled else model
    return lambda: step(compiled), float(counter.get_total_flops())


def rate(step: Callable[[], object], device: torch.device, seconds: float) -> float:
    """Return the steps a second, after three steps that warm up."""
    wait: Callable[[], object] = torch.cuda.synchronize if device.type == "cuda" else lambda: None
    for _ in range(3):
        step()
    wait()
    count, begin = 0, time.perf_counter()
    while time.perf_counter() - begin < seconds:
        step()
        wait()
        count += 1
    return count / (time.perf_counter() - begin)


def matrix_tflops(device: torch.device, size: int, seconds: float) -> float:
    """Return the rate of a bf16 product of square matrices."""
    one, other = (torch.randn(size, size, device=device, dtype=torch.bfloat16) for _ in range(2))
    return 2e-12 * size**3 * rate(lambda: torch.mm(one, other), device, seconds)


def measure(sizes: Sizes, device: torch.device, peak: float | None, limit_s: float, backend: str) -> dict[str, Any]:
    """Measure all rows that start within the limit."""
    torch.backends.mha.set_fastpath_enabled(False)  # its FLOPs are not counted
    left_out: list[str] = []
    rows: list[dict[str, Any]] = []
    begin = time.perf_counter()
    product = matrix_tflops(device, 8192 if device.type == "cuda" else 128, sizes.seconds / 4)
    for case in cases(sizes, left_out):
        for train in (True, False) if case.trains else (False,):
            name = f"{case.name}, {'training' if train else 'inference'}"
            if time.perf_counter() - begin > limit_s:
                left_out.append(f"{name}: no time")
                continue
            try:
                step, flops = steps(case, device, train, backend)
                tflops = 1e-12 * flops * (speed := rate(step, device, sizes.seconds))
            except (RuntimeError, torch.OutOfMemoryError) as error:
                left_out.append(f"{name}: {str(error).splitlines()[0]}")
                continue
            row = {"name": name, "words_a_second": round(speed * case.words), "flops_a_word": flops / case.words}
            row |= {"share_of_peak": tflops / peak if peak else None, "share_of_product": tflops / product}
            print("  ".join(f"{key} {value}" for key, value in row.items()), flush=True)
            rows.append(row)
    return {"rows": rows, "product_tflops": product, "peak_tflops": peak, "left_out": left_out}


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--rows", type=int, default=256, help="rows of a batch")
    parser.add_argument("--seconds", type=float, default=8.0, help="of each measurement")
    parser.add_argument("--limit", type=float, default=480.0, help="seconds after which no row is started")
    parser.add_argument("--peak-tflops", type=float)
    parser.add_argument("--rehearse", action="store_true", help="tiny sizes, on the CPU")
    options = parser.parse_args()
    if not options.rehearse and not torch.cuda.is_available():
        sys.exit("gpu.py: found no GPU, expected one (or --rehearse)")
    device = torch.device("cpu" if options.rehearse else "cuda")
    name = "CPU" if options.rehearse else torch.cuda.get_device_name()
    peak = options.peak_tflops or next((value for part, value in PEAK_TFLOPS.items() if part in name), None)
    sizes = Sizes(1, 64, 100, 2, 0.05) if options.rehearse else Sizes(rows=options.rows, seconds=options.seconds)
    backend = "eager" if options.rehearse else "inductor"
    facts = {"device": name, "torch": torch.__version__, "rehearsal": options.rehearse}
    facts |= measure(sizes, device, peak, options.limit, backend)
    text = json.dumps(facts, indent=2)
    if options.output:
        options.output.write_text(f"{text}\n", encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
