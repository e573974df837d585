"""The words of `ROWS` in every format, with everything else that a file of it can have."""

from __future__ import annotations

import json

from asr_punct.words import Word

ROWS = [("qué", 0.25, 0.5), ("dijo", 0.5, 1.0), ("ana", 1.75, 2.125), ("hola", 3.0, 3.5), ("r&d", 3.5, 4.25)]
TEXTS = [text for text, _, _ in ROWS]
TIMES = [(start, end) for _, start, end in ROWS]
SEGMENTS = [ROWS[:3], ROWS[3:]]
WORDS = [tuple(Word(*row) for row in rows) for rows in SEGMENTS]

DEFAULT_TIME_SOURCE = dict.fromkeys(
    [
        *(
            "assemblyai",
            "aws",
            "aws-calls",
            "azure",
            "ctm",
            "deepgram",
            "elevenlabs",
            "funasr",
            "google",
            "ibm",
            "kaldi",
        ),
        *("nemo", "rev", "speechmatics", "vosk", "vosk-transcriber"),
    ],
    "asr",
)
DEFAULT_TIME_SOURCE |= dict.fromkeys(["aeneas", "eaf", "gentle", "lhotse", "lhotse-cuts", "mfa", "textgrid"], "aligner")
DEFAULT_TIME_SOURCE |= dict.fromkeys(
    ["ctm/aligner", "nemo/alignment", "sherpa-onnx", "whisper/ctc", "whisper/whisperx"], "ctc"
)
DEFAULT_TIME_SOURCE |= dict.fromkeys(["whisper", "whisper-jsonl"], "whisper")
"""The source of word times that a file does not name, by format or by format/variant."""


def line(value):
    return json.dumps(value, ensure_ascii=False)


def entries(rows, **more):
    return [{"word": text, "start": start, "end": end, **more} for text, start, end in rows]


def joined(rows):
    return " ".join(text for text, _, _ in rows)


def own_utterance(rows, **more):
    head = {"id": "u", "recording": "r", "channel": "1", "times": "asr", "text": joined(rows)}
    return {**head, "words": entries(rows, confidence=0.50, speaker="a"), **more}


def manifest(rows, **more):
    item = {"audio_filepath": "d/r.wav", "duration": 9.5, "lang": "es", **more}
    return line({**item, "pred_text": joined(rows), "word": entries(rows, start_offset=3)}) + "\n"


def supervision(number, rows):
    item = {"id": f"s{number}", "recording_id": "r", "start": rows[0][1], "duration": 2, "channel": 0}
    word = [[text, start, end - start, 0.75] for text, start, end in rows]
    more = {"text": joined(rows), "custom": {"snr": 1.5}, "alignment": {"word": word, "phone": [["k", 0.25, 0.1]]}}
    return line(item | more) + "\n"


def whisper_segment(number, rows):
    words = entries([(f" {text}", start, end) for text, start, end in rows], probability=0.5)
    limits = {"start": rows[0][1], "end": rows[-1][2]}
    return {"id": number, "seek": 7, **limits, "text": f" {joined(rows)}", "tokens": [1, 2], "words": words}


def cpp_times(start, end):
    clock = [f"00:00:{int(t):02},{int(t * 1000) % 1000:03}" for t in (start, end)]
    milliseconds = [int(t * 1000) for t in (start, end)]
    return {name: {"from": a, "to": b} for name, (a, b) in (("timestamps", clock), ("offsets", milliseconds))}


def cpp_segment(rows):
    """A segment of whisper.cpp: words of one or two tokens, between special tokens."""
    tokens = [{"text": "[_BEG_]", **cpp_times(0, 0), "id": 50363, "p": 0.9, "t_dtw": -1}]
    for text, start, end in rows:
        parts = [f" {text}"] if len(text) < 4 else [f" {text[:2]}", text[2:]]
        for part in parts:
            times = cpp_times(start, end if part == parts[-1] else start)
            tokens.append({"text": part, **times, "id": 7, "p": 0.5, "t_dtw": -1})
    tokens.append({"text": "[_TT_100]", "id": 50463, "p": 0.25, "t_dtw": -1})
    return {**cpp_times(rows[0][1], rows[-1][2]), "text": f" {joined(rows)}", "tokens": tokens, "speaker": "0"}


