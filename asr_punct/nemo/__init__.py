"""Plugin for NeMo: punctuation of its transcripts, and a model that its tools save, restore and train.

`punctuate_hypotheses` needs only the core install. `AsrPunctModel` needs NeMo. Its second name,
`PunctuationCapitalizationModel`, is that of the NeMo class which it replaces.
"""

from typing import TYPE_CHECKING, Any

from asr_punct.nemo.hypotheses import punctuate_hypotheses

if TYPE_CHECKING:
    from asr_punct.nemo.model import AsrPunctModel
    from asr_punct.nemo.model import AsrPunctModel as PunctuationCapitalizationModel

__all__ = ["AsrPunctModel", "PunctuationCapitalizationModel", "punctuate_hypotheses"]


def __getattr__(name: str) -> Any:
    """Import the model when it is first used, because importing NeMo takes half a minute.

    Raises MissingExtraError if NeMo is not installed.
    """
    if name not in ("AsrPunctModel", "PunctuationCapitalizationModel"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        from asr_punct.nemo.model import AsrPunctModel
    except ModuleNotFoundError as error:
        from asr_punct.errors import MissingExtraError

        raise MissingExtraError(f"asr_punct.nemo.{name}", "nemo", str(error.name)) from None
    return AsrPunctModel
