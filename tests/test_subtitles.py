"""Subtitles from words with times: limits, costs against all ways to cut, and times."""

import itertools
import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asr_punct.errors import AsrPunctError, InputError
from asr_punct.marks import Case, Labels, Mark, glyphs, write_text
from asr_punct.subtitles import BBC, NETFLIX, Limits, make_cues, parse_limits
from asr_punct.subtitles import segment as programme
from asr_punct.subtitles.lines import break_lines
from asr_punct.subtitles.units import Unit, Units
from asr_punct.words import Utterance, Word, annotate

ES, EN = glyphs("es"), glyphs("en")
SMALL = Limits(characters=12, lines=2, least_seconds=1, most_seconds=4, speed=12, gap=0.08, closed=0.3, linger=0.5)


def utterance(text, pauses=(), start=0.0, labels=None, **others):
    """Words of 0.3 s with a pause of 0 s, or the given one, after each."""
    words = []
    for place, token in enumerate(text.split()):
        words.append(Word(token, round(start, 3), round(start + 0.3, 3)))
        start += 0.3 + dict(pauses).get(place, 0.0)
    return annotate(Utterance(tuple(words), recording="r", time_source="asr", **others), labels=labels)


def lines_of(utterances, limits=NETFLIX, style=ES):
    return [cue.lines for cue in make_cues(utterances, limits, style)]


def test_an_initial_ends_no_sentence():
    """`D. Manuel`: a break after it would part a name."""
    words = utterance("al señor D. Manuel vino ayer.", {2: 0.4})
    found = units([words], ES, 42)
    assert [unit.ends for unit in found] == [False, False, False, False, False, True]
    assert found[2].weight == found[3].weight


@pytest.mark.parametrize(("text", "style"), [("so do I. Then", EN), ("fue a. Luego", ES), ("es 5. Luego", ES)])
def test_other_words_of_one_letter_may_end_a_sentence(text, style):
    assert [unit.ends for unit in units([utterance(text)], style, 42)][-2]


def units(utterances, style, characters):
    taken = Units(style, characters)
    return [*itertools.chain.from_iterable(map(taken.push, utterances)), *taken.rest()]


def segment(found, limits):
    taken = programme.Programme(limits)
    return [*itertools.chain.from_iterable(map(taken.push, found)), *taken.rest()]


# Presets and options


def test_a_preset_can_be_changed():
    assert parse_limits("netflix") is not None
    assert parse_limits("bbc, characters=32,speed=12.5").characters == 32
    assert parse_limits("bbc,speed=12.5").speed == 12.5
    assert parse_limits("bbc,lines=1").least_seconds == BBC.least_seconds


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("itv", "found 'itv', expected netflix or bbc"),
        ("bbc,width=3", "found 'width=3', expected one of characters lines"),
        ("bbc,characters", "found 'characters', expected characters= and a whole number"),
        ("bbc,characters=30.5", "expected characters= and a whole number"),
        ("bbc,speed=nan", "expected speed= and a number"),
        ("bbc,lines=0", "found lines=0, expected 1 to 4"),
        ("bbc,characters=100000", "expected 8 to 200"),
        ("bbc,least_seconds=8", "found least_seconds=8 and most_seconds=7"),
    ],
)
def test_other_limits_are_told(text, told):
    with pytest.raises(AsrPunctError, match=told):
        parse_limits(text)


# Where cues break


def test_cues_break_at_the_ends_of_sentences():
    words = utterance("hoy vamos a hablar de la ley. mañana seguimos con los presupuestos del año")
    assert lines_of([words]) == [
        ("hoy vamos a hablar de la ley.",),
        ("mañana seguimos", "con los presupuestos del año"),
    ]


def test_marks_of_labels_count_as_those_of_tokens():
    text = "hoy vamos a hablar de la ley mañana seguimos con los presupuestos del año"
    labels = [Labels(frozenset({Mark.PERIOD} if token == "ley" else ())) for token in text.split()]
    labels[0] = Labels(case=Case.FIRST_CAP)
    words = utterance(text, labels=tuple(labels))
    assert lines_of([words])[0] == ("Hoy vamos a hablar de la ley.",)


def test_a_comma_is_a_better_place_than_none_and_a_long_pause_too():
    text = "uno dos tres cuatro cinco seis siete ocho nueve, diez once doce trece catorce quince dieciséis"
    assert lines_of([utterance(text)])[0][-1].endswith("nueve,")
    paused = lines_of([utterance(text.replace(",", ""), {6: 1.2})])
    assert paused[0][-1].endswith("siete")


