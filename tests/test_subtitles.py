"""Subtitles from words with times: limits, cues and lines (compared with all ways to cut), their times, the report."""

import bisect
import itertools
import math
from dataclasses import replace

import pytest
from dummies import json_lines, refused_at
from hypothesis import given, settings
from hypothesis import strategies as st

from asr_punct.errors import ArgumentError
from asr_punct.glyphs import glyphs, write_text
from asr_punct.marks import Case, Labels, Mark
from asr_punct.subtitles import BBC, NETFLIX, Cue, Limits, check_cues, make_cues, parse_limits, report_lines, summarise
from asr_punct.subtitles.cues import cut_units
from asr_punct.subtitles.display import Spoken, display_times, end_time
from asr_punct.subtitles.unit import Unit
from asr_punct.subtitles.units import make_units
from asr_punct.words import Utterance, Word, annotate

ES, EN = glyphs("es"), glyphs("en")
SMALL = Limits(characters=12, lines=2, min_seconds=1, max_seconds=4, speed=12, min_gap=0.08, closed_gap=0.3, linger=0.5)


def utterance(text, pauses=(), start=0.0, labels=None, **others):
    """Words of 0.3 s with a pause of 0 s, or the given one, after each."""
    words = []
    for place, token in enumerate(text.split()):
        words.append(Word(token, round(start, 3), round(start + 0.3, 3)))
        start += 0.3 + dict(pauses).get(place, 0.0)
    return annotate(Utterance(tuple(words), recording="r", **others), labels=labels)


def lines_of(*utterances, limits=NETFLIX):
    return [cue.lines for cue in make_cues(utterances, limits, ES)]


def times_of(*utterances, limits=NETFLIX):
    return [(cue.start, cue.end) for cue in make_cues(utterances, limits, ES)]


def test_presets_can_be_changed():
    assert parse_limits("netflix") == NETFLIX
    assert [parse_limits("netflix").of_language(language).speed for language in ("es", "eu", "en")] == [17, 17, 20]
    assert parse_limits("netflix,speed=12").of_language("en").speed == 12
    assert parse_limits("bbc, characters=32,speed=12.5,lines=1") == replace(BBC, characters=32, speed=12.5, lines=1)


@pytest.mark.parametrize(
    "text", ["itv", "bbc,width=3", "bbc,characters", "bbc,speed=nan", "bbc,lines=0", "bbc,characters=100000"]
)
def test_invalid_limits_are_reported(text):
    with refused_at("subtitles", repr(text.rpartition(",")[2]), ArgumentError):
        parse_limits(text)


# Where cues break


@pytest.mark.parametrize(("said", "limits", "lines"), json_lines("subtitle_lines.jsonl"))
def test_lines_of_cues(said, limits, lines):
    """They break at marks and pauses, not after articles; short turns share one. Rows of utterances, limits, lines."""
    found = lines_of(*(utterance(**each) for each in said), limits=parse_limits(limits))
    assert list(map(list, found)) == lines


def test_labels_count_like_marks_of_tokens():
    text = "hoy vamos a hablar de la ley mañana seguimos con los presupuestos del año"
    labels = [Labels(frozenset({Mark.PERIOD} if token == "ley" else ())) for token in text.split()]
    labels[0] = Labels(case=Case.FIRST_CAP)
    assert lines_of(utterance(text, labels=tuple(labels)))[0] == ("Hoy vamos a hablar de la ley.",)


def test_a_lone_mark_stays_with_its_word():
    limits = replace(SMALL, characters=8, lines=1)
    cues = lines_of(utterance("hola ¿ qué dices - bien"), limits=limits)
    assert [line for cue in cues for line in cue] == ["hola", "¿ qué", "dices -", "bien"]
    cues = lines_of(utterance("hola >> qué dices"), limits=limits)
    assert [line for cue in cues for line in cue] == ["hola", ">> qué", "dices"]
    labels = (Labels(), Labels(frozenset({Mark.DASH})), Labels())
    assert lines_of(utterance("y entonces vino", labels=labels), limits=replace(BBC, characters=12)) == [
        ("y entonces –", "vino")
    ]


@pytest.mark.parametrize(
    ("text", "style", "ends"),
    [
        ("al señor D. Manuel vino ayer.", ES, [False, False, False, False, False, True]),
        ("so do I. Then", EN, [False, False, True, False]),
        ("fue a. Luego", ES, [False, True, False]),
        ("es 5. Luego", ES, [False, True, False]),
    ],
)
def test_initials_end_no_sentence(text, style, ends):
    assert [unit.ends_sentence for unit in make_units([utterance(text)], style, 42)] == ends


