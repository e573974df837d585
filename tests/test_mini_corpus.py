"""The generator of the mintzai recipe's synthetic corpus: grammar, languages, speeches, sound, files."""

from __future__ import annotations

import json
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from asr_punct import audio
from asr_punct.errors import InputError
from asr_punct.formats.ctm import read_ctm
from asr_punct.marks import MARKS, Mark
from asr_punct.text import parse

sys.path.insert(0, str(Path(__file__).parent.parent / "egs" / "mintzai" / "local"))

from mini_corpus import basque, spanish
from mini_corpus.delivery import VARIANTS, draw_speaker, plan_phrases
from mini_corpus.grammar import Grammar, Writer
from mini_corpus.layout import Parameters, make_corpus, write_all
from mini_corpus.speech import RATE, speak_segment
from mini_corpus.speeches import Segment, Token, read_grammar, write_recordings

MAKE = [sys.executable, str(Path(__file__).parent.parent / "egs" / "mintzai" / "local" / "make_mini_corpus.py")]
TINY = Parameters(scale=0.004)


def grammar(folder, text):
    (folder / "a.grammar").write_text(text, encoding="utf-8")
    functions = {"up": lambda form, text: text.upper() + form}
    return Grammar.read([folder / "a.grammar"], functions, {"n": lambda rng: "7"})


def expansions(rules, given=None, number=40):
    return {Writer(rules, random.Random(i)).write("s", given or {}) for i in range(number)}


@pytest.fixture(scope="module")
def recordings():
    return write_all(Parameters())


# --- grammar


def test_features_are_bound_by_the_caller_and_else_drawn_once(tmp_path):
    rules = grammar(tmp_path, "$x: a b\ns\n  $x{t.$x}\nt.$x\n  $x{u.$x}\nu.a\n  A\nu.b\n  B\n")
    assert expansions(rules) == {"aaA", "bbB"}
    assert expansions(rules, {"x": "b"}) == {"bbB"}


def test_functions_sources_and_choices(tmp_path):
    assert expansions(grammar(tmp_path, "s\n  {@up.! <o|>x{n}} | y\n")) == {"OX7!", "X7!", "y"}


def test_weight_and_comments(tmp_path):
    rules = grammar(tmp_path, "# a comment\ns\n  [3] x\n  y\n")
    writer = Writer(rules, random.Random(1))
    assert Counter(writer.write("s", {}) for _ in range(80)) == {"x": 60, "y": 20}


@given(st.integers(8, 14), st.integers(0, 99))
def test_alternatives_come_once_a_round_and_not_soon_again(number, seed):
    names = [chr(ord("a") + i) for i in range(number)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "read_text", lambda path, encoding: "s\n  " + " | ".join(names) + "\n")
        writer = Writer(Grammar.read([Path("a")], {}, {}), random.Random(seed))
    drawn = [writer.write("s", {}) for _ in range(5 * number)]
    assert all(sorted(drawn[i : i + number]) == names for i in range(0, len(drawn), number))
    assert all(len(set(drawn[i : i + 4])) == 4 for i in range(len(drawn) - 3))


@pytest.mark.parametrize("body", ["{a", "<a|b", "a}", "{@up a", "b>"])
def test_unbalanced_brackets_are_named_with_their_line(tmp_path, body):
    with pytest.raises(InputError, match=r"a\.grammar:3: found"):
        grammar(tmp_path, f"# one\ns\n  {body}\n")


def test_missing_names_heads_and_functions_that_do_not_exist(tmp_path):
    rules = grammar(tmp_path, "$x: a b\ns\n  {t.$x} {@down {n}}\nt.a\n  x\n")
    assert rules.missing() == ["@down", "t.b"]


@pytest.mark.parametrize("language", ["es", "eu"])
def test_grammars_are_complete(language):
    assert read_grammar(language).missing() == []


# --- Spanish


@pytest.mark.parametrize(
    ("form", "verb", "expected"),
    [
        ("pres.s", "aprobar", "aprueba"),
        ("pres.p", "defender", "defienden"),
        ("perf.p", "debatir", "han debatido"),
        ("perf.s", "hacer", "ha hecho"),
        ("pret.s", "corregir", "corrigió"),
        ("pret.p", "contribuir", "contribuyeron"),
        ("fut.s", "tener que", "tendrá que"),
        ("fut.p", "apoyar", "apoyarán"),
        ("subj.s", "rechazar", "rechace"),
        ("subj.p", "explicar", "expliquen"),
        ("subj.s", "negociar", "negocie"),
        ("part.s", "presentar", "presentado"),
    ],
)
def test_spanish_verbs(form, verb, expected):
    assert spanish.conjugate(form, verb) == expected