def test_a_word_that_belongs_to_the_next_one_is_not_the_last():
    text = "ellos quieren cambiar todas nuestras normas con la esperanza secreta"
    assert all(line.split()[-1] not in {"con", "la"} for cue in lines_of([utterance(text)]) for line in cue)
    mixed = [unit.weight for unit in units([utterance("eta hemos visto the end")], ES, 42)]
    assert mixed == [12, 12, 8, 8, 8]


def test_a_lone_opening_mark_stays_with_its_word_and_a_dash_with_the_one_before():
    limits = Limits(**{**fields(SMALL), "characters": 8, "lines": 1})
    cues = lines_of([utterance("hola ¿ qué dices - bien")], limits)
    assert [line for cue in cues for line in cue] == ["hola", "¿ qué", "dices -", "bien"]
    labels = (Labels(), Labels(frozenset({Mark.DASH})), Labels())
    assert lines_of([utterance("y entonces vino", labels=labels)], parse_limits("bbc,characters=12")) == [
        ("y entonces –", "vino")
    ]


def test_a_dash_after_a_sentence_is_of_the_speaker_after_it():
    said = utterance("- cómo estás? - bien, gracias - ya")
    assert [unit.text for unit in units([said], ES, 42)] == ["- cómo", "estás?", "- bien,", "gracias -", "ya"]
    assert lines_of([said]) == [("- cómo estás?",), ("- bien, gracias - ya",)]


def test_cues_hold_words_of_several_utterances_but_of_one_recording():
    first, second = utterance("buenos días"), utterance("a todos", start=0.7)
    assert lines_of([first, second]) == [("buenos días a todos",)]
    other = Utterance(second.words, recording="s")
    assert [cue.recording for cue in make_cues([first, other], NETFLIX, ES)] == ["r", "s"]


def test_the_end_of_an_utterance_is_a_better_place_than_the_middle():
    first, second = utterance("nos preocupan"), utterance("entonces cambian", start=0.7)
    assert [unit.weight for unit in units([first, second], ES, 42)] == [12, 3, 8, 8]


def test_a_word_longer_than_a_line_stands_alone():
    assert lines_of([utterance("la palabra " + "x" * 50 + " cabe")]) == [("la palabra",), ("x" * 50,), ("cabe",)]


# Times


def test_a_short_cue_stays_where_there_is_time():
    alone = next(iter(make_cues([utterance("sí.")], NETFLIX, ES)))
    assert (alone.start, alone.end) == (0.0, 0.833)
    followed = list(make_cues([utterance("sí.", start=0.0), utterance("no", start=1.6)], SMALL, ES))
    assert [(cue.start, cue.end) for cue in followed] == [(0.0, 1.0), (1.6, 2.6)]


def test_small_gaps_are_closed_and_the_least_is_kept():
    limits = Limits(**{**fields(SMALL), "least_seconds": 0, "speed": 100})
    cues = list(make_cues([utterance("primera frase. segunda frase", {1: 0.2})], limits, ES))
    assert [(cue.start, cue.end) for cue in cues] == [(0.0, 0.72), (0.8, 1.4)]


def test_a_cue_that_is_read_slowly_lingers():
    words = utterance("desafortunadamente preferiríamos", start=1.0)
    assert [cue.end for cue in make_cues([words], NETFLIX, ES)] == [2.1]
    assert [cue.end for cue in make_cues([words], BBC, ES)] == [3.1]
    assert [cue.end for cue in make_cues([words], parse_limits("bbc,speed=20"), ES)] == [2.6]


def test_a_cue_goes_after_the_longest_time():
    word = Utterance((Word("eh", 0.0, 30.0),), recording="r")
    assert [cue.end for cue in make_cues([word], NETFLIX, ES)] == [7.0]


def test_words_without_times_lie_between_those_that_have_some():
    words = (Word("uno", 1.0, None), Word("dos"), Word("tres", None, 3.0), Word("ya"))
    found = units([Utterance(words, id="u", recording="r")], ES, 42)
    assert [(unit.start, unit.end) for unit in found] == [(1.0, 1.6), (1.6, 2.2), (2.2, 3.0), (3.0, 3.133)]


def test_words_before_the_first_time_come_before_it():
    words = (Word("doce"), Word("uno", 1.0, 1.2))
    found = units([Utterance(words, recording="r")], ES, 42)
    assert [(unit.start, unit.end) for unit in found] == [(0.733, 1.0), (1.0, 1.2)]


def test_words_without_any_times_need_an_alignment():
    with pytest.raises(InputError, match=r"utterance 'u': found words without times, .* align"):
        list(make_cues([Utterance((Word("hola"),), id="u")], NETFLIX, ES))


def test_utterances_that_go_back_in_time_are_told():
    long = replace(utterance("a b", {0: 20.0}), id="u")
    for first in (utterance("a b", start=5.0), long):
        with pytest.raises(InputError, match="expected utterances in the order of time"):
            list(make_cues([first, utterance("c", start=1.0)], NETFLIX, ES))