def test_a_cue_has_words_of_one_recording_and_a_line_for_each_of_several_speakers():
    said = [utterance("hola —", speaker="ana"), utterance("« qué tal", start=0.6, speaker="ana")]
    said += [utterance("bien", start=1.5, speaker="jon"), utterance("ya", start=1.8)]
    said += [replace(utterance("ya", start=0.7), recording="s")]
    found = [(cue.recording, cue.speakers, cue.lines) for cue in make_cues(said, NETFLIX, ES)]
    assert found == [
        ("r", ("ana", "jon"), ("-hola — « qué tal", "-bien")),
        ("r", ("",), ("ya",)),
        ("s", ("",), ("ya",)),
    ]


@pytest.mark.parametrize(
    ("text", "glyph", "following"),
    [
        ("we are certainly all definitely going to be there", EN, "to"),
        ("i think this is one of the most important subjects of all", EN, "of"),
        ("so throughout we are probably gonna try out our white board", EN, "out"),
        ("mañana nosotros seguramente tendremos que hablar de todas las leyes", ES, "leyes"),
        ("yo creo que ellos van a hablar sobre presupuestos generales", ES, "a"),
        ("gaur goizean lehendakariak aurrekontuak aurkeztu ditu legebiltzarrean", glyphs("eu"), "ditu"),
        ("horregatik jaurlaritzak ez du besterik egin nahi izan aurten", glyphs("eu"), "du"),
        ("the company had sold nearly everything by December 31st last year", EN, "31st"),
        ("everyone who was there heard about our successful Phase II trial", EN, "II"),
        ("they raised gross proceeds of approximately 19.5 million last year", EN, "million"),
        ("they raised gross proceeds of approximately 19.5 million last year", EN, "19.5"),
        ("lo establece con mucha claridad la ley en su artículo cinco vigente", ES, "cinco"),
        ("bilera nagusia hemen egingo dugu denok elkarrekin abenduaren 31n goizean", glyphs("eu"), "31n"),
    ],
)
@pytest.mark.parametrize("pause", [0.0, 0.6, 1.5])
def test_no_line_or_cue_ends_on_a_word_that_binds_to_the_next(text, glyph, following, pause):
    place = text.split().index(following) - 1
    said = utterance(text, {place: pause})
    for characters in range(32, 43):
        cues = list(make_cues([said], replace(NETFLIX, characters=characters), glyph))
        lines = [line.split() for cue in cues for line in cue.lines]
        assert following not in [line[0] for line in lines]


@pytest.mark.parametrize(
    ("text", "glyph", "second"),
    [
        ("nunca la comunidad autónoma respaldó la propuesta del gobierno", ES, "la propuesta del gobierno"),
        ("todos quieren estar en la comisión europea con nosotros", ES, "en la comisión europea con nosotros"),
        ("they are certainly going to visit the old house of your friends", EN, "the old house of your friends"),
        ("atzo goizean lehendakariak eta sailburuak hitz egin zuten", glyphs("eu"), "eta sailburuak hitz egin zuten"),
    ],
)
def test_lines_break_before_articles_prepositions_and_conjunctions(text, glyph, second):
    (cue,) = make_cues([utterance(text)], NETFLIX, glyph)
    assert cue.lines == (text.removesuffix(f" {second}"), second)


def test_a_cue_that_would_be_too_short_joins_the_next_one():
    said = [utterance("sí.", speaker="a"), utterance("y luego vino.", start=0.8, speaker="a")]
    assert lines_of(*said) == [("sí. y luego vino.",)]


def test_no_cue_ends_after_a_word_that_is_cut_off():
    said = utterance("we have always been saying that th- the targeted acquisitions of pre- previous years")
    for characters in range(16, 43):
        cues = list(make_cues([said], replace(NETFLIX, characters=characters), EN))
        assert not [line for cue in cues for line in cue.lines if line.endswith("-")]


def test_a_word_binds_across_utterances_of_one_speaker_and_not_before_another():
    first, second = utterance("i am certainly going"), utterance("to be there tomorrow morning", start=1.4)
    limits = replace(NETFLIX, characters=22, lines=1)
    assert [cue.lines[0].split()[0] for cue in make_cues([first, second], limits, EN)] == ["i", "going", "tomorrow"]
    first, second = replace(first, speaker="a"), replace(second, speaker="b")
    assert [cue.lines[0].split()[0] for cue in make_cues([first, second], limits, EN)][:2] == ["i", "to"]