def test_spanish_contractions_and_conjunctions():
    assert spanish.tidy("habla de el plan y a el señor Vidal") == "habla del plan y al señor Vidal"
    assert spanish.tidy("Agirre y Iturralde y hierro") == "Agirre e Iturralde y hierro"


@pytest.mark.parametrize(
    ("figures", "spoken"),
    [
        ("3.500", "tres mil quinientos"),
        ("21.100", "veintiún mil cien"),
        ("1.001", "mil uno"),
        ("31.000", "treinta y un mil"),
        ("3,5", "tres coma cinco"),
        ("10:30", "diez treinta"),
        ("2015", "dos mil quince"),
        ("97", "noventa y siete"),
    ],
)
def test_spanish_numbers(figures, spoken):
    assert spanish.speak_number(figures) == spoken


# --- Basque


@pytest.mark.parametrize(
    ("form", "stem", "expected"),
    [
        ("abs.s", "plan", "plana"),
        ("erg.p", "lege", "legeek"),
        ("abs.s", "eskola", "eskola"),
        ("abs.p", "eskola", "eskolak"),
        ("erg.p", "udal", "udalek"),
        ("dat.p", "langile", "langileei"),
        ("gen.s", "baserritar", "baserritarraren"),
        ("soc.p", "gazte", "gazteekin"),
        ("ins.p", "ohe", "oheez"),
        ("ins.p", "beka", "bekez"),
        ("erg.s", "Herri Talde", "Herri Taldeak"),
    ],
)
def test_basque_declension(form, stem, expected):
    assert basque.decline(form, stem) == expected


@pytest.mark.parametrize(
    ("verb", "imperfective", "future", "nominal"),
    [
        ("onartu", "onartzen", "onartuko", "onartzea"),
        ("sarea zaindu", "sarea zaintzen", "sarea zainduko", "sarea zaintzea"),
        ("murriztu", "murrizten", "murriztuko", "murriztea"),
        ("eraman", "eramaten", "eramango", "eramatea"),
        ("jarri", "jartzen", "jarriko", "jartzea"),
        ("ireki", "irekitzen", "irekiko", "irekitzea"),
        ("jaitsi", "jaisten", "jaitsiko", "jaistea"),
        ("igo", "igotzen", "igoko", "igotzea"),
        ("erabili", "erabiltzen", "erabiliko", "erabiltzea"),
    ],
)
def test_basque_aspects(verb, imperfective, future, nominal):
    assert [basque.take_aspect(form, verb) for form in ("imp", "fut", "nom")] == [imperfective, future, nominal]


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("perf.s.s.main", "onartu du"),
        ("pres.p.p.ela", "onartzen dituztela"),
        ("fut.gu.p.en", "onartuko ditugun"),
        ("pret.p.s.lako", "onartu zutelako"),
        ("pret.gu.s.bait", "onartu baikenuen"),
        ("perf.s.p.bait", "onartu baititu"),
        ("pres.s.s.ba", "onartzen badu"),
        ("pret.s.s.nean", "onartu zuenean"),
    ],
)
def test_basque_verbs(form, expected):
    assert basque.conjugate(form, "onartu") == expected


def test_basque_auxiliaries_that_change():
    assert [basque.mark("ela", aux) for aux in ("da", "dira", "dago", "daude", "zen")] == [
        "dela",
        "direla",
        "dagoela",
        "daudela",
        "zela",
    ]


@pytest.mark.parametrize(
    ("form", "figures", "written", "spoken"),
    [
        ("ine", "2015", "2015ean", "bi mila eta hamabostean"),
        ("ine", "2018", "2018an", "bi mila eta hemezortzian"),
        ("ine", "2011", "2011n", "bi mila eta hamaikan"),
        ("gen", "2010", "2010eko", "bi mila eta hamarreko"),
        ("erg", "25", "25ek", "hogeita bostek"),
        ("erg", "40", "40k", "berrogeik"),
        ("ine", "10:30", "10:30ean", "hamar eta hogeita hamarrean"),
    ],
)
def test_basque_numbers_with_endings(form, figures, written, spoken):
    assert basque.inflect_number(form, figures) == written
    assert basque.speak_number(written) == spoken


def test_basque_numbers():
    assert basque.speak_number("3.500") == "hiru mila eta bostehun"
    assert basque.speak_number("1.250") == "mila berrehun eta berrogeita hamar"
    assert basque.speak_number("7,5") == "zazpi koma bost"


# --- speeches


