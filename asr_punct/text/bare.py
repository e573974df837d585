"""Words as recognisers write them: in lower case, without labels, without marks."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from asr_punct.characters import MARK_SHAPES, shape_of
from asr_punct.letter_case import takes_case
from asr_punct.text.edges import split_token
from asr_punct.text.entities import unescape_with_places
from asr_punct.text.roles import Role, roles_of
from asr_punct.words import Utterance, Word, without_labels


def lowercase_words(words: Iterable[Word]) -> tuple[Word, ...]:
    """Return the words in lower case; tags and addresses (`<UNK>`) are unchanged."""
    return tuple(replace(word, text=word.text.lower()) if takes_case(word.text) else word for word in words)


def lowercased(utterance: Utterance) -> Utterance:
    """Return the utterance in lower case, but for its tags and addresses."""
    return replace(utterance, words=lowercase_words(utterance.words))


def bare(utterance: Utterance) -> Utterance:
    """Return the utterance as recognisers write it: in lower case, without labels and probabilities."""
    return without_labels(lowercased(utterance))


def without_marks(utterance: Utterance, language: str) -> Utterance:
    """Return the utterance without labels, without the marks at the edges of its words, and in lower case.

    Tokens that consist of marks, sounds, tags, addresses and the apostrophe of `'ll` stay. The rules are those of
    `language`.
    """
    texts = bare_words(utterance, language)
    words = tuple(replace(word, text=text) for word, text in zip(utterance.words, texts, strict=True))
    return without_labels(replace(utterance, words=words))


def bare_words(utterance: Utterance, language: str) -> list[str]:
    """Return the texts of the words as `without_marks` makes them."""
    texts = [word.text for word in utterance.words]
    return [_bare(text, role, language) for text, role in zip(texts, roles_of(texts, language), strict=True)]


def _bare(token: str, role: Role, language: str) -> str:
    before, core, after = split_token(token, language)
    if not core or role is Role.SOUND or not takes_case(token):
        return token
    kept_before = before if role is Role.PIECE else "".join(_symbols(before))
    return f"{kept_before}{core.lower()}{''.join(_symbols(after))}"


def _symbols(edge: str) -> Iterator[str]:
    """Yield the characters at the edge of a token that are no marks."""
    text, places = unescape_with_places(edge)
    for i, shape in enumerate(shape_of(text)):
        if shape not in MARK_SHAPES:
            yield edge[places[i] : places[i + 1]]
