"""The JSON of Deepgram, AssemblyAI and Azure, in the shapes of their documentation, with words of our own."""

import json

import pytest
from dummies import file

from asr_punct import formats
from asr_punct.errors import InputError
from asr_punct.words import Word


def read(tmp_path, content):
    text = content if isinstance(content, str) else json.dumps(content)
    return list(formats.read(file(tmp_path, "talk.json", text)))


def turns(utterances):
    return [(each.speaker, each.channel, " ".join(word.text for word in each.words)) for each in utterances]


def deepgram_word(text, start, end, written=None, **more):
    word = {"word": text, "start": start, "end": end, "confidence": 0.75}
    return {**word, **({"punctuated_word": written} if written else {}), **more}


def deepgram(*channels, **results):
    alternatives = [
        {"alternatives": [{"transcript": "x", "confidence": 0.9, "words": words, "paragraphs": {"transcript": "x"}}]}
        for words in channels
    ]
    metadata = {
        "transaction_key": "deprecated",
        "request_id": "0b1a",
        "sha256": "00ff",
        "created": "2026-01-02T03:04:05.678Z",
        "duration": 3.5,
        "channels": len(channels),
        "models": ["m"],
        "model_info": {"m": {"name": "general", "version": "2024-01-26.8851", "arch": "base"}},
    }
    return {"metadata": metadata, "results": {"channels": alternatives, **results}}


def test_deepgram(tmp_path):
    words = [deepgram_word("kaixo", 0.08, 0.41915998, "Kaixo,"), deepgram_word("ana", 0.5, 0.875)]
    (found,) = read(tmp_path, deepgram(words))
    assert found.words == (Word("Kaixo,", 0.08, 0.41915998, 0.75), Word("ana", 0.5, 0.875, 0.75))
    assert (found.id, found.recording, found.time_source) == ("talk-1", "talk", "asr")