def test_a_seed_gives_the_same_text_and_another_seed_another():
    first, again, other = (list(write_recordings("eu", "dev", 300, seed)) for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_every_token_is_a_word_or_a_dash_and_no_mark_is_lost(recordings):
    for recording in recordings:
        for segment in recording.segments:
            parsed = parse(segment.text, recording.language)
            assert not parsed.dropped, segment.text
            assert len(parsed.words) == sum(bool(re.search(r"[\w%]", token.text)) for token in segment.tokens)
            assert not re.search(r"[\^~⟦⟧{}<>|]|//|  | ,", segment.text), segment.text


def test_the_test_part_has_every_mark_fifteen_times_and_more(recordings):
    marks, opening = Counter(), 0
    for recording in recordings:
        for segment in recording.segments:
            found = [labels.marks for labels in parse(segment.text, recording.language).labels]
            opening += any(Mark.OPEN_DASH in marks for marks in found[1:])
            if recording.split == "test":
                marks.update(mark for labels in found for mark in labels)
    assert set(marks) == set(MARKS)
    assert min(marks.values()) >= 15
    assert opening == 0, "OPEN_DASH stands at the start of an utterance"


def test_ends_of_segments_and_ends_of_sentences_are_not_the_same(recordings):
    stops = frozenset({Mark.PERIOD, Mark.QUESTION, Mark.EXCLAMATION, Mark.ELLIPSIS})
    segments = [parse(s.text, r.language).labels for r in recordings for s in r.segments]
    whole = sum(bool(labels[-1].marks & stops) for labels in segments) / len(segments)
    inside = sum(bool(label.marks & stops) for labels in segments for label in labels[:-1])
    assert 0.6 < whole < 0.9
    assert inside > 0.3 * len(segments)


def test_test_sentences_are_new_and_some_names_too(recordings):
    texts = {split: " ".join(s.text for r in recordings if r.split == split for s in r.segments) for split in VARIANTS}
    sentences = {split: set(re.split(r"(?<=[.?!…]) ", text)) for split, text in texts.items()}
    long = {sentence for sentence in sentences["test"] if len(sentence.split()) > 6}
    assert len(long & sentences["train"]) < 0.05 * len(long)
    assert "Ormaetxea" in texts["test"]
    assert "Ormaetxea" not in texts["train"]


def test_both_languages_occur_in_both(recordings):
    foreign = Counter(r.language for r in recordings for s in r.segments for t in s.tokens if t.language != r.language)
    assert foreign["es"] > 50
    assert foreign["eu"] > 50


# --- sound


def segment(text, language="es"):
    return Segment("s_001", tuple(Token(token, language) for token in text.split()))


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("es", "«¿Qué?», dijo el Sr. Vidal a las 10:30 – y es verdad –, y en EE. UU. el 25 % pide 3.500 becas."),
        ("eu", "EAEko % 40 hori da: 2015ean, EH Bilduk… «Ez dago dirurik».",),
    ],
)  # fmt: skip
def test_words_have_times_in_order_inside_the_sound(language, text):
    spoken = segment(text, language)
    for seed in range(6):
        rng = random.Random(seed)
        samples, utterance = speak_segment(spoken, language, draw_speaker("dev", rng), rng)
        assert tuple(word.text for word in utterance.words) == parse(text, language).words
        assert all(0 <= a.start < a.end <= b.start < b.end for a, b in pairwise(utterance.words))
        assert utterance.words[-1].end < len(samples) / RATE
        assert 0.1 < np.abs(samples).max() <= 1


def test_true_pauses_are_silent_and_true_words_are_not():
    spoken = segment("Señorías, mañana votamos. Hoy, no; hoy hablamos. ¿De acuerdo? Muchas gracias.")
    rng = random.Random(3)
    samples, utterance = speak_segment(spoken, "es", draw_speaker("test", rng), rng)
    power = audio.log_energy(samples, RATE)
    gaps = [(a.end, b.start) for a, b in pairwise(utterance.words) if b.start - a.end > 0.1]
    assert len(gaps) >= 3
    loudest = power.max()
    for start, end in gaps:
        assert power[round(start * 100) + 3 : round(end * 100) - 3].max() < loudest - 25
    for word in utterance.words:
        assert power[round(word.start * 100) : round(word.end * 100)].max() > loudest - 20


def test_a_written_number_lasts_as_long_as_what_is_said_for_it():
    rng = random.Random(1)
    _, utterance = speak_segment(segment("Son 75.850 votos"), "es", draw_speaker("dev", rng), rng)
    number, word = utterance.words[1], utterance.words[2]
    assert number.end - number.start > 2 * (word.end - word.start)


