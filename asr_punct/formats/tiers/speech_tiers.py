"""Which tiers of an ELAN file are speech: chosen by name, linguistic type, parent, participant and content.

A tier of words has a name or linguistic type with a part such as `words`; the annotations of its parent are utterances.
Other tiers are read as utterances if they depend on no other, and have a part such as `utterance`; if there are neither
these nor words, all that depend on no other and have the same type. Of these candidates are left out:

* tiers whose name or type has a part of `_OTHER_NAMES`, such as codes, notes, glosses, gestures;
* tiers of codes: most annotations are one token with a digit or an underscore (`BOOK_001`), or a letter;
* tiers of single words without a participant, if others have one, and not named like `utterances` themselves.

Tiers that are written here (`eaf_new`: type `utterances`, and a name that begins so or like the participant) are never
left out.

If a tier of ids or codes has a dependent tier of texts (`tx`), with one annotation for each id, that one is read.
"""

import logging
import re
from collections.abc import Iterable, Sequence

from asr_punct.errors import InputError
from asr_punct.formats import entries
from asr_punct.formats.tiers.eaf_new import UTTERANCES
from asr_punct.formats.tiers.eaf_xml import EafTier

_LOG = logging.getLogger(__name__)
_WORD_NAMES = ("word", "words", "wrd", "ort")
_TEXT_NAMES = ("tx", "txt", "text", "utterance", "transcription", "transcript", "orthography", "orth", "sentence")
_UTTERANCE_NAMES = (
    *("utterance", "utterances", "utt", "transcription", "transcript", "default", "orthography", "orth"),
    *("sentence", "sentences", "phrase", "phrases", "speech", "turn", "turns", "segment", "segments", "text", "trs"),
)
_OTHER_NAMES = (
    *("act", "acts", "action", "actions", "activity", "annotator", "arousal", "breath", "camera", "code", "coder"),
    *("codes", "cough", "engagement", "laugh", "laughs", "laughter", "overlap", "silences", "valence"),
    *("coding", "comment", "comments", "context", "emotion", "event", "events", "face", "facial", "free"),
    *("ft", "gaze", "ge", "gesture", "gestures", "gloss", "glosses", "gls", "hand", "hands", "head", "id"),
    *("ids", "ipa", "lemma", "lex", "marker", "markers", "mb", "morph", "morpheme", "morphemes", "mot"),
    *("movement", "music", "mwu", "noise", "note", "notes", "object", "off", "pause", "pauses", "phase"),
    *("phone", "phoneme", "phonemes", "phones", "phonetic", "pitch", "pos", "posture", "prosody", "ps"),
    *("ref", "scene", "sentiment", "shot", "silence", "syllable", "syllables", "tone", "topic"),
    *("translation", "vcm", "xds"),
)
_CODE = re.compile(r"\S*[\d_]\S*|[A-Za-z?+-](-[A-Za-z?+-])*")
_CODED_SHARE = 0.8
"""A tier is one of codes if at least this share of its annotations are codes."""
Track = tuple[EafTier | None, EafTier | None]
"""The tier of utterances and the tier of words of one transcript; one of them may be missing."""


def speech_tracks(tiers: Sequence[EafTier], place: str, names: Sequence[str] = ()) -> list[Track]:
    """Return the tiers of speech: those of these names, else chosen; which are left out is logged.

    There are none if no tier has words. Raises InputError if a tier of `names` is missing, or no tier can be chosen.
    """
    with_text = [tier for tier in tiers if any(entries.spoken_tokens(each.text) for each in tier.annotations)]
    shown = " ".join(repr(tier.id) for tier in with_text)[:200] or "no annotations with times"
    if missing := [name for name in names if name not in {tier.id for tier in tiers}]:
        raise InputError(place, f"no tier {missing[0]!r}", f"one of {shown}")
    if not any(entries.spoken_tokens(each.text) for tier in tiers for each in tier.annotations):
        return []
    if names:
        named = [tier for tier in with_text if tier.id in names]
        return [(None, tier) if _is_named(tier, _WORD_NAMES) and not tier.inherits else (tier, None) for tier in named]
    words = [tier for tier in with_text if _is_named(tier, _WORD_NAMES) and not tier.inherits]
    roots = [tier for tier in with_text if not tier.parent and tier not in words]
    chosen = _speech(_with_texts_of_ids(roots, with_text), has_words=bool(words))
    not_words = {tier.id: tier for tier in with_text if tier not in words}
    parents = {tier.parent for tier in words}
    found: list[Track] = [(not_words.get(tier.parent), tier) for tier in words]
    found += [(tier, None) for tier in chosen if tier.id not in parents]
    if not found:
        expected = "a tier with times whose name or linguistic type is words or utterances, or its name (tier)"
        raise InputError(place, f"the tiers {shown}" if with_text else shown, expected)
    read = [tier for track in found for tier in track if tier is not None]
    if left_out := [repr(tier.id) for tier in roots if tier not in read]:
        names_read = " ".join(repr(tier.id) for tier in read)
        _LOG.warning("%s: read as speech: the tiers %s; left out: %s", place, names_read, " ".join(left_out))
    return found