# Times


@pytest.mark.parametrize(
    ("said", "limits", "times"),
    [
        ([utterance("sí.")], NETFLIX, [(0.0, 0.833)]),
        ([utterance("sí."), utterance("no", start=1.6)], SMALL, [(0.0, 1.0), (1.6, 2.6)]),
        (
            [utterance("primera frase. segunda frase", {1: 0.2})],
            replace(SMALL, min_seconds=0.01, speed=100),
            [(0.0, 0.72), (0.8, 1.4)],
        ),
        ([utterance("desafortunadamente preferiríamos", start=1.0)], NETFLIX, [(1.0, 2.1)]),
        ([utterance("desafortunadamente preferiríamos", start=1.0)], BBC, [(1.0, 3.1)]),
        ([Utterance((Word("eh", 0.0, 30.0),), recording="r")], NETFLIX, [(0.0, 7.0)]),
    ],
)
def test_a_cue_stays_as_long_as_it_takes_to_read(said, limits, times):
    assert times_of(*said, limits=limits) == times


@pytest.mark.parametrize(
    ("words", "times"),
    [
        (
            (Word("uno", 1.0, None), Word("dos"), Word("tres", None, 3.0), Word("ya")),
            [(1.0, 1.6), (1.6, 2.2), (2.2, 3.0), (3.0, 3.133)],
        ),
        ((Word("doce"), Word("uno", 1.0, 1.2)), [(0.733, 1.0), (1.0, 1.2)]),
        ((Word("uno", 1.0, 2.0), Word("dos", 0.5, 0.7), Word("tres", 3.0, 3.2)), [(1.0, 2.0), (1.0, 1.0), (3.0, 3.2)]),
    ],
)
def test_unknown_times_are_interpolated_and_put_in_order(words, times):
    units = make_units([Utterance(words, recording="r")], ES, 42)
    assert [(unit.start, unit.end) for unit in units] == times


def test_words_of_one_instant_share_the_time_until_the_next_word():
    words = [Word(text, 5.0, 5.0) for text in ("una frase larga que dura", "nada y otra frase larga")]
    first, second, last = make_units([Utterance((*words, Word("fin", 8.0, 8.5)))], ES, 42)
    assert first.start == 5.0 < first.end == second.start < second.end <= last.start == 8.0


def test_speakers_overlap_and_cues_do_not():
    said = [utterance("una frase larga de quien habla."), utterance("otra de otro.", start=1.0)]
    assert lines_of(*said) == [("una frase larga de quien habla.",), ("otra de otro.",)]
    (_, end), (start, _) = times_of(*said)
    assert end <= start
    assert 1.5 <= start < 1.5 + 0.6


def delays_of(utterances, cues):
    """Seconds from the start of each word, whose texts differ, to that of its cue."""
    shown = {word: cue.start for cue in cues for line in cue.lines for word in line.removeprefix("-").split()}
    return [shown[word.text] - word.start for each in utterances for word in each.words]


@pytest.mark.parametrize("mark", ["", ","])
def test_words_of_people_who_speak_at_once_are_shown_when_they_are_said(mark):
    said = [utterance(" ".join(f"a{i}{mark}" for i in range(60)), speaker="ana")]
    said += [utterance("sí.", start=4.0, speaker="jon"), utterance("ya veo claro.", start=9.0, speaker="eva")]
    cues = list(make_cues(said, NETFLIX, ES))
    assert max(delays_of(said, cues)) < 2
    assert all(cue.end <= following.start for cue, following in itertools.pairwise(cues))


def test_an_utterance_is_not_cut_for_a_short_overlap():
    said = [utterance("bueno, no sé, vamos a ver.", speaker="ana"), utterance("de acuerdo.", start=1.5, speaker="jon")]
    assert lines_of(*said) == [("bueno, no sé, vamos a ver.",), ("de acuerdo.",)]


# Compared with all ways to cut, with the costs written again from the documentation


