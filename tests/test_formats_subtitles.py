"""SubRip and WebVTT: read, written back, converted, and made from words with times."""

import io as stdio
from dataclasses import replace

import pytest
from dummies import file
from hypothesis import given
from hypothesis import strategies as st

from asr_punct import formats
from asr_punct.errors import AsrPunctError, InputError
from asr_punct.formats import subtitles
from asr_punct.formats.cue_text import escape, split_words, token_of
from asr_punct.formats.subtitle_writers import chosen_limits, subtitle_writer
from asr_punct.marks import Case, Labels, Mark, glyphs
from asr_punct.subtitles import BBC, NETFLIX
from asr_punct.words import Utterance, Word, annotate

ES, EN = glyphs("es"), glyphs("en")

SRT = """7
00:00:01,000 --> 00:00:02,500 X1:10 X2:20
- <i>buenos días,
señorías</i>

8
100:00:03.5 --> 100:00:04,25
{\\an8}se abre <b>l</b>a sesión

"""
VTT = """WEBVTT - a talk
Kind: captions

STYLE
::cue { color: red }

REGION
id:top

NOTE two speakers
and a note

intro
00:01.000 --> 00:00:02.500 line:0 align:start
<v Ana López>buenos días, R&amp;D</v>
<v Jon>qué&nbsp;tal</v>

NOTE between

00:00:02.500 --> 00:00:04.000
todo bien

NOTE the end
"""
YOUTUBE = """WEBVTT
Kind: captions

00:00:00.240 --> 00:00:03.000 align:start position:0%
@
la<00:00:00.690><c> sesión</c><00:00:01.050><c> empieza</c>

00:00:03.000 --> 00:00:03.010 align:start position:0%
la sesión empieza
@

00:00:03.010 --> 00:00:05.000 align:start position:0%
la sesión empieza
muy<00:00:03.900><c> rara</c>
""".replace("@", " ")
FILES = {"a.srt": SRT, "a.vtt": VTT, "y.vtt": YOUTUBE}


def text_of(utterances, kind, style=ES, limits=None):
    out = stdio.StringIO()
    subtitle_writer(kind, limits)(utterances, out, style)
    return out.getvalue()


def restored(utterance):
    """Add a capital to the first word and a period to the last."""
    count = len(utterance.words)
    labels = [Labels() for _ in range(count)]
    if count:
        labels[0] = Labels(case=Case.FIRST_CAP)
        labels[-1] = Labels(labels[-1].marks | {Mark.PERIOD}, labels[-1].case)
    return annotate(utterance, labels=tuple(labels))


def words_of(utterances):
    return [[(word.text, word.start, word.end) for word in utterance.words] for utterance in utterances]


# Reading


def test_a_cue_is_an_utterance_whose_edges_have_its_times(tmp_path):
    first, second = formats.read(file(tmp_path, "talk.srt", SRT))
    words = [("-", 1.0, None), ("buenos", None, None), ("días,", None, None), ("señorías", None, 2.5)]
    assert words_of([first]) == [words]
    assert (first.id, first.recording, first.time_source, first.pauses) == ("7", "talk", "segment", (None,) * 4)
    assert words_of([second]) == [
        [("se", 360003.5, None), ("abre", None, None), ("la", None, None), ("sesión", None, 360004.25)]
    ]


def test_webvtt_has_notes_styles_names_and_escaped_characters(tmp_path):
    first, second = formats.read(file(tmp_path, "a.vtt", VTT))
    assert [word.text for word in first.words] == ["buenos", "días,", "R&D", "qué", "tal"]
    assert (first.id, first.words[0].start, first.words[-1].end) == ("intro", 1.0, 2.5)
    assert (second.id, words_of([second])) == ("", [[("todo", 2.5, None), ("bien", None, 4.0)]])


@pytest.mark.parametrize(
    ("text", "speaker"),
    [
        ("<v Ana  López>buenos\ndías</v>", "Ana  López"),
        ("<v.loud.first R&amp;D>hola", "R&D"),
        ("<v Ana>hola</v> <v Jon>ya", ""),
        ("hola <v Ana>ya</v>", ""),
        ("<v>hola</v>", ""),
        ("<vip Ana>hola", ""),
    ],
)
def test_the_voice_of_a_whole_cue_is_its_speaker(tmp_path, text, speaker):
    (value,) = formats.read(file(tmp_path, "a.vtt", f"WEBVTT\n\n00:00.000 --> 00:01.000\n{text}\n"))
    assert value.speaker == speaker