def cut(number, rows):
    supervisions = [json.loads(supervision(number, [(text, start - 0.25, end - 0.25) for text, start, end in rows]))]
    recording = {"id": "r", "sources": [], "sampling_rate": 16000, "num_samples": 80000, "duration": 5}
    return line(
        {"id": f"c{number}", "start": 0.25, "duration": 4.75, "channel": 0, "supervisions": supervisions}
        | {"recording": recording, "type": "MonoCut"}
    )


def call_turn(rows, role):
    def times(start, end):
        return {"BeginOffsetMillis": int(start * 1000), "EndOffsetMillis": int(end * 1000)}

    items = [{"Type": "pronunciation", "Content": t, "Confidence": "0.5", **times(a, b)} for t, a, b in rows]
    turn = {"Content": joined(rows), **times(rows[0][1], rows[-1][2]), "ParticipantRole": role, "Id": "1"}
    return {**turn, "Items": items, "Sentiment": "NEUTRAL", "LoudnessScores": [79.5]}


def fragment(number, rows):
    begin, end = (f"{time:.3f}" for time in (rows[0][1], rows[-1][2]))
    head = {"begin": begin, "children": [], "end": end, "id": f"f{number:06}", "language": "spa"}
    return {**head, "lines": [joined(rows)]}


def rev_elements(rows):
    spaced = [{"type": "text", "value": t, "ts": a, "end_ts": b, "confidence": 0.5} for t, a, b in rows]
    spaces = [{"type": "punct", "value": " "}] * len(rows)
    return [element for pair in zip(spaced, spaces, strict=True) for element in pair][:-1]


def spaced(rows):
    words = [{"text": t, "start": a, "end": b, "type": "word", "speaker_id": "s"} for t, a, b in rows]
    spaces = [{"text": " ", "start": b, "end": b, "type": "spacing", "speaker_id": "s"} for _, _, b in rows]
    return [entry for pair in zip(words, spaces, strict=True) for entry in pair][:-1]


def gentle_words(rows):
    for number, (text, start, end) in enumerate(rows):
        offset = len(joined(rows[:number])) + bool(number)
        found = {"alignedWord": text, "case": "success", "start": start, "end": end, "phones": []}
        yield {**found, "word": text, "startOffset": offset, "endOffset": offset + len(text)}


def grid_tier(number, name, rows):
    intervals = "".join(
        f'        intervals [{i}]:\n            xmin = {start}\n            xmax = {end}\n            text = "{text}"\n'
        for i, (text, start, end) in enumerate(rows, start=1)
    )
    head = f'    item [{number}]:\n        class = "IntervalTier"\n        name = "{name}"\n'
    return f"{head}        xmin = 0\n        xmax = 4.250\n        intervals: size = {len(rows)}\n{intervals}"


EAF_SLOTS = sorted(2 * [int(1000 * time) for _, *times in ROWS for time in times])


def eaf_annotation(number, first, last, text):
    return (
        f'<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a{number}" TIME_SLOT_REF1="ts{first}"'
        f' TIME_SLOT_REF2="ts{last}">\n<ANNOTATION_VALUE>{text}</ANNOTATION_VALUE>\n</ALIGNABLE_ANNOTATION>'
        "</ANNOTATION>\n"
    )


def aws_item(text, start, end):
    return {
        "type": "pronunciation",
        "start_time": str(start),
        "end_time": str(end),
        "alternatives": [{"confidence": "0.5", "content": text}],
    }


def google_result(rows):
    words = [{"word": text, "startTime": f"{start}s", "endTime": f"{end}s"} for text, start, end in rows]
    return {"alternatives": [{"words": words}]}


def ticks(start, end):
    return {"offsetInTicks": start * 1e7, "durationInTicks": (end - start) * 1e7}


