"""Directory and device of a training run. A killed run resumes from its directory."""

from dataclasses import replace
from operator import attrgetter
from pathlib import Path

import torch

from asr_punct.checkpoint import CONFIG, TOKENIZER, read_info, write_info
from asr_punct.config import Config, as_mapping, differing_keys, from_mapping
from asr_punct.errors import AsrPunctError, ConfigError, InputError
from asr_punct.files import read_json_file, write_file, write_json_file
from asr_punct.model.device import open_device
from asr_punct.partial import remove_abandoned
from asr_punct.subwords import SubwordTokenizer
from asr_punct.training.distributed import SINGLE_PROCESS, Process
from asr_punct.training.mapped import DEV, TRAIN, find_arrays, has_corpus

_EPOCHS = "training.epochs"
_MAX_SHOWN_KEYS = 6


class Run:
    """Paths of a run. `state` has the files that it needs to resume: its configuration `settings`, and a checkpoint
    after the last complete epoch; `checkpoint` and `tokenizer` are None before the first one."""

    def __init__(self, directory: Path) -> None:
        self.directory, self.state = directory, directory / "training"
        self.settings, checkpoint = self.state / "config.json", self.state / "last.ckpt"
        self.checkpoint = checkpoint if checkpoint.exists() else None
        self.tokenizer = directory / TOKENIZER if self.checkpoint else None


def is_finished(run: Run, config: Config, resume: bool) -> bool:
    """Return whether the run is complete.

    Raises AsrPunctError if the directory has other files, another configuration (except more epochs), or a run that is
    not to be resumed.
    """
    if run.directory.exists() and not run.directory.is_dir():
        raise AsrPunctError(f"{run.directory}: found a file, expected a new directory")
    if not run.settings.exists():
        if run.directory.exists() and any(run.directory.iterdir()):
            raise AsrPunctError(f"{run.directory}: found other files, expected a new directory")
        return False
    if not resume:
        raise AsrPunctError(f"{run.directory}: found a training run, expected a new directory (or --resume)")
    started = from_mapping(Config, read_json_file(run.settings), str(run.settings))
    more_epochs = config.training.epochs > started.training.epochs
    keys = [key for key in differing_keys(started, config) if not (more_epochs and key == _EPOCHS)]
    if keys:
        shown = keys[:_MAX_SHOWN_KEYS]
        found = ", ".join(f"{key}={attrgetter(key)(started)} (now {attrgetter(key)(config)})" for key in shown)
        found += f" and {len(keys) - len(shown)} more keys" if len(keys) > len(shown) else ""
        raise ConfigError(f"{run.settings}: found {found}, expected equal values (--resume may only raise {_EPOCHS})")
    has_model = (run.directory / CONFIG).exists()
    return started == config and has_model and bool(read_info(run.directory).training.get("finished"))


def check_data(data: Path) -> None:
    """Make the arrays of both corpora. Raises InputError as `find_arrays`."""
    paths = [data / name for name in (TRAIN, DEV)]
    for path in paths:
        if not has_corpus(path):
            raise InputError(path, "no such file", f"a directory with {TRAIN} and {DEV}")
    for path in paths:
        find_arrays(path)


def make_directories(run: Run, config: Config, tokenizer: SubwordTokenizer) -> None:
    """Write the configuration and tokenizer of a run; called last, so that a failed start leaves no files behind."""
    try:
        run.state.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(run.directory, error.strerror or "an error", "a place for a new directory") from None
    remove_abandoned([str(run.settings), str(run.directory / CONFIG)])
    if (run.directory / CONFIG).exists():  # a complete run that gets more epochs is no longer finished
        info = read_info(run.directory)
        write_info(run.directory, replace(info, training={**info.training, "finished": False}))
    write_json_file(run.settings, as_mapping(config))
    with write_file(run.directory / TOKENIZER) as out:
        out.write(tokenizer.to_json())


def resolve_device(name: str | None, process: Process = SINGLE_PROCESS) -> torch.device:
    """Return the named device, or by default a GPU if there is one; each process of a machine has its own GPU.

    Raises AsrPunctError if the device cannot be used, or one GPU is named for several processes.
    """
    name = name or ("cuda" if torch.cuda.is_available() else "cpu")
    if process.local_count == 1:
        return open_device(name)
    if name not in ("cpu", "cuda"):
        raise AsrPunctError(f"--device: found {name!r}, expected cpu or cuda with several processes")
    return open_device(f"cuda:{process.local_rank}" if name == "cuda" else name)
