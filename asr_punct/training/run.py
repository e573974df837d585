"""The directory of a training run: configuration and checkpoint, from which a killed run resumes, and model card."""

from dataclasses import replace
from operator import attrgetter
from pathlib import Path

from filelock import FileLock, Timeout

from asr_punct.checkpoint import CARD, CASING, CONFIG, TOKENIZER, ModelInfo, read_info, write_info
from asr_punct.config import Config, as_mapping, differing_keys, from_mapping
from asr_punct.errors import AsrPunctError, ConfigError, InputError, Setting
from asr_punct.files import read_json_file, write_file, write_json_file
from asr_punct.languages import facts_of
from asr_punct.marks import MARKS
from asr_punct.partial import copy_file, remove_abandoned
from asr_punct.subwords import SubwordTokenizer
from asr_punct.training.mapped import Corpora

_EPOCHS = "training.epochs"
_MAX_SHOWN_KEYS = 6
_NEW = "a new directory"


class Run:
    """Paths of a run. `state` has the files that it needs to resume: its configuration `settings`, the digests of its
    `data`, and a checkpoint after the last complete epoch. `checkpoint` and `tokenizer` are None before that."""

    def __init__(self, directory: Path) -> None:
        self.directory, self.state = directory, directory / "training"
        self.settings, self.data = self.state / "config.json", self.state / "data.json"
        checkpoint = self.state / "last.ckpt"
        self.checkpoint = checkpoint if checkpoint.exists() else None
        self.tokenizer = directory / TOKENIZER if self.checkpoint else None
        self._lock = FileLock(self.state / "lock", timeout=0)

    def lock(self) -> None:
        """Claim the directory, until `close` or the end of the process. Raises AsrPunctError if another run has it."""
        if self._lock.is_locked:
            return
        try:
            self._lock.acquire()
        except Timeout:
            raise AsrPunctError(self.directory, "a run that is still training", _NEW) from None
        except (NotImplementedError, OSError):  # the file system has no locks, or nothing can be written there
            pass

    def close(self) -> None:
        """Release the directory."""
        self._lock.release()


def is_finished(run: Run, config: Config, resume: bool) -> bool:
    """Return whether the run is complete.

    Raises AsrPunctError if the directory has other files, another configuration (except more epochs), or a run that is
    still training or not to be resumed.
    """
    if run.directory.exists() and not run.directory.is_dir():
        raise InputError(run.directory, "a file", _NEW)
    if not run.settings.exists():
        if run.directory.exists() and any(run.directory.iterdir()):
            raise InputError(run.directory, "other files", _NEW)
        return False
    run.lock()
    if not resume:
        raise AsrPunctError(run.directory, "a training run", _NEW, Setting("resume"))
    started = from_mapping(Config, read_json_file(run.settings), run.settings)
    more_epochs = config.training.epochs > started.training.epochs
    keys = [key for key in differing_keys(started, config) if not (more_epochs and key == _EPOCHS)]
    if keys:
        shown = keys[:_MAX_SHOWN_KEYS]
        found = ", ".join(f"{key}={attrgetter(key)(started)} (now {attrgetter(key)(config)})" for key in shown)
        found += f" and {len(keys) - len(shown)} more keys" if len(keys) > len(shown) else ""
        raise ConfigError(run.settings, found, f"equal values; a resumed run may only raise {_EPOCHS}")
    has_model = (run.directory / CONFIG).exists()
    return started == config and has_model and bool(read_info(run.directory).training.get("finished"))


def check_data(run: Run, corpora: Corpora) -> None:
    """Raise InputError if the run began with other text."""
    began = read_json_file(run.data) if run.data.exists() else {}
    for name, digest in corpora.digests.items():
        if began.get(name, digest) != digest:
            found = "another text than the run began with"
            raise InputError(corpora.directory / name, found, "the same one, or a new run that starts from this model")


def make_directories(
    run: Run, config: Config, tokenizer: SubwordTokenizer, corpora: Corpora, casing: Path | None = None
) -> None:
    """Write the configuration, tokenizer, casing list and digests of the data of a run, and lock it.

    Called last, so that a failed start leaves no files behind.
    """
    try:
        run.state.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(run.directory, error.strerror or "an error", "a place for a new directory") from None
    run.lock()
    remove_abandoned([str(run.settings), str(run.directory / CONFIG)])
    if (run.directory / CONFIG).exists():  # a complete run that gets more epochs is no longer finished
        info = read_info(run.directory)
        write_info(run.directory, replace(info, training={**info.training, "finished": False}))
    write_json_file(run.settings, as_mapping(config))
    write_json_file(run.data, corpora.digests)
    with write_file(run.directory / TOKENIZER) as out:
        out.write(tokenizer.to_json())
    if casing and not (run.directory / CASING).exists():
        copy_file(casing, run.directory / CASING)


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
    return " and ".join(facts_of(code).name or code for code in codes.split("+"))


def _text(value: object) -> str:
    return f"{value:.3f}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)