def lines_cost(found, cuts, limits):
    turns = [len(list(group)) for _, group in itertools.groupby(found, key=lambda unit: unit.speaker)]
    if len(turns) > 1:
        ends = list(itertools.accumulate(turns))
        lines = [found[end - count : end] for end, count in zip(ends, turns, strict=True)]
        fits = all(len(" ".join(u.text for u in line)) + len(limits.dash) <= limits.characters for line in lines)
        allowed = fits and len(turns) <= min(limits.lines, 2) and all(unit.speaker for unit in found)
        return len(turns) - 1 if allowed and list(cuts) == ends[:-1] else math.inf
    bounds = [0, *cuts, len(found)]
    lengths = [len(" ".join(unit.text for unit in found[a:b])) for a, b in itertools.pairwise(bounds)]
    if len(found) > 1 and (max(lengths) > limits.characters or len(lengths) > limits.lines):
        return math.inf
    mean = sum(lengths) / len(lengths)
    unbalance = sum(((length - mean) / limits.characters) ** 2 for length in lengths)
    breaks = sum(0.25 * found[cut - 1].break_cost + 10.0 * found[cut - 1].binds for cut in cuts)
    return len(cuts) * 1.0 + breaks + 4.0 * unbalance


def cue_cost(found, after, limits):
    following = after and after.start
    start, said = found[0].start, found[-1].end
    if len(found) > 1 and said - start > limits.max_seconds:
        return math.inf
    characters = len(" ".join(unit.text for unit in found))
    end = max(said, start + limits.min_seconds, min(start + characters / limits.speed, said + limits.linger))
    cost = 2.0
    if following is not None:
        end = following if following - end < limits.closed_gap else end
        end = min(end, max(following - limits.min_gap, (start + following) / 2))
        cost += found[-1].break_cost * max(0.0, 1 - (following - said) / 1.0)
        cost += 20.0 * (found[-1].binds and after.speaker == found[-1].speaker)
    time = min(end, start + limits.max_seconds) - start
    for unit, after in itertools.pairwise(found):
        cost += 3.0 * (unit.ends_sentence or unit.speaker != after.speaker)
        cost += 4.0 * max(0.0, after.start - unit.end - 0.5)
    cost += 15.0 * max(0.0, 1 - time / limits.min_seconds)
    cost += 4.0 * max(0.0, characters - limits.speed * time) / limits.characters
    places = range(1, len(found))
    ways = (cuts for count in range(limits.lines) for cuts in itertools.combinations(places, count))
    return cost + min(lines_cost(found, cuts, limits) for cuts in ways)


def cost_of(found, bounds, limits):
    return sum(
        cue_cost(found[a:b], found[b] if b < len(found) else None, limits) for a, b in itertools.pairwise(bounds)
    )


def cheapest(found, limits):
    places = range(1, len(found))
    ways = (cuts for count in range(len(found)) for cuts in itertools.combinations(places, count))
    return min(cost_of(found, (0, *cuts, len(found)), limits) for cuts in ways)


TEXTS = st.sampled_from(["a", "la", "ley", "hablar", "presidente", "constitucionalidad"])


@st.composite
def recordings(draw, most=8):
    found, now = [], draw(st.floats(0, 2))
    speakers = draw(st.sampled_from([st.just(""), st.sampled_from(["a", "a", "a", "b"])]))
    for text in draw(st.lists(TEXTS, min_size=1, max_size=most)):
        start = round(now, 3)
        end = round(start + draw(st.sampled_from([0.0, 0.1, 0.4, 1.5])), 3)
        weight = draw(st.sampled_from([0.0, 2.0, 3.0, 8.0]))
        binds = weight == 8.0 and draw(st.booleans())
        found.append(Unit(text, start, end, weight, weight == 0.0, draw(speakers), binds))
        now = end + draw(st.sampled_from([-0.05, 0.0, 0.0, 0.2, 0.7, 2.0]))
        now = max(now, start)
    return found


@settings(max_examples=150)
@given(recordings(), st.sampled_from([SMALL, replace(SMALL, lines=3, characters=8), BBC]))
def test_cues_have_the_lowest_cost(found, limits):
    cues = list(cut_units(found, limits))
    assert all(len(line) <= limits.characters for cue in cues if len(cue.speakers) > 1 for line in cue.lines)
    dashes = [limits.dash * (len(cue.speakers) > 1) for cue in cues]
    lines = [" ".join(line.removeprefix(dash) for line in cue.lines) for cue, dash in zip(cues, dashes, strict=True)]
    bounds = [0, *itertools.accumulate(len(line.split()) for line in lines)]
    assert cost_of(found, bounds, limits) == pytest.approx(cheapest(found, limits))


