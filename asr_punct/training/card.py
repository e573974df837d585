"""Write the model card: README.md of a model directory."""

from pathlib import Path

from asr_punct.checkpoint import CARD, ModelInfo, read_info
from asr_punct.files import write_file
from asr_punct.languages import LANGUAGE_NAMES
from asr_punct.marks import MARKS


def write_card(directory: Path) -> None:
    """Write the card of a trained model from its `config.json`."""
    with write_file(directory / CARD) as out:
        out.write(card(directory, read_info(directory)))


def card(directory: Path, info: ModelInfo) -> str:
    """Return the card in Markdown: title, usage and a list of facts."""
    model, facts = info.model, info.training
    marks = (
        f"{len(MARKS)} marks" if model.heads.kind == "multilabel" else f"marks in {len(model.heads.classes)} classes"
    )
    inputs = "words alone" if model.pauses.kind == "none" else "words and the pauses between them, where known"
    name = directory.resolve().name
    lines = {
        "languages": language_names(model.language),
        "output": f"{marks} and case, from {inputs}",
        "encoder": model.encoder.name or f"{info.encoder.get('model_type')}, trained from scratch",
        "pauses": model.pauses.kind,
        "context": model.context.kind,
        "words of the training text": facts.get("words"),
        "training text": facts.get("data"),
        "words of the development text": facts.get("dev_words"),
        "micro F1 of punctuation on the development text": facts.get("dev_f1"),
        "micro F1 of case on the development text": facts.get("dev_case_f1"),
        "parameters": facts.get("parameters"),
        "licence of the weights": facts.get("licence"),
    }
    return f"""# {name}

Punctuation and capitals for the words of a speech recogniser.

```bash
asr-punct punctuate --model {name} transcript.txt
```

""" + "".join(f"* {key}: {_text(value)}\n" for key, value in lines.items() if value is not None)


def language_names(codes: str) -> str:
    """Return the English names of languages, `es+eu` as `Spanish and Basque`."""
    return " and ".join(LANGUAGE_NAMES.get(code, code) for code in codes.split("+"))


def _text(value: object) -> str:
    return f"{value:.3f}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)
