"""The encoders that AutoPunct names, in the forms in which they are published, with tiny random weights.

Files and keys are those of the hub: IXAmBERT's configuration has no `model_type`; IXAmBERT and BETO have no safe
weights and no `tokenizer.json`; BETO's padding token is the second one.
"""

import json
from pathlib import Path

_SPECIAL = {
    "ixa-ehu/ixambert-base-cased": ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"),
    "ixa-ehu/berteus-base-cased": ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"),
    "dccuchile/bert-base-spanish-wwm-cased": ("[MASK]", "[PAD]", "[EOS]", "[UNK]", "[CLS]", "[SEP]"),
}
PUBLISHED = tuple(_SPECIAL)
IXAMBERT, BERTEUS, BETO = PUBLISHED
_LETTERS = "abcdefghijklmnopqrstuvwxyzáéíóúüñABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-'ç"
_COMMIT = "0" * 40
_PIECES = ("ca", "##sa", "##ción", "##cion", "la", "el", "eta", "da", "que", "Casa")
_SIZES = {
    **{"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64},
    **{"max_position_embeddings": 512, "type_vocab_size": 2, "initializer_range": 0.02, "hidden_act": "gelu"},
    **{"attention_probs_dropout_prob": 0.1, "hidden_dropout_prob": 0.1},
}


def write_published(folder: Path, name: str) -> Path:
    """Write an encoder of `PUBLISHED` to a folder."""
    import torch
    from transformers import BertConfig, BertForPreTraining, BertTokenizerFast

    folder.mkdir(parents=True)
    vocabulary = [*_SPECIAL[name], *_LETTERS, *(f"##{letter}" for letter in _LETTERS), *_PIECES]
    (folder / "vocab.txt").write_text("\n".join(vocabulary) + "\n", encoding="utf-8")
    settings = {**_SIZES, "vocab_size": len(vocabulary)}
    if name != IXAMBERT:
        settings |= {"model_type": "bert", "architectures": ["BertForMaskedLM"]}
    settings |= {"pad_token_id": vocabulary.index("[PAD]"), "output_past": True} if name == BETO else {}
    (folder / "config.json").write_text(json.dumps(settings, indent=2))
    cases = {"do_lower_case": False} if name != BETO else {"do_lower_case": False, "strip_accents": False}
    (folder / "tokenizer_config.json").write_text(json.dumps(cases))
    torch.manual_seed(1)
    model = BertForPreTraining(BertConfig(**{k: v for k, v in settings.items() if k != "model_type"}))
    if name == BERTEUS:
        model.save_pretrained(folder)
        BertTokenizerFast.from_pretrained(folder).save_pretrained(folder)
    else:
        weights = dict(model.state_dict())
        weights["bert.embeddings.position_ids"] = torch.arange(512)[None]
        torch.save(weights, folder / "pytorch_model.bin")
    return folder


def write_hub_cache(home: Path) -> dict[str, str]:
    """Write all of them to a cache of the hub; return the environment that reads them from it, by name and offline."""
    for name in PUBLISHED:
        root = home / "hub" / f"models--{name.replace('/', '--')}"
        write_published(root / "snapshots" / _COMMIT, name)
        (root / "refs").mkdir()
        (root / "refs" / "main").write_text(_COMMIT)
    return {"HF_HOME": str(home), "HF_HUB_OFFLINE": "1"}