@st.composite
def spoken_cues(draw):
    cues, now = [], 0.0
    for _ in range(draw(st.integers(1, 4))):
        end = now + draw(st.sampled_from([0.0, 0.3, 1.0, 3.0]))
        cues.append(Spoken(now, end, draw(st.integers(1, 60)), draw(st.sampled_from([0.0, 0.8, 1.4]))))
        now = round(end + draw(st.sampled_from([-0.0, 0.0, 0.2, 2.0])), 3)
    return cues


def time_cost(cues, shown, limits):
    """The cost of the starts of cues, written again from the documentation."""
    total = sum(0.5 * (start - cue.start) for start, cue in zip(shown, cues, strict=True))
    for cue, start, following in zip(cues, shown, [*shown[1:], math.inf], strict=True):
        if start > following:
            return math.inf
        seconds = end_time(replace(cue, start=start), following, limits) - start
        short, unread = max(0.0, 1 - seconds / limits.min_seconds), max(0.0, cue.characters - limits.speed * seconds)
        total += 15 * short + 4 * unread / limits.characters + 0.5 * (short > 1e-6 or unread > 1e-4)
    return total


@given(spoken_cues(), st.sampled_from([SMALL, BBC]))
def test_cues_are_delayed_at_the_lowest_cost(cues, limits):
    times = display_times(cues, limits)
    room = [(0.0,)] + [[k / 10 for k in range(6) if not k or cue.late + k / 10 < 1.001] for cue in cues[1:]]
    ways = [[cue.start + delay for cue, delay in zip(cues, way, strict=True)] for way in itertools.product(*room)]
    best = min(time_cost(cues, way, limits) for way in ways)
    assert time_cost(cues, [start for start, _ in times], limits) == pytest.approx(best)


def test_a_cue_that_is_too_short_is_shown_while_the_next_one_begins():
    (start, end), (following, _) = display_times([Spoken(0.0, 0.6, 6, 0.0), Spoken(0.6, 4.6, 40, 0.0)], NETFLIX)
    assert start == 0.0
    assert NETFLIX.min_seconds <= end < following <= 1.1


# Properties of all cues

MARKED = st.builds(
    lambda marks, case: Labels(frozenset(marks), case),
    st.sets(st.sampled_from(Mark), max_size=2),
    st.sampled_from(Case),
)
TOKENS = st.text(st.characters(codec="utf-8", exclude_categories=["Z", "C"]), min_size=1, max_size=15)


@st.composite
def spoken(draw):
    """An utterance whose words begin in order; some have no times."""
    words, labels, now = [], [], 0.0
    for token in draw(st.lists(st.one_of(TEXTS, TOKENS), min_size=1, max_size=40)):
        now += draw(st.floats(0, 2))
        known = draw(st.booleans()) or not words
        words.append(Word(token, now, now + draw(st.floats(0, 3))) if known else Word(token))
        labels.append(draw(MARKED))
    return annotate(Utterance(tuple(words), recording="r"), labels=labels)


@settings(max_examples=200)
@given(spoken(), st.sampled_from([NETFLIX, BBC, SMALL]))
def test_cues_keep_words_order_times_and_limits(said, limits):
    cues = list(make_cues([said], limits, EN))
    texts = [write_text([word.text], [label], EN) for word, label in zip(said.words, said.labels, strict=True)]
    assert " ".join(" ".join(cue.lines) for cue in cues) == " ".join(texts)
    for cue, following in itertools.pairwise(cues):
        latest = max(following.start - limits.min_gap, (cue.start + following.start) / 2)
        assert cue.start < cue.end <= max(latest + 0.0005, cue.start + 0.0011)
        gap = following.start - cue.end
        assert (
            gap >= limits.closed_gap - 0.001
            or gap <= limits.min_gap + 0.001
            or cue.end - cue.start > limits.max_seconds - 0.001
        )
    for cue in cues:
        assert cue.end - cue.start <= limits.max_seconds + 0.001
        assert len(cue.lines) <= limits.lines
        assert all(len(line) <= limits.characters for line in cue.lines) or len(cue.lines) == 1
    found = make_units([said], EN, limits.characters)
    starts = sorted(unit.start for unit in found)
    assert all(cue.start - starts[bisect.bisect(starts, cue.start) - 1] <= 0.501 for cue in cues)
    if all(len(unit.text) <= limits.characters for unit in found):
        assert all(len(line) <= limits.characters for cue in cues for line in cue.lines)