def test_new_cues_name_the_speaker_only_in_webvtt():
    value = Utterance((Word("hola", 0.0, 1.0),), recording="r", speaker="A &\n<B>", time_source="asr")
    assert text_of([value], "vtt") == "WEBVTT\n\n00:00:00.000 --> 00:00:01.000\n<v A &amp; &lt;B&gt;>hola\n"
    assert text_of([value], "srt") == "1\n00:00:00,000 --> 00:00:01,000\nhola\n"


def test_times_inside_a_cue_are_word_starts_and_repeated_lines_are_skipped(tmp_path):
    cues = list(formats.read(file(tmp_path, "a.vtt", YOUTUBE)))
    assert words_of(cues) == [
        [("la", 0.24, None), ("sesión", 0.69, None), ("empieza", 1.05, 3.0)],
        [],
        [("muy", 3.01, None), ("rara", 3.9, 5.0)],
    ]
    assert [cue.time_source for cue in cues] == ["segment"] * 3


def test_unknown_tags_are_words(tmp_path):
    text = "1\n00:00:01,000 --> 00:00:02,000\n<unk> 3 < 5 a<b <i>y</i> [ruido]\n"
    (cue,) = formats.read(file(tmp_path, "a.srt", text))
    assert [word.text for word in cue.words] == ["<unk>", "3", "<", "5", "a<b", "y", "[ruido]"]


def test_byte_order_mark_and_carriage_returns_are_dropped(tmp_path):
    path = file(tmp_path, "a.srt", b"\xef\xbb\xbf" + SRT.replace("\n", "\r\n").encode())
    assert text_of(formats.read(path), "srt") == SRT


# Writing back


@pytest.mark.parametrize("name", FILES)
def test_without_labels_a_file_is_unchanged(tmp_path, name):
    path = file(tmp_path, name, FILES[name])
    assert text_of(formats.read(path), name[-3:]) == FILES[name]


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("a.srt", [("señorías</i>", "señorías.</i>"), ("se abre <b>l</b>a sesión", "Se abre <b>l</b>a sesión.")]),
        ("a.vtt", [("buenos", "Buenos"), ("tal</v>", "tal.</v>"), ("todo bien", "Todo bien.")]),
        (
            "y.vtt",
            [("la<", "La<"), ("a</c>", "a.</c>"), ("la sesión empieza\n", "La sesión empieza.\n"), ("muy<", "Muy<")],
        ),
    ],
)
def test_only_the_words_change(tmp_path, name, changes):
    """In YouTube's cues also the lines that repeat the cue before."""
    expected = FILES[name]
    for old, new in changes:
        expected = expected.replace(old, new)
    cues = formats.read(file(tmp_path, name, FILES[name]))
    assert text_of(map(restored, cues), name[-3:]) == expected


def test_tags_and_escapes_inside_a_word_are_kept_if_its_case_changes(tmp_path):
    text = "WEBVTT\n\n00:01.000 --> 00:02.000\n<b>eu</b>ko r&amp;d a&lt;b\n"
    (cue,) = formats.read(file(tmp_path, "a.vtt", text))
    caps = Labels(frozenset({Mark.OPEN_QUES, Mark.QUESTION}), Case.ALL_CAPS)
    said = annotate(cue, labels=(caps, caps, Labels(frozenset({Mark.DASH}))))
    assert text_of([said], "vtt") == text.replace("<b>eu</b>ko r&amp;d a&lt;b", "<b>¿EU</b>KO? ¿R&amp;D? a&lt;b –")


def test_a_cue_with_other_words_is_an_error(tmp_path):
    first, _ = formats.read(file(tmp_path, "a.vtt", VTT))
    with pytest.raises(InputError, match="utterance 'intro': found 1 word, expected the 5 of its cue"):
        text_of([annotate(replace(first, words=first.words[:1]), pauses=None)], "vtt")


# From one kind to the other


def test_srt_becomes_webvtt_with_its_cues_and_lines(tmp_path):
    text = SRT.replace("buenos", "R&D <unk>")
    assert text_of(formats.read(file(tmp_path, "a.srt", text)), "vtt") == (
        "WEBVTT\n\n00:00:01.000 --> 00:00:02.500\n- R&amp;D &lt;unk&gt; días,\nseñorías\n\n"
        "100:00:03.500 --> 100:00:04.250\nse abre la sesión\n"
    )


