"""Make the models that benchmarks/peers.py runs: one encoder with random weights, in the form that each system loads.

The encoder has the size of `en` (6 layers, 384 wide) and its tokenizer. Each part is made in the environment of
the system that needs its packages. WORDS.tsv has the words of the text and their counts, most frequent first.

    python benchmarks/peer_models.py encoder|graphs|asr_punct|sentencepiece|nemo FOLDER WORDS.tsv
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
EN, EN_WEIGHTS = ROOT / "asr_punct/pretrained/en", ROOT / "egs/models/en"
FULLSTOP_LABELS = ("0", ".", ",", "?", "-", ":")
SHERPA_LABELS = ("<unk>", "_", "，", "。", "？", "、")
_PUNCTUATORS = {
    "max_length": 256,
    "pre_labels": ["<NULL>", "¿"],
    "post_labels": ["<NULL>", ".", ",", "?"],
    "languages": ["en"],
    "null_token": "<NULL>",
}
_LETTERS = 16
"""Longest sub-word of SentencePiece, and so the number of case outputs for each sub-word in punctuators."""


def make_encoder(folder: Path, _: Path) -> None:
    """Write `bert`, a token classifier of transformers."""
    import torch
    from safetensors.torch import save_file
    from transformers import BertConfig, BertForTokenClassification

    settings = json.loads((EN / "config.json").read_text(encoding="utf-8"))["encoder"]
    sizes = ("vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size")
    labels = dict(enumerate(FULLSTOP_LABELS))
    config = {
        "model_type": "bert",
        "architectures": ["BertForTokenClassification"],
        "id2label": labels,
        "label2id": {label: index for index, label in labels.items()},
        **{name: settings[name] for name in sizes},
    }
    target = folder / "bert"
    target.mkdir(exist_ok=True)
    (target / "config.json").write_text(json.dumps(config), encoding="utf-8")
    torch.manual_seed(0)
    model = BertForTokenClassification(BertConfig(**config))
    save_file(model.state_dict(), target / "model.safetensors", {"format": "pt"})
    tokenizer = {"tokenizer_class": "BertTokenizer", "do_lower_case": True, "model_max_length": 512}
    (target / "tokenizer_config.json").write_text(json.dumps(tokenizer), encoding="utf-8")
    shutil.copy(EN / "tokenizer.json", target)
    vocabulary: dict[str, int] = json.loads((EN / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"]
    rows = sorted(vocabulary, key=vocabulary.__getitem__)
    (target / "vocab.txt").write_text("\n".join(rows) + "\n", encoding="utf-8")


def make_graphs(folder: Path, vocabulary: Path) -> None:
    """Write `bert.onnx`, `bert.int8.onnx`, `punctuators/model.onnx` and `sherpa.onnx`, all around the encoder."""
    import onnx
    import torch
    from onnxruntime.quantization import QuantType, quantize_dynamic
    from torch import Tensor, nn
    from transformers import BertForTokenClassification

    model = BertForTokenClassification.from_pretrained(folder / "bert", attn_implementation="eager")
    encoder, width = model.bert, model.config.hidden_size
    frequent = [line.split("\t")[0] for line in vocabulary.read_text(encoding="utf-8").splitlines()]
    words = ["<unk>", *frequent[: model.config.vocab_size - 1]]

    class Logits(nn.Module):
        def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
            logits: Tensor = model(input_ids, attention_mask).logits
            return logits

    class Punctuators(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            sizes = (len(_PUNCTUATORS["pre_labels"]), len(_PUNCTUATORS["post_labels"]), 2)  # type: ignore[arg-type]
            self.heads = nn.ModuleList(nn.Linear(width, size) for size in sizes)
            self.case = nn.Linear(width, _LETTERS)

        def forward(self, input_ids: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
            hidden = encoder(input_ids, (input_ids != 0).long()).last_hidden_state
            before, after, ends = (head(hidden).argmax(-1) for head in self.heads)
            return before, after, self.case(hidden) > 0, ends

    class Sherpa(nn.Module):
        """The most frequent word always ends a sentence: sherpa-onnx cuts its windows at sentence ends."""

        def forward(self, inputs: Tensor, text_lengths: Tensor) -> Tensor:
            logits: Tensor = model(inputs.long(), (text_lengths[:, None] > 0).expand_as(inputs).long()).logits
            ends = (inputs == 1)[..., None] * torch.eye(len(SHERPA_LABELS))[SHERPA_LABELS.index("。")]
            return logits + 100 * ends - 100 * torch.eye(len(SHERPA_LABELS))[0]

    def export(module: nn.Module, path: Path, inputs: dict[str, Tensor]) -> None:
        names = {2: ("batch", "tokens"), 1: ("batch",)}
        shapes = {key: {i: torch.export.Dim(n) for i, n in enumerate(names[v.dim()])} for key, v in inputs.items()}
        options: dict[str, Any] = {"dynamo": True, "external_data": False, "verbose": False}
        torch.onnx.export(
            module.eval(), tuple(inputs.values()), path, input_names=list(inputs), dynamic_shapes=shapes, **options
        )

    ids = torch.randint(5, 1000, (3, 7))
    (folder / "punctuators").mkdir(exist_ok=True)
    export(Logits(), folder / "bert.onnx", {"input_ids": ids, "attention_mask": torch.ones_like(ids)})
    quantize_dynamic(folder / "bert.onnx", folder / "bert.int8.onnx", weight_type=QuantType.QInt8, per_channel=True)
    export(Punctuators(), folder / "punctuators/model.onnx", {"input_ids": ids})
    (folder / "punctuators/config.yaml").write_text(json.dumps(_PUNCTUATORS), encoding="utf-8")
    path = folder / "sherpa.onnx"
    export(Sherpa(), path, {"inputs": ids.int(), "text_lengths": torch.full((3,), 7, dtype=torch.int32)})
    graph = onnx.load(path)
    facts = {"tokens": "|".join(words), "vocab_size": str(len(words)), "unk_symbol": words[0]}
    onnx.helper.set_model_props(graph, facts | {"punctuations": "|".join(SHERPA_LABELS)})
    onnx.save(graph, path)


def make_asr_punct(folder: Path, _: Path) -> None:
    """Write `en-fp32`, the shipped `en` as an fp32 graph, and `en-torch`, the same as weights for torch."""
    from asr_punct.training.export import export

    for name in ("en-fp32", "en-torch"):
        shutil.copytree(EN_WEIGHTS, folder / name, dirs_exist_ok=True)
    export(folder / "en-fp32")


def make_sentencepiece(folder: Path, vocabulary: Path) -> None:
    """Write the tokenizer of punctuators, with about as many sub-words a word as the tokenizer of `en`."""
    from sentencepiece import SentencePieceTrainer

    SentencePieceTrainer.Train(
        input=str(vocabulary),
        input_format="tsv",
        model_prefix=str(folder / "punctuators/sp"),
        model_type="bpe",
        vocab_size=int(1.1 * vocabulary.read_text(encoding="utf-8").count("\n")),
        hard_vocab_limit=False,
        character_coverage=1.0,
        max_sentencepiece_length=_LETTERS,
        pad_id=0,
        unk_id=1,
        bos_id=2,
        eos_id=3,
    )


def make_nemo(folder: Path, _: Path) -> None:
    """Write `model.nemo`."""
    from nemo.collections.nlp.models import PunctuationCapitalizationModel
    from omegaconf import OmegaConf

    head = {"num_fc_layers": 1, "fc_dropout": 0.1, "activation": "relu", "use_transformer_init": True}
    bert = str(folder / "bert")
    config = {
        "tokenizer": {
            "tokenizer_name": bert,
            "vocab_file": f"{bert}/vocab.txt",
            "tokenizer_model": None,
            "special_tokens": None,
        },
        "language_model": {"pretrained_model_name": bert},
        "punct_head": head,
        "capit_head": head,
        **dict.fromkeys(("train_ds", "validation_ds", "test_ds", "optim")),
        "class_labels": {"punct_labels_file": "punct_label_ids.csv", "capit_labels_file": "capit_label_ids.csv"},
        "common_dataset_parameters": {
            "pad_label": "O",
            "label_vocab_dir": None,
            "punct_label_ids": {label: index for index, label in enumerate("O,.?")},
            "capit_label_ids": {"O": 0, "U": 1},
        },
    }
    PunctuationCapitalizationModel(OmegaConf.create(config)).save_to(str(folder / "model.nemo"))


PARTS: dict[str, Callable[[Path, Path], None]] = {
    "encoder": make_encoder,
    "graphs": make_graphs,
    "asr_punct": make_asr_punct,
    "sentencepiece": make_sentencepiece,
    "nemo": make_nemo,
}

if __name__ == "__main__":
    PARTS[sys.argv[1]](Path(sys.argv[2]), Path(sys.argv[3]))