# The report of cues that break the limits


def cue(start, end, *lines, speaker=""):
    return Cue(start, end, lines or ("una frase.",), "r", (speaker,))


PLAIN = cue(1.0, 3.0)


@pytest.mark.parametrize(("cues", "limits", "language", "expected"), json_lines("subtitle_problems.jsonl"))
def test_problems(cues, limits, language, expected):
    """Rows of cues (start, end, lines, speakers), preset, language, and the number, kind and size of each problem."""
    made = [Cue(start, end, tuple(lines), "r", tuple(*speakers) or ("",)) for start, end, lines, *speakers in cues]
    found = check_cues(made, parse_limits(limits), language)
    assert [[problem.number, problem.kind, problem.found] for problem in found] == expected


def test_a_report_has_a_line_for_each_problem_and_a_summary():
    problems = check_cues([cue(0.0, 0.5, "-una frase larga", "-ya."), PLAIN], NETFLIX, "en")
    assert list(report_lines(problems, NETFLIX, "en")) == [
        "cue\tstart\tend\tproblem\tfound\tlimit\ttext\n",
        "1\t0.000\t0.500\tfast\t42.0\t20\t-una frase larga | -ya.\n",
        "1\t0.000\t0.500\tshort\t0.500\t0.833\t-una frase larga | -ya.\n",
    ]
    expected = "2 cues: 1 read faster than 20 characters a second, 1 shorter than 0.833 s"
    assert summarise(problems, 2, NETFLIX, "en") == expected
    assert summarise([], 1, NETFLIX, "en") == "1 cue: no problems"


def test_a_line_that_is_repeated_is_no_problem_of_rolling_captions():
    new, rolled = cue(0.0, 2.5, "vamos a la"), replace(cue(2.5, 2.51, "vamos a la"), repeated=1)
    both = replace(cue(2.51, 5.0, "vamos a la", "ley de las lenguas."), repeated=1)
    problems = check_cues([new, rolled, both], NETFLIX, "es")
    assert [(problem.number, problem.kind, problem.found) for problem in problems] == [(1, "binding", "la")]


def test_the_report_of_a_youtube_file_is_about_its_new_lines(run, tmp_path, model):
    source, report = tmp_path / "in.vtt", tmp_path / "report.tsv"
    lines = ["uno", "dos", "tres", "cuatro"]
    shown = enumerate(itertools.pairwise(lines))
    cues = [f"00:00:0{2 * i}.000 --> 00:00:0{2 * i + 1}.990\n{a}\n{b}\n" for i, (a, b) in shown]
    repeats = [f"00:00:0{2 * i + 1}.990 --> 00:00:0{2 * i + 2}.000\n{b}\n" for i, b in enumerate(lines[1:])]
    pairs = zip(cues, repeats, strict=True)
    source.write_text("WEBVTT\n\n" + "\n".join(f"{cue}\n{repeat}" for cue, repeat in pairs))
    assert run("punctuate", source, "-o", tmp_path / "out.vtt", "--model", model, "--report", report)[0] == 0
    assert [line.split("\t")[0] for line in report.read_text().splitlines()] == ["cue"]


def test_the_last_word_of_a_cue_ends_before_the_silence_until_the_cue_ends():
    words = Word("y", 1.0), Word("ya", 1.5, 9.0)
    said = Utterance(words, recording="r", time_source="segment")
    assert times_of(said)[0][1] < 3


SRT = "1\n00:00:01,000 --> 00:00:01,500\nvamos a\n\n2\n00:00:01,400 --> 00:00:03,000\nver\n"


@pytest.mark.parametrize("name", ["srt", "vtt", "ass", "ttml"])
def test_the_cues_of_a_file_are_reported(run, tmp_path, model, name):
    source, report = tmp_path / "in.srt", tmp_path / "report.tsv"
    source.write_text(SRT)
    status, _, error = run(
        *("punctuate", source, "-o", tmp_path / f"out.{name}", "--model", model, "--marks", "PERIOD"),
        *("--report", report),
    )
    assert status == 0
    found = {tuple(line.split("\t")[i] for i in (0, 3, 4)) for line in report.read_text().splitlines()[1:]}
    assert {("1", "short", "0.500"), ("2", "overlap", "0.100")} <= found
    assert f"asr-punct: {report}: 2 cues: " in error