def test_speakers_may_overlap_and_cues_do_not():
    first, second = utterance("una frase larga de quien habla."), utterance("otra de otro.", start=1.0)
    cues = list(make_cues([first, second], NETFLIX, ES))
    assert [cue.lines for cue in cues] == [("una frase larga de quien habla.",), ("otra de otro.",)]
    assert cues[0].end <= cues[1].start == 1.5


def test_channels_overlap_and_no_cue_holds_words_of_two():
    said = [utterance("una frase larga de quien habla."), utterance("otra de otro.", start=1.0, channel="2")]
    said += [utterance("y más", start=2.5), utterance("ya", start=2.6, channel="2")]
    alone = [list(make_cues([each for each in said if each.channel == channel], NETFLIX, ES)) for channel in "12"]
    found = list(make_cues(said, NETFLIX, ES))
    for cues in alone:
        assert [cue for cue in found if cue in cues] == cues
    assert len(found) == sum(map(len, alone))
    assert [cue.start for cue in alone[1]] == [1.0, 2.6]


def test_a_cue_has_one_speaker():
    said = [utterance("hola —", speaker="ana"), utterance("« qué tal", start=0.6, speaker="ana")]
    said += [utterance("bien", start=1.5, speaker="jon"), utterance("ya", start=1.8)]
    found = [(cue.speaker, cue.lines) for cue in make_cues(said, NETFLIX, ES)]
    assert found == [("ana", ("hola — « qué tal",)), ("jon", ("bien",)), ("", ("ya",))]


def test_words_that_go_back_in_time_begin_with_the_one_before():
    words = (Word("uno", 1.0, 2.0), Word("dos", 0.5, 0.7), Word("tres", 3.0, 3.2))
    found = units([Utterance(words, recording="r")], ES, 42)
    assert [(unit.start, unit.end) for unit in found] == [(1.0, 2.0), (1.0, 1.0), (3.0, 3.2)]


def test_cues_come_before_the_recording_has_ended():
    taken = []

    def endless():
        for number in itertools.count():
            taken.append(number)
            yield utterance("una frase corta y otra más.", start=10.0 * number)

    cues = make_cues(endless(), NETFLIX, ES)
    for _ in range(500):
        next(cues)
    assert len(taken) < 700


def test_without_agreement_memory_is_bounded_still(monkeypatch):
    monkeypatch.setattr(programme, "LOOK_BACK", 300)
    monkeypatch.setattr(programme, "_CHECKED", 100)
    held = programme.Programme(NETFLIX)
    monkeypatch.setattr(held, "_best", lambda last, following: (0.0, max(0, len(held._units) - 2)))
    most, cues = 0, []
    for number in range(2000):
        cues += held.push(Unit("a", number, number + 0.5, 1.0, False))
        most = max(most, len(held._units))
    cues += held.rest()
    assert most <= 300 + 100
    assert sum(len(line.split()) for cue in cues for line in cue.lines) == 2000


# The programme against all ways to cut, with the costs written anew from the documentation


def fields(limits):
    return {name: getattr(limits, name) for name in Limits.__slots__}


def lines_cost(found, cuts, limits):
    bounds = [0, *cuts, len(found)]
    lengths = [len(" ".join(unit.text for unit in found[a:b])) for a, b in itertools.pairwise(bounds)]
    if len(found) > 1 and (max(lengths) > limits.characters or len(lengths) > limits.lines):
        return math.inf
    mean = sum(lengths) / len(lengths)
    unbalance = sum(((length - mean) / limits.characters) ** 2 for length in lengths)
    return len(cuts) * 1.0 + 0.25 * sum(found[cut - 1].weight for cut in cuts) + 4.0 * unbalance


def all_lines(found, limits):
    places = range(1, len(found))
    return [
        (lines_cost(found, cuts, limits), cuts)
        for count in range(limits.lines)
        for cuts in itertools.combinations(places, count)
    ]


def cue_cost(found, following, limits):
    start, said = found[0].start, found[-1].end
    if (len(found) > 1 and said - start > limits.most_seconds) or len({unit.speaker for unit in found}) > 1:
        return math.inf
    characters = len(" ".join(unit.text for unit in found))
    end = max(said, start + limits.least_seconds, min(start + characters / limits.speed, said + limits.linger))
    cost = 2.0
    if following is not None:
        end = following if following - end < limits.closed else end
        end = min(end, max(following - limits.gap, (start + following) / 2))
        cost += found[-1].weight * max(0.0, 1 - (following - said) / 1.0)
    time = min(end, start + limits.most_seconds) - start
    for unit, after in itertools.pairwise(found):
        cost += 3.0 * unit.ends + 4.0 * max(0.0, after.start - unit.end - 0.5)
    cost += 6.0 * max(0.0, 1 - time / limits.least_seconds)
    cost += 4.0 * max(0.0, characters - limits.speed * time) / limits.characters
    return cost + min(cost for cost, _ in all_lines(found, limits))