def test_webvtt_becomes_srt_with_its_cues_and_lines(tmp_path):
    assert text_of(map(restored, formats.read(file(tmp_path, "a.vtt", VTT))), "srt") == (
        "1\n00:00:01,000 --> 00:00:02,500\nBuenos días, R&D\nqué tal.\n\n2\n00:00:02,500 --> 00:00:04,000\nTodo bien.\n"
    )
    youtube = text_of(formats.read(file(tmp_path, "y.vtt", YOUTUBE)), "srt")
    assert youtube.endswith("3\n00:00:03,010 --> 00:00:05,000\nla sesión empieza\nmuy rara\n")


def test_with_limits_all_cues_are_new(tmp_path):
    cues = "WEBVTT\n\n00:00.000 --> 00:01.000\nla primera\n\n00:01.000 --> 00:02.000\nfrase.\n"
    said = list(formats.read(file(tmp_path, "a.vtt", cues)))
    assert text_of(said, "vtt", limits=NETFLIX) == "WEBVTT\n\n00:00:00.000 --> 00:00:02.000\nla primera frase.\n"


# From words with times


def talk(recording="r", start=0.0):
    words = tuple(Word(text, start + at, start + at + 0.4) for text, at in [("hola", 0.5), ("a<b", 0.9), ("r&d", 3.0)])
    labels = (Labels(case=Case.FIRST_CAP), Labels(frozenset({Mark.PERIOD})), Labels())
    return annotate(Utterance(words, recording=recording), labels=labels)


def test_words_become_cues():
    srt = "1\n00:00:00,500 --> 00:00:01,333\nHola a<b.\n\n2\n00:00:03,000 --> 00:00:03,833\nr&d\n"
    assert text_of([talk()], "srt") == srt
    vtt = "WEBVTT\n\n02:00:00.500 --> 02:00:01.333\nHola a&lt;b.\n\n02:00:03.000 --> 02:00:03.833\nr&amp;d\n"
    assert text_of([talk(start=7200.0)], "vtt") == vtt


@pytest.mark.parametrize(
    ("second", "found"),
    [
        (talk("s", 9.0), "found recordings 'r' and 's', expected one recording a file"),
        (talk(), r"utterance '': found 0\.5 s after 63 s in recording 'r', expected utterances"),
    ],
)
def test_a_file_has_one_recording_in_the_order_of_time(second, found):
    with pytest.raises(InputError, match=found):
        text_of([talk(start=60.0), second], "srt")


def test_each_channel_has_its_cues_in_the_order_of_time():
    def said(channel, *starts):
        words = tuple(Word(f"{channel}{number}.", start, start + 0.5) for number, start in enumerate(starts))
        return Utterance(words, recording="r", channel=channel)

    expected = [("00,000", "a0."), ("01,000", "b0."), ("01,200", "a1."), ("05,000", "b1."), ("30,000", "a2.")]
    cues = [cue.split("\n") for cue in text_of([said("a", 0.0, 1.2, 30.0), said("b", 1.0, 5.0)], "srt").split("\n\n")]
    assert [(cue[1][6:12], cue[2]) for cue in cues] == expected
    assert [cue[0] for cue in cues] == ["1", "2", "3", "4", "5"]


def test_subtitles_of_a_ctm(run, tmp_path, model):
    source, target = tmp_path / "a.ctm", tmp_path / "a.srt"
    source.write_text("".join(f"r 1 {at}.5 0.4 {word}\n" for at, word in enumerate(["ana", "mira", "la", "casa"])))
    options = ("--model", model, "--quiet", "--subtitles", "bbc,characters=9,lines=1")
    status, _, error = run("punctuate", source, "-o", target, *options)
    assert (status, error) == (0, "")
    said = [word.text.strip(",.?¿").lower() for cue in formats.read(target) for word in cue.words]
    assert said == ["ana", "mira", "la", "casa"]
    assert max(map(len, target.read_text().split("\n\n")[0].splitlines()[2:])) <= 9


def test_limits_are_only_for_subtitle_formats(run):
    assert chosen_limits(None, "text") is None
    assert chosen_limits("bbc", "vtt") == BBC
    status, _, error = run("punctuate", "a.txt", "--subtitles", "bbc")
    assert (status, error.count("\n")) == (2, 1)
    assert "--subtitles: found the output text, expected --to srt, vtt, ass or ttml" in error
    with pytest.raises(AsrPunctError, match="--subtitles: found the output ctm"):
        formats.write([], "a.ctm", ES, subtitles=BBC)