def test_pauses_follow_the_habits():
    rng = random.Random(1)
    marks = {Mark.PERIOD: [], Mark.COMMA: [], None: []}
    for mark, pauses in marks.items():
        labels = [frozenset({mark} - {None}), frozenset()]
        for _ in range(2000):
            phrases = list(plan_phrases(["a", "b"], ["es", "es"], labels, draw_speaker("train", rng), rng))
            pauses.append(phrases[0].pause if len(phrases) == 2 else 0.0)
    shares = {mark: np.mean(np.array(pauses) > 0.15) for mark, pauses in marks.items()}
    assert 0.7 < shares[Mark.PERIOD] < 0.85
    assert 0.3 < shares[Mark.COMMA] < 0.45
    assert 0.03 < shares[None] < 0.055


def test_voices_of_dev_and_test_are_not_heard_in_train():
    assert not set(VARIANTS["train"]) & {*VARIANTS["dev"], *VARIANTS["test"]}


# --- files


def listing(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_layout(tmp_path):
    out = tmp_path / "corpus"
    make_corpus(out, TINY, 1)
    for language, pair in (("es", "es-eu"), ("eu", "eu-es")):
        for split in ("train", "dev", "test"):
            sounds = {path.stem: path for path in (out / pair / split / "audio").glob("*.m4a")}
            texts = {path.stem: path for path in (out / pair / split / "transcriptions").glob(f"*.{language}")}
            truth = {utterance.id: utterance for utterance in read_ctm(out / "truth" / language / f"{split}.ctm")}
            assert sounds
            assert sounds.keys() == texts.keys() == truth.keys()
            for name, path in texts.items():
                text = path.read_text(encoding="utf-8")
                assert text.count("\n") == 1
                assert tuple(word.text for word in truth[name].words) == parse(text, language).words
                assert re.fullmatch(r".+_\d{3}", name)
                assert audio.duration(sounds[name]) > truth[name].words[-1].end
    assert "synthetic" in (out / "README.md").read_text(encoding="utf-8")
    assert {path.name for path in out.iterdir()} == {"es-eu", "eu-es", "truth", "README.md", "parameters.json"}


def test_a_complete_corpus_is_left_as_it_is_and_other_parameters_start_anew(tmp_path):
    out = tmp_path / "corpus"
    make_corpus(out, TINY, 1)
    before = {name: (out / name).stat().st_mtime_ns for name in listing(out)}
    make_corpus(out, TINY, 1)
    assert {name: (out / name).stat().st_mtime_ns for name in listing(out)} == before
    make_corpus(out, Parameters(seed=2, scale=TINY.scale), 1)
    assert json.loads((out / "parameters.json").read_text())["seed"] == 2
    texts = {name for name in listing(out) if name.endswith((".es", ".eu"))}
    sounds = {name for name in listing(out) if name.endswith(".m4a")}
    assert len(texts) == len(sounds)


def test_a_folder_of_something_else_is_refused(tmp_path):
    (tmp_path / "mine.txt").write_text("x")
    done = subprocess.run([*MAKE, str(tmp_path)], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "other files" in done.stderr
    assert listing(tmp_path) == {"mine.txt"}


@pytest.mark.parametrize("option", ["--scale=0", "--scale=nan", "--nj=0", "--scale=x"])
def test_bad_options_are_refused(tmp_path, option):
    done = subprocess.run([*MAKE, str(tmp_path / "c"), option], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert not (tmp_path / "c").exists()


@pytest.mark.slow
def test_a_killed_run_goes_on(tmp_path):
    scale = ["--scale", "0.08"]
    out = tmp_path / "killed"
    process = subprocess.Popen([*MAKE, str(out), *scale], stdout=subprocess.DEVNULL)
    while len(list((out / ".parts").glob("mini*.ctm"))) < 2:
        assert process.poll() is None, "too fast to be killed"
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    time.sleep(0.5)
    stopped = listing(out)
    time.sleep(0.5)
    assert listing(out) == stopped, "its workers ended with it"
    assert not (out / "README.md").exists()
    first = next(iter((out / ".parts").glob("mini*.ctm"))).stem
    kept = next((out / "es-eu" / "train" / "audio").glob(f"{first}_*.m4a"))
    made = kept.stat().st_mtime_ns
    subprocess.run([*MAKE, str(out), *scale], check=True, stdout=subprocess.DEVNULL)
    assert kept.stat().st_mtime_ns == made
    make_corpus(tmp_path / "whole", Parameters(scale=0.08), 2)
    assert listing(out) == listing(tmp_path / "whole")
    for truth in (tmp_path / "whole" / "truth").rglob("*.ctm"):
        pairs = zip(read_ctm(truth), read_ctm(out / truth.relative_to(tmp_path / "whole")), strict=True)
        for one, other in pairs:
            starts = np.array([[a.start, b.start] for a, b in zip(one.words, other.words, strict=True)])
            assert np.abs(np.diff(starts)).max() < 0.1, "but for what espeak-ng keeps from call to call"