def cost_of(found, bounds, limits):
    starts = [unit.start for unit in found] + [None]
    return sum(cue_cost(found[a:b], starts[b], limits) for a, b in itertools.pairwise(bounds))


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
        weight = draw(st.sampled_from([0.0, 2.0, 3.0, 8.0, 12.0]))
        found.append(Unit(text, start, end, weight, weight == 0.0, draw(speakers)))
        now = end + draw(st.sampled_from([-0.05, 0.0, 0.0, 0.2, 0.7, 2.0]))
        now = max(now, start)
    return found


@settings(max_examples=150, deadline=None)
@given(recordings(), st.sampled_from([SMALL, Limits(**{**fields(SMALL), "lines": 3, "characters": 8}), BBC]))
def test_no_other_way_to_cut_costs_less(found, limits):
    cues = segment(found, limits)
    bounds = [0, *itertools.accumulate(len(" ".join(cue.lines).split()) for cue in cues)]
    assert cost_of(found, bounds, limits) == pytest.approx(cheapest(found, limits))


@settings(max_examples=150, deadline=None)
@given(recordings(), st.integers(1, 4))
def test_no_other_lines_cost_less(found, lines):
    limits = Limits(**{**fields(SMALL), "lines": lines})
    lengths, weights = [len(unit.text) for unit in found], [unit.weight for unit in found]
    cost, cuts = break_lines(lengths, weights, limits)
    best = min(cost for cost, _ in all_lines(found, limits))
    assert cost == pytest.approx(best)
    if math.isfinite(cost):
        assert lines_cost(found, cuts, limits) == pytest.approx(best)


@settings(max_examples=100, deadline=None)
@given(recordings(most=60))
def test_cutting_as_words_come_is_cutting_at_the_end(found):
    """What has come out before the end is what comes out where nothing does."""
    late, early = programme.Programme(SMALL), programme.Programme(SMALL)
    late._checked = math.inf
    cues = []
    for unit in found:
        early._checked = 0
        cues += early.push(unit)
        assert not list(late.push(unit))
    assert cues + list(early.rest()) == list(late.rest())


# What holds for all input

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
    return annotate(Utterance(tuple(words), recording="r", time_source="asr"), labels=tuple(labels))


@settings(max_examples=200, deadline=None)
@given(spoken(), st.sampled_from([NETFLIX, BBC, SMALL]))
def test_all_words_come_in_order_within_their_times_and_the_limits(said, limits):
    cues = list(make_cues([said], limits, EN))
    texts = [write_text([word.text], [label], EN) for word, label in zip(said.words, said.labels, strict=True)]
    assert " ".join(" ".join(cue.lines) for cue in cues) == " ".join(texts)
    for cue, following in itertools.pairwise(cues):
        assert cue.start <= cue.end <= max(following.start - limits.gap, (cue.start + following.start) / 2) + 0.0005
        gap = following.start - cue.end
        assert (
            gap >= limits.closed - 0.001
            or gap <= limits.gap + 0.001
            or cue.end - cue.start > limits.most_seconds - 0.001
        )
    for cue in cues:
        assert cue.end - cue.start <= limits.most_seconds + 0.001
        assert len(cue.lines) <= limits.lines
        assert all(len(line) <= limits.characters for line in cue.lines) or len(cue.lines) == 1
    found = units([said], EN, limits.characters)
    assert {cue.start for cue in cues} <= {unit.start for unit in found}
    if all(len(unit.text) <= limits.characters for unit in found):
        assert all(len(line) <= limits.characters for cue in cues for line in cue.lines)


# Real speech


@pytest.mark.real
@pytest.mark.parametrize("limits", [NETFLIX, BBC])
def test_most_cues_of_an_interview_end_at_marks(real_data, limits):
    import json

    rows = json.loads((real_data / "speech" / "interview" / "first_half.json").read_text(encoding="utf-8"))
    words = tuple(Word(row["word"], row["start"], row["end"]) for row in rows)
    cues = list(make_cues([Utterance(words, recording="interview", time_source="aligner")], limits, EN))
    assert " ".join(" ".join(cue.lines) for cue in cues) == " ".join(word.text for word in words)
    assert all(len(line) <= limits.characters for cue in cues for line in cue.lines)
    assert sum(cue.lines[-1][-1] in ".?!,;:”" for cue in cues) > 0.6 * len(cues)
    assert sum(cue.end - cue.start >= limits.least_seconds - 0.001 for cue in cues) > 0.95 * len(cues)
