"""Sounds of several tokens, words in pieces, and character references: what the model reads of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_survival import drawn_punctuator

from asr_punct.glyphs import glyphs, write_word
from asr_punct.letter_case import apply_case, case_of
from asr_punct.marks import Case, Labels, Mark
from asr_punct.text import split_token, without_marks
from asr_punct.text.roles import Role, RoleReader, roles_of
from asr_punct.words import Utterance, split_words, text_of_utterance

SHORT = {Role.WORD: "w", Role.SOUND: "s", Role.PIECE: "p", Role.TURN: "t", Role.REMARK: "r"}

ROLES = [
    ("es", "[puerta se abre] quién es", "sssww"),
    ("es", "vino ana (mi hermana) y", "wwwww"),
    ("es", "(mi hermana) vino", "ssw"),
    ("es", "hola (risas del público) y", "wsssw"),
    ("es", "hola. (se va) y", "wssw"),
    ("es", "(hola, ana) y", "www"),
    ("es", "♪ la casa ♪ y ♪ la", "sssswww"),
    ("es", "a < b y c > d", "wwwwwww"),
    ("es", "[sin cerrar y nada más", "wwwww"),
    ("es", "[noise] hola", "ww"),
    ("es", "(gipuzkoa) irun (gipuzkoa), irun (risas) (eh) [gipuzkoa]. (gipuzkoa)", "wwrwwwww"),
    ("es", "no (llorando) sé (pausa) y (ríe) ya (breath) no (arnasa)", "w" * 10),
    ("en", "i 'll do n't 's", "wpwpp"),
    ("en", "'ll go", "ww"),
    ("es", "i 'll", "ww"),
    ("es", "el 3 % en", "wwpw"),
    ("es", "el % de", "www"),
    ("es", "son $ 5 no", "wwpw"),
    ("es", "555 123 4567 y 12 34", "wppwww"),
    ("es", "1 500 000 euros", "wppw"),
    ("es", "en 2019 2020 y", "wwww"),
    ("es", "seis cinco cinco 12 euros", "wpppw"),
    ("es", "uno dos tres cuatro", "wwww"),
    ("es", "3 . 5 metros 10 : 30", "wppwwpp"),
    ("es", "en 2019 . 3 casas", "wwwww"),
    ("en", "to ana . lopez @ example . co . uk now", "wwppppppppw"),
    ("en", "see www . example . org. bye", "wwppppw"),
    ("es", "- has visto a ana - no no", "twwwwtww"),
    ("es", "-cómo estás -bien [risas] -sí", "twtwt"),
    ("es", "cómo estás -bien y tú", "wwtww"),
    ("es", "[risas] - hola", "wtw"),
    ("es", "el eje madrid - parís —que va", "wwwwwww"),
    ("es", "- hola - dijo ana - qué - vale", "twwwwwwtw"),
    ("es", "- qué dice - dice que no", "twwtwww"),
    ("es", "—hola —dijo ana—, qué —no", "twwww"),
    ("en", "- i left - she said - now", "twwwwwww"),
    ("es", ">> ana - mi hermana - vino >> sí >>>no &gt;&gt; bien > mal", "twwwwwwtwttwww"),
    ("es", "- son 3 - 4 - no -5", "twwpptww"),
    ("en", "we left . then go @ five", "wwwwwww"),
]


@pytest.mark.parametrize(("language", "text", "roles"), ROLES)
def test_roles(language, text, roles):
    assert "".join(SHORT[role] for role in roles_of(text.split(), language)) == roles


TOKENS = "a [a b] (risas ) ♪ 5 123 % @ . com 'll www seis dos hola. - -a dijo que $"


@given(st.lists(st.sampled_from(TOKENS.split()), max_size=20))
def test_each_token_gets_one_role_as_soon_as_it_is_known(tokens):
    reader = RoleReader("en")
    found = [role for token in tokens for role in reader.push(token)]
    assert found == roles_of(tokens, "en")[: len(found)]
    assert found + reader.end() == roles_of(tokens, "en")


@pytest.mark.parametrize(
    ("token", "parts", "upper"),
    [
        ("&amp;", ("", "&amp;", ""), "&amp;"),
        ("at&amp;t,", ("", "at&amp;t", ","), "AT&amp;T,"),
        ("&quot;a&#39;b&quot;", ("&quot;", "a&#39;b", "&quot;"), "&quot;A&#39;B&quot;"),
        ("caf&eacute;.", ("", "caf&eacute;", "."), "CAF&eacute;."),
        ("a&b;", ("", "a&b", ";"), "A&B;"),
    ],
)
def test_character_references(token, parts, upper):
    assert split_token(token, "en") == parts
    assert apply_case(token, Case.ALL_CAPS) == upper
    assert case_of(apply_case("&eacute;l", Case.FIRST_CAP)) is Case.O


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("I 'll go, Ana.", "i 'll go ana"),
        ("Tom &amp; &quot;Jerry&quot;", "tom &amp; jerry"),
        ("[Se Abre] ♪ Hola, tú ♪ %UH.", "[Se Abre] ♪ Hola, tú ♪ %UH."),
    ],
)
def test_without_marks_leaves_sounds_references_and_pieces(text, bare):
    (utterance,) = [without_marks(Utterance(split_words(text)), "en")]
    assert text_of_utterance(utterance, glyphs("en")) == bare


def test_nothing_is_added_inside_a_word_in_pieces_or_a_sound():
    """Probabilities are random: every mark and case occurs."""
    punctuator = drawn_punctuator("en")
    text = "the eitb 'll [eitb opens] see user @ example . com and 555 123 4567 or 3 % &amp;"
    roles = roles_of(text.split(), "en")
    for _ in range(20):
        text = f"{text} {text}" if len(text) < 400 else text
        (utterance,) = punctuator.restore([Utterance(split_words(text))])
        roles = roles_of(text.split(), "en")
        for i, (word, role) in enumerate(zip(utterance.words, roles, strict=True)):
            is_inner = role is Role.SOUND or (i + 1 < len(roles) and roles[i + 1] is Role.PIECE)
            assert role is Role.WORD or word.labels.case is Case.O
            assert not (is_inner and word.labels.marks - {mark for mark in Mark if mark.is_left})
            assert (
                role is Role.WORD
                or write_word(word.text, Labels(case=Case.O, as_is=True), punctuator.glyphs) == word.text
            )
        stream = punctuator.stream()
        committed = [*stream.push(*text.split()), *stream.flush()]
        assert [each.word.text for each in committed] == text.split()
        assert not any(each.labels.marks for each, role in zip(committed, roles, strict=True) if role is Role.SOUND)
