"""SubRip and WebVTT: read, written back, converted, and made from words with times."""

import io as stdio
from dataclasses import replace

import pytest
from dummies import file
from hypothesis import given
from hypothesis import strategies as st

from asr_punct import formats
from asr_punct.errors import AsrPunctError, InputError
from asr_punct.formats.cues import cue_reader
from asr_punct.formats.cues.cue_text import escape, split_cue_text, token_of
from asr_punct.formats.cues.writers import parse_limits_option, write_subtitles
from asr_punct.marks import Case, Labels, Mark, glyphs
from asr_punct.subtitles import BBC, NETFLIX
from asr_punct.words import annotate

ES = glyphs("es")

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


def text_of(utterances, kind, style=ES, limits=None):
    out = stdio.StringIO()
    write_subtitles(utterances, out, style, kind, limits)
    return out.getvalue()


def restored(utterance):
    """Add a capital to the first word and a period to the last."""
    count = len(utterance.words)
    labels = [Labels() for _ in range(count)]
    if count:
        labels[0] = Labels(case=Case.FIRST_CAP)
        labels[-1] = Labels(labels[-1].marks | {Mark.PERIOD}, labels[-1].case)
    return annotate(utterance, labels=tuple(labels))


# Writing back


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


def test_subtitles_of_a_ctm(run, tmp_path, model):
    source, target = tmp_path / "a.ctm", tmp_path / "a.srt"
    source.write_text("".join(f"r 1 {at}.5 0.4 {word}\n" for at, word in enumerate(["ana", "mira", "la", "casa"])))
    options = ("--model", model, "--quiet", "--subtitles", "bbc,characters=9,lines=1")
    status, _, error = run("punctuate", source, "-o", target, *options)
    assert (status, error) == (0, "")
    said = [word.text.strip(",.?¿").lower() for cue in formats.read(target) for word in cue.words]
    assert said == ["ana", "mira", "la", "casa"]
    assert max(map(len, target.read_text().split("\n\n")[0].splitlines()[2:])) <= 9


def test_limits_are_only_for_subtitle_formats():
    assert parse_limits_option(None, "text") is None
    assert parse_limits_option("bbc", "vtt") == BBC
    with pytest.raises(AsrPunctError, match="--subtitles: found the output ctm"):
        formats.write([], "a.ctm", ES, subtitles=BBC)


# Malformed files

CUE = "00:00:01,000 --> 00:00:02,000\nhola\n"


@pytest.mark.parametrize("text", ["NOTE x\n\n" * 40 + CUE, CUE + "hola\n" * 90, "\n" * 400 + CUE])
def test_too_many_characters_without_a_cue_are_an_error(tmp_path, monkeypatch, text):
    monkeypatch.setattr(cue_reader, "MAX_CUE", 300)
    assert len(list(formats.read(file(tmp_path, "a.vtt", "WEBVTT\n\n" + f"{CUE}\n" * 20)))) == 20
    with pytest.raises(InputError, match="found more than 300 characters without a cue, expected a cue: HH"):
        list(formats.read(file(tmp_path, "a.vtt", "WEBVTT\n\n" + text)))


@pytest.mark.parametrize("text", ["<i>" * 50_000, "<" * 100_000, "{\\" * 50_000, "&" * 100_000, "<v " * 40_000])
@pytest.mark.parametrize("kind", ["srt", "vtt"])
def test_many_tags_are_read_in_linear_time(text, kind):
    found = split_cue_text(text + " fin", kind)
    assert found.words[-1] == "fin"


# Inverses

PAYLOADS = st.text(st.sampled_from("ab <>/i&;lt{}\\\n\t¿.-:0v"), max_size=40)


@given(PAYLOADS, st.sampled_from(["srt", "vtt"]))
def test_the_parts_of_a_cue_join_to_its_text(text, kind):
    found = split_cue_text(text, kind)
    pieces = [piece for pair in zip(found.between, (*found.words, ""), strict=True) for piece in pair]
    assert "".join(pieces) == text
    tokens = [token_of(word, kind) for word in found.words]
    assert all(len(token.split()) == 1 for token in tokens)


@given(st.text(st.characters(exclude_categories=["Z", "C"]), min_size=1, max_size=10))
def test_escaped_text_is_read_back(token):
    found = split_cue_text(escape(token, "vtt"), "vtt")
    assert [token_of(word, "vtt") for word in found.words] == [token]
