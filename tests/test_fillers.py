"""Fillers and immediate repeats, left out of text that people read."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asr_punct import formats
from asr_punct.errors import InputError
from asr_punct.files import MemoryFile
from asr_punct.fillers import with_flags, without_fillers
from asr_punct.glyphs import glyphs
from asr_punct.marks import Labels, Mark
from asr_punct.text import parse
from asr_punct.words import Utterance, Word, text_of_utterance


def utterance(text, language):
    """The words of a text in lower case, with its marks and capitals as labels."""
    parsed = parse(text, language)
    words = zip(parsed.words, parsed.labels, strict=True)
    return Utterance(tuple(Word(word, labels=labels) for word, labels in words), language=language)


def cleaned(text, language):
    spoken = [utterance(text, language)]
    return " ".join(text_of_utterance(each, glyphs(language)) for each in without_fillers(spoken, glyphs(language)))


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("es", "Eh, yo creo que no.", "Yo creo que no."),
        ("es", "Yo, eh, creo que no.", "Yo creo que no."),
        ("es", "Yo creo, eh, que no, mmm.", "Yo creo que no."),
        ("es", "Yo yo creo que sí.", "Yo creo que sí."),
        ("es", "¿Eh, cuándo llega?", "¿Cuándo llega?"),
        ("es", "«Eh… vale», dijo.", "«Vale», dijo."),
        ("en", "Um, the, the train is, uh, late. Um. It's fine.", "The train is late. It's fine."),
        ("en", "I, I think so, um.", "I think so."),
        ("en", "When, when they they ask your your team, that's that's fine.", "When they ask your team, that's fine."),
        ("en", "I I uh I think, uh, the um, the train left.", "I think the train left."),
        ("en", "Perhaps perhaps it is, uh, maybe, maybe late.", "Perhaps it is maybe late."),
        ("es", "Voy a eh a a comer con con, mmm, con Ana.", "Voy a comer con Ana."),
        ("eu", "EH Bilduk, eh, ekimena aurkeztu du.", "EH Bilduk ekimena aurkeztu du."),
        ("es", "EH, YO YO CREO QUE NO.", "YO CREO QUE NO."),
        ("eu", "Eh, eta eta gero etorri zen.", "Eta gero etorri zen."),
        # words that look like fillers or repeats
        ("es", "Te vienes, ¿eh?", "Te vienes, ¿eh?"),
        (
            "es",
            "Este libro, este, no me gusta. No, no. Muy muy bien.",
            "Este libro, este, no me gusta. No, no. Muy muy bien.",
        ),
        ("es", "Lo que dijo él. El libro.", "Lo que dijo él. El libro."),
        ("eu", "Ez, ez. Poliki poliki e bat.", "Ez, ez. Poliki poliki e bat."),
        ("en", "I like it. I said that that is so, so good.", "I like it. I said that that is so, so good."),
        ("en", "We saw a. A was first.", "We saw a. A was first."),
        ("en", "That's the. Um. The train.", "That's the. The train."),
        ("en", "He came in in May. I gave her her book. What it is is good.", None),
        ("en", "Who is it for? For you. No, no. Very, very good.", None),
        ("en", "The kind of, of course, with vitamin A, a pill. Maybe, maybe not. So did he, said I, I think.", None),
        ("en", "Just because, because I can. Uh huh. Mm hmm. They left Umm Qasr and to To Kill.", None),
        ("es", "De A a B. La x, la y y la z. Vimos La La Land. Canta la la la. Una, una vez más.", None),
        (
            "es",
            "No para para comer. Entre nos, nos oyen. Un yo yo. El hospital hm. Eh Bildu. Ondas de De Broglie.",
            None,
        ),
        ("eu", "Hori dela eta, eta gero. Eh Bilduk.", None),
        ("en", "That, Um, is odd.", "That is odd."),
        ("en", "HMM, I see an HMM.", "I see an HMM."),
        ("es", "Quizás, quizás, quizás. Como como un lobo. Lo que es es bueno.", None),
    ],
)
def test_fillers_go_and_marks_are_mended(language, text, expected):
    """None: nothing goes."""
    assert cleaned(text, language) == (expected or text)


def test_a_given_capital_inside_a_sentence_is_a_name():
    words = tuple(map(Word, ["Um", "was", "it", "Em", "em"]))
    [found] = without_fillers([Utterance(words, language="es")], glyphs("es"))
    assert [word.text for word in found.words] == ["Um", "was", "it", "Em"]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["Dijo «eh» y se fue."], ["Dijo y se fue."]),
        (["«Eh», dijo."], ["Dijo."]),
        (["Vino. ¡Eh! Hola.", "Y tú?"], ["Vino. Hola.", "Y tú?"]),
        (["Vale, ¡eh!", "Hola."], ["Vale.", "Hola."]),
        (["Dijo «Eh» y", "se fue."], ["Dijo y", "se fue."]),
        (["Vale, eh. Yo, eh, no."], ["Vale. Yo no."]),
    ],
)
def test_marks_of_the_input_go_with_a_filler(texts, expected):
    """Both of a pair, and a comma before it."""
    spoken = [Utterance(tuple(map(Word, text.split())), language="es") for text in texts]
    assert [text_of_utterance(each, glyphs("es")) for each in without_fillers(spoken, glyphs("es"))] == expected


def test_an_utterance_of_fillers_goes():
    assert list(without_fillers([utterance("Um, uh.", "en"), utterance("", "en")], glyphs("en"))) == [
        utterance("", "en")
    ]


def test_a_capital_goes_to_the_next_utterance_of_the_speaker():
    first, second = utterance("We left. Um,", "en"), utterance("that is all. He knows.", "en")
    other = replace(utterance("no.", "en"), speaker="b")
    found = without_fillers([first, other, second, second], glyphs("en"))
    assert [text_of_utterance(each, glyphs("en")) for each in found] == [
        *("We left.", "no.", "That is all. He knows.", "that is all. He knows.")
    ]


def test_edges_of_segments_keep_their_times():
    words = (Word("um", 1.0), Word("well"), Word("uh", end=3.0))
    [found] = without_fillers([Utterance(words, language="en", origin="file")], glyphs("en"))
    assert found.words == (Word("well", 1.0, 3.0),)
    assert found.origin is None


TOKENS = st.sampled_from(["um", "eh", "the", "el", "no", "ana", "Eh,", "the,", "¿eh?", "like"])
MARKS = st.frozensets(st.sampled_from(list(Mark)), max_size=2)
WORDS = st.lists(st.builds(lambda text, marks: Word(text, labels=Labels(marks)), TOKENS, MARKS))


@given(WORDS, st.sampled_from(["es", "en", "eu"]))
def test_other_words_stay_in_order(words, language):
    kept = [w.text for u in without_fillers([Utterance(tuple(words))], glyphs(language)) for w in u.words]
    flagged = [word for u in with_flags([Utterance(tuple(words))], glyphs(language)) for word in u.words]
    found = [word.text for word in flagged if not word.filler]
    assert all(text in (word, word.rstrip(",")) for text, word in zip(kept, found, strict=True))
    assert [replace(word, filler=False) for word in flagged] == words
    assert [text for text in found if text in ("no", "ana", "like", "¿eh?")] == [
        word.text for word in words if word.text in ("no", "ana", "like", "¿eh?")
    ]


@pytest.mark.parametrize(("target", "kept"), [("text", 0), ("json", 1), ("ctm", None)])
def test_formats_of_words_with_times_keep_fillers(tmp_path, run, target, kept):
    """JSON flags them, and reads the flag; CTM has no place for one."""
    rows = "".join(f"talk 1 {i}.00 0.50 {word}\n" for i, word in enumerate(["i", "i", "think"]))
    (tmp_path / "a.ctm").write_text(rows)
    output = tmp_path / f"out.{target}"
    options = "--lang", "en", "--fillers", "drop", "--to", target, "-o", output
    assert run("punctuate", tmp_path / "a.ctm", *options)[0] == 0
    [found] = formats.read(output, target)
    assert [word.filler for word in found.words] == ([True] * kept + [False] * 2 if kept is not None else [False] * 3)
    if kept:
        with pytest.raises(InputError):
            list(formats.read(MemoryFile("a.json", output.read_bytes().replace(b"true", b"1")), "json"))