def azure_phrase(rows):
    words = [{"word": text, "offset": f"PT{a}S", **ticks(a, b), "confidence": 0.5} for text, a, b in rows]
    best = {"confidence": 0.75, "lexical": joined(rows), "itn": joined(rows), "display": joined(rows), "words": words}
    phrase = {"recognitionStatus": "Success", "channel": 0, **ticks(rows[0][1], rows[-1][2])}
    return {**phrase, "nBest": [best, {**best, "words": []}]}


def azure_fast_phrase(rows):
    words = [{"text": t, "offsetMilliseconds": a * 1000, "durationMilliseconds": (b - a) * 1000} for t, a, b in rows]
    return {"offsetMilliseconds": 250, "text": joined(rows), "words": words, "locale": "es-ES", "confidence": 0.5}


def azure_sdk_result(rows):
    words = [{"Word": text, "Offset": int(a * 1e7), "Duration": int((b - a) * 1e7)} for text, a, b in rows]
    best = {"Confidence": 0.5, "Lexical": joined(rows), "Display": joined(rows), "Words": words}
    return {"Id": "1", "RecognitionStatus": "Success", "Offset": 1, "Duration": 1, "Channel": 0, "NBest": [best]}


SAMPLES: dict[str, str | dict[str, str]] = {
    "text": "qué dijo ana\nhola r&d\n",
    "tsv": "# id = u\n# recording = r\nqué\tO\t0.000\tO\ndijo\tO\t0.750\tO\n\n"
    "# id = v\n# recording = r\nana\tO\t-\tO\nhola\tO\t0.000\tO\nr&d\tO\t-\tO\n\n",
    "json": line({"made": "here", "utterances": [own_utterance(SEGMENTS[0]), own_utterance(SEGMENTS[1], number=2)]}),
    "ctm": ";; made\n"
    + "".join(f"r A  {start:.4f} {end - start} {text} 0.90 lex  a\n" for text, start, end in ROWS)
    + "r A 5 1 <eps>\n",
    "stm": ";; made\nr 1 a 0.250 2.125 <o,f0,male> qué dijo ana\n"
    "r 1 inter_segment_gap 2.125 3\nr 1 b 3 4.25 hola r&d\n",
    "textgrid": 'File type = "ooTextFile"\nObject class = "TextGrid"\n\nxmin = 0\nxmax = 4.250\ntiers? <exists>\n'
    + "size = 2\nitem []:\n"
    + grid_tier(1, "words", [("", 0, "0.250"), *ROWS[:2], ("sil", 1, 1.75), ROWS[2], ("", 2.125, 3), *ROWS[3:]])
    + grid_tier(2, "phones", [("k", "1e-1", "0.20")]),
    "eaf": '<?xml version="1.0" encoding="UTF-8"?>\n<?made here?><ANNOTATION_DOCUMENT AUTHOR="" FORMAT="3.0">\n'
    + '<HEADER MEDIA_FILE="" TIME_UNITS="milliseconds"><PROPERTY NAME="URN">urn:x</PROPERTY></HEADER>\n<TIME_ORDER>\n'
    + "".join(f'<TIME_SLOT TIME_SLOT_ID="ts{i}" TIME_VALUE="{t}"/>\n' for i, t in enumerate(EAF_SLOTS))
    + '</TIME_ORDER>\n<TIER LINGUISTIC_TYPE_REF="utterance" PARTICIPANT="" TIER_ID="K-Spch">\n'
    + eaf_annotation(1, 0, 6, "qué dijo ana")
    + eaf_annotation(2, 8, 12, "hola r&amp;d")
    + '</TIER>\n<TIER LINGUISTIC_TYPE_REF="words" PARENT_REF="K-Spch" TIER_ID="K-Words">\n'
    + "".join(
        eaf_annotation(i, EAF_SLOTS.index(int(a * 1000)), EAF_SLOTS.index(int(b * 1000)), text.replace("&", "&amp;"))
        for i, (text, a, b) in enumerate(ROWS, start=3)
    )
    + '</TIER>\n<TIER LINGUISTIC_TYPE_REF="pos" PARENT_REF="K-Words" TIER_ID="K-POS"><ANNOTATION>'
    + '<REF_ANNOTATION ANNOTATION_ID="a9" ANNOTATION_REF="a3"><ANNOTATION_VALUE>pro</ANNOTATION_VALUE></REF_ANNOTATION>'
    + '</ANNOTATION></TIER>\n<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="words" TIME_ALIGNABLE="true"/>\n'
    + "</ANNOTATION_DOCUMENT>\n",
    "nemo": "".join(map(manifest, SEGMENTS)),
    "whisper": line({"text": f" {joined(ROWS)}", "segments": list(map(whisper_segment, (0, 1), SEGMENTS)), "x": 1}),
    "whisper/service": line(
        {
            "text": joined(ROWS),
            "segments": [
                {"id": number, "start": rows[0][1], "end": rows[-1][2], "text": f" {joined(rows)}"}
                for number, rows in enumerate(SEGMENTS)
            ],
            "words": entries(ROWS),
            "duration": 4.5,
        }
    ),
    "whisper/cpp": line({"params": {"language": "es"}, "transcription": list(map(cpp_segment, SEGMENTS))}),
    "whisper/chunks": line(
        {"text": f" {joined(ROWS)}", "chunks": [{"text": f" {t}", "timestamp": [a, b]} for t, a, b in ROWS], "x": [1]}
    ),
    "whisper-log": "Detected language 'es' with probability 0.98\n[0.25s -> 2.125s] qué dijo ana\n"
    "\n[3.00s -> 4.25s]  hola r&d \nDone\n",
    "whisper-log/whisper": "[00:00.250 --> 00:02.125]  qué dijo ana\n[00:03.000 --> 00:04.250]  hola r&d\n",
    "whisper-log/cpp": "main: processing\n\n[00:00:00.250 --> 00:00:02.125]  (speaker 0) qué dijo ana [SPEAKER_TURN]\n"
    "[00:00:02.125 --> 00:00:03.000]\n[00:00:03.000 --> 00:00:04.250]  (speaker ?) hola r&d\n\ntimings:\n",
    "whisper-jsonl": "".join(line(whisper_segment(i, rows)) + "\n" for i, rows in enumerate(SEGMENTS)),
    "whisper-csv": 'start,end,text\n250,2125," qué dijo ana"\n2125,3000,""\n3000,4250,hola r&d\n',
    "whisper-csv/speaker": 'start,end,speaker,text\n250,2125,"0"," qué dijo ana"\n3000,4250,1,"hola r&d "\n',
    "whisper-tsv": "start\tend\ttext\n250\t2125\tqué dijo ana\n2125\t3000\t\n3000\t4250\thola r&d\n",
    "vosk": line({"result": entries(ROWS, conf=0.5), "spk": [0.25], "text": joined(ROWS)}),
    "lhotse": "".join(map(supervision, (1, 2), SEGMENTS)),
    "kaldi": {
        "text": "u qué dijo ana\nv hola r&d\n",
        "segments": "u r 0.25 2.5\nv r 3.00 4.5\n",
        "utt2spk": "u a\nv b\n",
        "spk2gender": "a f\nb m\n",
        "ctm": "".join(f"r 1 {start} {end - start} {text} 0.9\n" for text, start, end in ROWS),
    },
    "kaldi-text": "talk_1 qué dijo ana\ntalk_2\ntalk_3\thola r&d\n",
    "aws": line({"results": {"transcripts": [], "items": [aws_item(*row) for row in ROWS]}}),
    "google": line({"results": list(map(google_result, SEGMENTS))}),
    "ibm": line({"results": [{"final": True, "alternatives": [{"transcript": joined(ROWS), "timestamps": ROWS}]}]}),
    "speechmatics": line(
        {"words": [{"name": text, "time": str(a), "duration": str(b - a), "confidence": "1"} for text, a, b in ROWS]}
    ),
    "deepgram": line(
        {
            "metadata": {"request_id": "r", "channels": 1},
            "results": {"channels": [{"alternatives": [{"transcript": joined(ROWS), "words": entries(ROWS)}]}]},
        }
    ),
    "assemblyai": line(
        {
            "id": "r",
            "audio_url": "https://a/r.wav",
            "status": "completed",
            "text": joined(ROWS),
            "words": [{"text": t, "start": int(a * 1000), "end": int(b * 1000), "speaker": None} for t, a, b in ROWS],
            "utterances": None,
        }
    ),
    "azure": line({"source": "r.wav", "recognizedPhrases": list(map(azure_phrase, SEGMENTS))}),
    "azure/fast": line(
        {"combinedPhrases": [{"text": joined(ROWS)}], "phrases": list(map(azure_fast_phrase, SEGMENTS))}
    ),
    "azure/sdk": "".join(line(azure_sdk_result(rows)) + "\n" for rows in SEGMENTS),
    "lhotse-cuts": "".join(cut(number, rows) + "\n" for number, rows in enumerate(SEGMENTS)),
    "vosk-transcriber": line(
        {
            "schemaVersion": "2.0",
            "monologues": [
                {
                    "speaker": {"id": "unknown", "name": None},
                    **{"start": rows[0][1], "end": rows[-1][2]},
                    "terms": [{"confidence": 0.5, "start": a, "end": b, "text": t, "type": "WORD"} for t, a, b in rows],
                }
                for rows in SEGMENTS
            ],
            "text": list(map(joined, SEGMENTS)),
        }
    ),
    "rev": line({"monologues": [{"speaker": 0, "elements": rev_elements(rows)} for rows in SEGMENTS]}),
    "elevenlabs": line(
        {"language_code": "spa", "language_probability": 1, "text": joined(ROWS), "words": spaced(ROWS)}
    ),
    "aws-calls": line({"JobStatus": "COMPLETED", "Transcript": [call_turn(rows, "AGENT") for rows in SEGMENTS]}),
    "aeneas": line({"fragments": [fragment(number, rows) for number, rows in enumerate(SEGMENTS)]}),
    "gentle": line({"transcript": joined(ROWS), "words": list(gentle_words(ROWS))}),
    "mfa": line(
        {
            "start": 0,
            "end": 4.25,
            "tiers": {
                "words": {"type": "interval", "entries": [[a, b, t] for t, a, b in ROWS]},
                "phones": {"type": "interval", "entries": [[0.25, 0.5, "k"]]},
            },
        }
    ),
    "funasr": line(
        [{"key": "r", "text": joined(ROWS), "timestamp": [[int(a * 1000), int(b * 1000)] for _, a, b in ROWS]}]
    ),
    "sherpa-onnx": line(
        {
            "lang": "es",
            "text": f" {joined(ROWS)}",
            "timestamps": [start for _, start, _ in ROWS],
            "durations": [end - start for _, start, end in ROWS],
            "tokens": [f" {text}" for text in TEXTS],
            "words": [],
        }
    ),
    "srt": "1\n00:00:00,250 --> 00:00:02,125 X1:10\nqué dijo\nana\n\n"
    "7\n00:00:03,000 --> 00:00:04,250\n<i>hola</i> r&d\n\n",
    "ass": "[Script Info]\n; made\n\n[Events]\n"
    "Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n"
    "Comment: 0,0:00:00.00,0:00:00.10,Default,,0,0,0,,nada\n"
    "Dialogue: 0,0:00:00.25,0:00:02.125,Default,a,0,0,0,,{\\i1}qué{\\i0} dijo\\Nana\n"
    "Dialogue: 0,0:00:02.50,0:00:02.60,Default,,0,0,0,,{\\p1}m 0 0 l 9 9{\\p0}\n"
    "Dialogue: 0,0:00:03.00,0:00:04.25,Default,a,0,0,0,,{\\b1}hola{\\b0}\\hr&d\n\n[Fonts]\nDialogue: no\n",
    "vtt": "WEBVTT - talk\n\nNOTE made\n\na\n00:00.250 --> 00:02.125 line:0\n<v Ana>qué dijo\nana</v>\n\n"
    "00:03.000 --> 00:04.250\nhola r&amp;d\n",
}