def _is_named(tier: EafTier, names: Sequence[str]) -> bool:
    """Whether the name or the linguistic type has one of these names as a part."""
    return _has_part(f"{tier.id} {tier.type}", names)


def _has_part(text: str, names: Sequence[str]) -> bool:
    return not set(names).isdisjoint(re.split(r"[\W\d_]+", text.lower()))


def _is_other(tier: EafTier) -> bool:
    """Whether a tier is named like one of notes or codes, and not after its speaker (`MOT`)."""
    return tier.id != tier.participant and _is_named(tier, _OTHER_NAMES)


def _is_own(tier: EafTier) -> bool:
    return tier.type == UTTERANCES and not tier.parent and tier.id.startswith(tier.participant or UTTERANCES)


def may_be_speech(name: str, texts: Iterable[str]) -> bool:
    """Whether a tier with these annotations, without type and speaker, may be speech, by name and content."""
    spoken = [text for text in texts if entries.spoken_tokens(text)]
    return bool(spoken) and not (_has_part(name, _OTHER_NAMES) or _are_codes(spoken))


def is_named_speech(name: str) -> bool:
    """Whether the name of a tier has a part such as `utterance`."""
    return _has_part(name, _UTTERANCE_NAMES)


def _is_coded(tier: EafTier) -> bool:
    return _are_codes(each.text for each in tier.annotations if entries.spoken_tokens(each.text))


def _are_codes(texts: Iterable[str]) -> bool:
    are_codes = [_CODE.fullmatch(text.strip()) is not None for text in texts]
    return sum(are_codes) >= _CODED_SHARE * len(are_codes)


def _is_running(tier: EafTier) -> bool:
    """Whether the annotations have two words or more on average."""
    texts = [entries.spoken_tokens(each.text) for each in tier.annotations]
    return sum(map(len, texts)) >= 2 * sum(map(bool, texts))


def _with_texts_of_ids(roots: Sequence[EafTier], tiers: Sequence[EafTier]) -> list[EafTier]:
    """Return the tiers; instead of one of ids or other codes the tier of texts that depends on it, if there is one."""
    text_of = {tier.parent: tier for tier in reversed(tiers) if _is_named(tier, _TEXT_NAMES) and not _is_coded(tier)}
    is_text_elsewhere = [tier.id in text_of and (_is_coded(tier) or _is_named(tier, _OTHER_NAMES)) for tier in roots]
    return [text_of[tier.id] if swap else tier for tier, swap in zip(roots, is_text_elsewhere, strict=True)]


def _speech(tiers: Sequence[EafTier], *, has_words: bool) -> list[EafTier]:
    """Return the tiers of utterances."""
    chosen = [t for t in tiers if _is_own(t) or not (_is_coded(t) or _is_other(t))]
    if any(tier.participant for tier in chosen):
        chosen = [
            t for t in chosen if t.participant or _is_own(t) or _has_part(t.id, _UTTERANCE_NAMES) or _is_running(t)
        ]
    named = [tier for tier in chosen if tier.parent or _is_named(tier, _UTTERANCE_NAMES)]
    if named or has_words or len({tier.type for tier in chosen}) != 1:
        return named
    return chosen
