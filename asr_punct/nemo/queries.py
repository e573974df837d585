"""`Punctuator` with the call of NeMo 2.4 and earlier for lists of strings."""

from collections.abc import Mapping, Sequence
from typing import Any

from asr_punct.errors import AsrPunctError
from asr_punct.formats.lines.nemo_labels import format_labels
from asr_punct.inference import punctuator
from asr_punct.words import Utterance, split_words


class Punctuator(punctuator.Punctuator):
    """`inference.punctuator.Punctuator` with the call of NeMo's `PunctuationCapitalizationModel`."""

    def add_punctuation_capitalization(
        self,
        queries: Sequence[str],
        batch_size: int | None = None,
        max_seq_length: int | None = None,
        step: int | None = None,
        margin: int | None = None,
        return_labels: bool = False,
        dataloader_kwargs: Mapping[str, Any] | None = None,
    ) -> list[str]:
        """Return each query, as a document of its own, with marks and capitals; its own ones stay.

        Sizes default to those with which the model was trained. Raises AsrPunctError if `queries` is a string or
        contains something else than strings, or a size is too small.

        Args:
            queries: the texts.
            batch_size: windows computed together, 1 or more.
            max_seq_length: maximum number of sub-words in a window, both special tokens included.
            step: ignored: each word is decided once, by the window with the most context on both sides.
            margin: number of words at the inner edges of a window that the neighbouring window decides.
            return_labels: return the added labels in NeMo's format (`formats.nemo_labels`): `OU OO ,O ?U`.
            dataloader_kwargs: ignored: there is no data loader.
        """
        wrong = [queries] if isinstance(queries, str) else [query for query in queries if not isinstance(query, str)]
        if wrong:
            raise AsrPunctError(f"queries: found {wrong[0]!r}, expected a list of strings")
        minimum_length = self.info.model.encoder.max_subwords + 2
        for name, size, minimum in (
            ("batch_size", batch_size, 1),
            ("max_seq_length", max_seq_length, minimum_length),
            ("step", step, 1),
            ("margin", margin, 0),
        ):
            if size is not None and not (hasattr(size, "__index__") and size >= minimum):
                raise AsrPunctError(f"{name}: found {size!r}, expected a whole number, {minimum} or more")
        utterances = [Utterance(split_words(query), document=str(i)) for i, query in enumerate(queries)]
        restored = self.with_windows(batch_size, max_seq_length, margin).restore(utterances)
        if return_labels:
            return [format_labels(utterance.labels, self.glyphs.of(utterance.language)) for utterance in restored]
        return [self.write(utterance) for utterance in restored]