def test_deepgram_speakers_and_channels(tmp_path):
    words = [deepgram_word(text, i, i + 1, speaker=i // 2, speaker_confidence=0.5) for i, text in enumerate("abcd")]
    assert turns(read(tmp_path, deepgram(words))) == [("0", "1", "a b"), ("1", "1", "c d")]
    assert turns(read(tmp_path, deepgram(words[:1], words[2:]))) == [("0", "1", "a"), ("1", "2", "c d")]
    utterance = {
        "start": 0,
        "end": 4,
        "confidence": 0.5,
        "channel": 1,
        "transcript": "a b c d",
        "speaker": 1,
        "id": "i",
    }
    given = read(tmp_path, deepgram(words, utterances=[{**utterance, "words": words}]))
    assert turns(given) == [("1", "2", "a b c d")]


def test_deepgram_of_silence_has_no_words(tmp_path):
    path = file(tmp_path, "talk.json", json.dumps(deepgram([], utterances=[])).replace('"x"', '""'))
    assert [each.words for each in formats.read(path, may_be_empty=True)] == [()]


def assemblyai(words, **more):
    text = " ".join(word["text"] for word in words or [])
    head = {"id": "0b1a", "language_model": "assemblyai_default", "acoustic_model": "assemblyai_default"}
    state = {"status": "completed", "language_code": "es", "audio_url": "https://example.org/talk.mp3", "text": text}
    tail = {"utterances": None, "confidence": 0.9, "audio_duration": 4, "punctuate": True, "format_text": True}
    return {**head, **state, "words": words, **tail, "webhook_url": None, **more}


def assemblyai_word(text, start, end, speaker=None):
    return {"text": text, "start": start, "end": end, "confidence": 0.97465, "speaker": speaker}


def test_assemblyai(tmp_path):
    words = [assemblyai_word("Kaixo,", 250, 650), assemblyai_word("ana.", 730, 1022)]
    (found,) = read(tmp_path, assemblyai(words))
    assert found.words == (Word("Kaixo,", 0.25, 0.65, 0.97465), Word("ana.", 0.73, 1.022, 0.97465))
    assert (found.recording, found.time_source, found.speaker) == ("talk", "asr", "")


def test_assemblyai_speakers(tmp_path):
    words = [assemblyai_word(text, i * 1000, i * 1000 + 500, "AAB"[i]) for i, text in enumerate("abc")]
    assert turns(read(tmp_path, assemblyai(words))) == [("A", "1", "a b"), ("B", "1", "c")]
    utterance = {"confidence": 0.9, "end": 2500, "speaker": "B", "start": 0, "text": "a b c", "words": words}
    assert turns(read(tmp_path, assemblyai(words, utterances=[utterance]))) == [("B", "1", "a b c")]
    assert turns(read(tmp_path, assemblyai(words, utterances=[{**utterance, "words": []}]))) == [
        ("A", "1", "a b"),
        ("B", "1", "c"),
    ]
    channels = [{**word, "channel": "12"[i > 0]} for i, word in enumerate(words)]
    assert turns(read(tmp_path, assemblyai(channels))) == [("A", "1", "a"), ("A", "2", "b"), ("B", "2", "c")]


@pytest.mark.parametrize("status", ["queued", "processing", "error"])
def test_assemblyai_transcripts_that_are_not_completed(tmp_path, status):
    with pytest.raises(InputError, match=rf"talk.json: found status '{status}', expected a completed transcript"):
        read(tmp_path, assemblyai(None, status=status, text=None))


def azure_time(start, duration):
    offset = {"offset": f"PT{start}S", "duration": f"PT{duration}S"}
    return {**offset, "offsetInTicks": start * 1e7, "durationInTicks": duration * 1e7}


def azure_batch(*phrases, **file_keys):
    combined = [{"channel": 0, "lexical": "x", "itn": "x", "maskedITN": "x", "display": "x"}]
    head = {"source": "https://example.org/talk.wav", "timestamp": "2023-07-10T14:28:16Z", "durationInTicks": 25800000}
    return {
        **head,
        "duration": "PT2.58S",
        "combinedRecognizedPhrases": combined,
        "recognizedPhrases": phrases,
        **file_keys,
    }


def azure_phrase(words, status="Success", **more):
    forms = {"lexical": "kaixo ana", "itn": "kaixo ana", "maskedITN": "kaixo ana", "display": "Kaixo, Ana."}
    best = {"confidence": 0.5643338, **forms, **words}
    others = [{"confidence": 0.9, **forms, "display": "kaixo ama"}]
    return {"recognitionStatus": status, "channel": 0, **azure_time(0.76, 1.32), "nBest": [best, *others], **more}


LEXICAL = [
    {"word": "kaixo", **azure_time(0.76, 0.76), "confidence": 0.5},
    {"word": "ana", **azure_time(1.52, 0.56), "confidence": 0.25},
]
DISPLAY = [
    {"displayText": "Kaixo,", **azure_time(0.76, 0.76)},
    {"displayText": "Ana.", **azure_time(1.52, 0.56)},
]


@pytest.mark.parametrize(
    ("words", "expected", "source"),
    [
        ({"words": LEXICAL}, (Word("kaixo", 0.76, 1.52, 0.5), Word("ana", 1.52, 2.08, 0.25)), "asr"),
        ({"words": LEXICAL, "displayWords": DISPLAY}, (Word("Kaixo,", 0.76, 1.52), Word("Ana.", 1.52, 2.08)), "asr"),
        ({}, (Word("Kaixo,", 0.76), Word("Ana.", None, 2.08)), "segment"),
    ],
)
def test_azure_batch(tmp_path, words, expected, source):
    (found,) = read(tmp_path, azure_batch(azure_phrase(words)))
    assert found.words == expected
    assert (found.id, found.recording, found.channel, found.time_source) == ("talk-1", "talk", "1", source)


def test_azure_speakers_channels_and_failures(tmp_path):
    phrase = azure_phrase({"words": LEXICAL})
    second = azure_phrase({"words": LEXICAL}, speaker=2, channel=1)
    failed = {"recognitionStatus": "Failure", "channel": 0, **azure_time(0, 1), "nBest": []}
    assert turns(read(tmp_path, azure_batch(phrase, failed, second))) == [
        ("", "1", "kaixo ana"),
        ("2", "2", "kaixo ana"),
    ]


def test_azure_fast_transcription(tmp_path):
    words = [
        {"text": "Kaixo,", "offsetMilliseconds": 760, "durationMilliseconds": 320},
        {"text": "Ana.", "offsetMilliseconds": 1080, "durationMilliseconds": 280},
    ]
    phrase = {
        "speaker": 0,
        "offsetMilliseconds": 760,
        "durationMilliseconds": 600,
        "text": "Kaixo, Ana.",
        "words": words,
    }
    content = {"durationMilliseconds": 2439, "combinedPhrases": [{"text": "Kaixo, Ana."}], "phrases": [phrase]}
    (found,) = read(tmp_path, content)
    assert found.words == (Word("Kaixo,", 0.76, 1.08), Word("Ana.", 1.08, 1.36))
    assert (found.speaker, found.time_source) == ("0", "asr")
    (found,) = read(tmp_path, {**content, "phrases": [{**phrase, "words": []}]})
    assert (found.words[0].start, found.words[-1].end, found.time_source) == (0.76, 1.36, "segment")


def sdk_result(start, words=True):
    entries = [
        {"Word": "kaixo", "Offset": start, "Duration": 7600000},
        {"Word": "ana", "Offset": start + 7600000, "Duration": 5600000},
    ]
    forms = {"Lexical": "kaixo ana", "ITN": "kaixo ana", "MaskedITN": "kaixo ana", "Display": "Kaixo, Ana."}
    best = {"Confidence": 0.9052885, **forms, **({"Words": entries} if words else {})}
    head = {"Id": "6a2a", "RecognitionStatus": "Success", "Offset": start, "Duration": 13200000, "Channel": 0}
    return {**head, "DisplayText": "Kaixo, Ana.", "NBest": [best]}


def test_azure_sdk(tmp_path):
    results = [sdk_result(7600000), {"RecognitionStatus": "InitialSilenceTimeout", "Offset": 50000000, "Duration": 0}]
    results.append({**sdk_result(36_000_000_000, words=False), "SpeakerId": "Guest-1"})
    for text in (json.dumps(results), "\n".join(map(json.dumps, results))):
        first, second = read(tmp_path, text)
        assert first.words == (Word("kaixo", 0.76, 1.52), Word("ana", 1.52, 2.08))
        assert second.words == (Word("Kaixo,", 3600.0), Word("Ana.", None, 3601.32))
        assert [(each.speaker, each.time_source) for each in (first, second)] == [("", "asr"), ("Guest-1", "segment")]
    (only,) = read(
        tmp_path, {"RecognitionStatus": "Success", "DisplayText": "Kaixo.", "Offset": "700", "Duration": "9"}
    )
    assert only.words == (Word("Kaixo.", 0.00007, 0.0000709),)


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (deepgram([deepgram_word("a", 2, 1)]), "channel 1: alternative 1: word 1: found end 1.0 before start 2.0"),
        (deepgram([deepgram_word("a", "x", 1)]), "word 1: found start 'x'"),
        (deepgram([deepgram_word(3, 0, 1)]), "word 1: found the word 3"),
        (
            assemblyai([assemblyai_word("a", 500, 900), assemblyai_word("b", 100, 900)]),
            "word 2: found start 0.1 after 0.5",
        ),
        (azure_batch(azure_phrase({"words": [{"word": "a", "offsetInTicks": -1}]})), "word 1: found offsetInTicks -1"),
        (azure_batch(azure_phrase({"words": [3]})), "phrase 1: word 1: found 3, expected an object"),
        ([sdk_result(0), {**sdk_result(0), "Offset": "x", "NBest": []}], "result 2: found Offset 'x'"),
    ],
)
def test_errors_name_the_place(tmp_path, content, found):
    with pytest.raises(InputError, match=rf"^{tmp_path}/talk\.json.*{found}"):
        read(tmp_path, content)
