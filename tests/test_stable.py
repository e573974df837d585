"""What a release promises to keep: public names of Python, commands, formats. A name may be added, none may go."""

import json
import re
from pathlib import Path

import asr_punct
from asr_punct.cli.base import app
from asr_punct.formats.registry import READABLE, WRITABLE

COMMANDS = "align batch evaluate export info models pauses prepare punctuate score serve stream train transcribe tune"
FORMATS = """text tsv json ctm stm textgrid eaf nemo whisper whisper-tsv whisper-log vosk lhotse kaldi kaldi-text srt
    vtt"""
ONLY_READ = "aws google ibm speechmatics deepgram assemblyai azure"
ONLY_WRITTEN = "ass ttml stl markdown docx sentences audacity"


def test_public_names():
    assert {"Punctuator", "read", "score", "write"} <= set(asr_punct.__all__)
    for name in asr_punct.__all__:
        assert getattr(asr_punct, name).__doc__


def test_commands():
    import asr_punct.cli.commands  # noqa: F401 registers them

    names = {command.name or command.callback.__name__ for command in app.registered_commands}
    assert set(COMMANDS.split()) <= names


def test_formats():
    assert {*FORMATS.split(), *ONLY_READ.split()} <= set(READABLE)
    assert {*FORMATS.split(), *ONLY_WRITTEN.split()} <= set(WRITABLE)


def test_the_image_is_made_of_what_is_here(run):
    """Docker itself is not needed: the files that it copies exist, and its command is one."""
    root = Path(__file__).parent.parent
    text = (root / "Dockerfile").read_text(encoding="utf-8")
    copied = [name for line in re.findall(r"^COPY (.*) \S+$", text, re.MULTILINE) for name in line.split()]
    assert "asr_punct" in copied
    assert all((root / name).exists() for name in copied)
    entry, arguments = (json.loads(re.search(rf"^{key} (.*)$", text, re.MULTILINE)[1]) for key in ("ENTRYPOINT", "CMD"))
    assert entry == ["asr-punct"]
    assert run(*arguments, "--help")[0] == 0