# Malformed files

CUE = "00:00:01,000 --> 00:00:02,000\nhola\n"


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.srt", "hola\n", "a.srt:1: found 'hola', expected a cue: its number, HH:MM:SS,mmm -->"),
        ("a.srt", f"1\n{CUE}\ntexto suelto\n", "a.srt:5: found 'texto suelto'"),
        ("a.srt", "1\n00:00:01,000 -> 00:00:02,000\nhola\n", "a.srt:1: found '1', expected a cue"),
        ("a.srt", "1\n00:00:01,000 --> \nhola\n", "a.srt:2: found '00:00:01,000 --> '"),
        ("a.srt", "1\n00:61:00,000 --> 00:62:00,000\nhola\n", "a.srt:2"),
        ("a.srt", "1\n00:00:03,000 --> 00:00:02,000\nhola\n", "a.srt:2: found end 2 before start 3"),
        ("a.srt", f"1\n{CUE}2\n{CUE}", "a.srt:5: found '00:00:01,000 --> .* expected an empty line before the next"),
        ("a.srt", f"1\n{CUE.replace('01', '02')}\n2\n{CUE}", "a.srt:5: found 1 s after 2 s, expected cues in the"),
        ("a.srt", f"1\n{CUE}".replace("hola", "<i> </i>"), "found no words"),
        ("a.vtt", CUE, "a.vtt:1: found '00:00:01,000 --> .* expected WEBVTT in the first line"),
        ("a.vtt", f"\nWEBVTT\n\n{CUE}", "a.vtt:2: found 'WEBVTT', expected WEBVTT in the first line"),
        ("a.vtt", f"WEBVTTX\n\n{CUE}", "a.vtt:1: found 'WEBVTTX'"),
        ("a.vtt", f"WEBVTT\n{CUE}", "a.vtt:2: found '00:00:01,000 .* expected an empty line between WEBVTT and"),
        ("a.vtt", f"WEBVTT\n\n{CUE}a <00:03.000>b\n", "a.vtt:3: found 3 s inside a cue, expected 1 to 2 s"),
        ("a.vtt", f"WEBVTT\n\n{CUE}a <00:01.900>b <00:01.500>c\n", "found 1.5 s inside a cue, expected 1.9 to 2"),
    ],
)
def test_malformed_files_are_errors(tmp_path, name, text, message):
    with pytest.raises(InputError, match=message):
        list(formats.read(file(tmp_path, name, text)))


@pytest.mark.parametrize("text", ["NOTE x\n\n" * 40 + CUE, CUE + "hola\n" * 90, "\n" * 400 + CUE])
def test_too_many_characters_without_a_cue_are_an_error(tmp_path, monkeypatch, text):
    monkeypatch.setattr(subtitles, "MAX_CUE", 300)
    assert len(list(formats.read(file(tmp_path, "a.vtt", "WEBVTT\n\n" + f"{CUE}\n" * 20)))) == 20
    with pytest.raises(InputError, match="found more than 300 characters without a cue, expected a cue: HH"):
        list(formats.read(file(tmp_path, "a.vtt", "WEBVTT\n\n" + text)))


@pytest.mark.parametrize("text", ["<i>" * 50_000, "<" * 100_000, "{\\" * 50_000, "&" * 100_000, "<v " * 40_000])
@pytest.mark.parametrize("kind", ["srt", "vtt"])
def test_many_tags_are_read_in_linear_time(text, kind):
    found = split_words(text + " fin", kind)
    assert found.words[-1] == "fin"


# Inverses

PAYLOADS = st.text(st.sampled_from("ab <>/i&;lt{}\\\n\t¿.-:0v"), max_size=40)


@given(PAYLOADS, st.sampled_from(["srt", "vtt"]))
def test_the_parts_of_a_cue_join_to_its_text(text, kind):
    found = split_words(text, kind)
    pieces = [piece for pair in zip(found.between, (*found.words, ""), strict=True) for piece in pair]
    assert "".join(pieces) == text
    tokens = [token_of(word, kind) for word in found.words]
    assert all(len(token.split()) == 1 for token in tokens)


@given(st.text(st.characters(exclude_categories=["Z", "C"]), min_size=1, max_size=10))
def test_escaped_text_is_read_back(token):
    found = split_words(escape(token, "vtt"), "vtt")
    assert [token_of(word, "vtt") for word in found.words] == [token]
