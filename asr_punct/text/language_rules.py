"""The words of Spanish, Basque and English that reading and cleaning depend on: abbreviations, endings, hesitations …

To add a language, add an entry to `_RULES`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import Enum, auto
from functools import lru_cache, reduce
from operator import or_

from asr_punct.languages import parse_language


class PeriodKind(Enum):
    """What a period after a word can be, depending on the word."""

    PLAIN = auto()  # the mark PERIOD
    TITLE = auto()  # part of the word, never the end of a sentence: Sr.
    FINAL = auto()  # part of the word; ends the sentence at the end of the text or before any capital: etc.
    NAME_PART = auto()  # part of the word; ends the sentence at the end of the text or before `The`, `He` …: U.S.
    NUMBERED = auto()  # part of the word only before a number: no. 5
    LETTER = auto()  # after one letter: an initial or the end of a sentence
    ORDINAL = auto()  # part of the word before a lower-case word: Basque 2. artikulua, XX. mendea


@dataclass(frozen=True)
class LanguageRules:
    """What is special about the words of a language, or of a mixture of languages.

    Attributes:
        kinds: the kind of the period after each abbreviation, which is written without the period.
        acronym: the kind of the period after letters with periods between them (`EE.UU`, `p.m`).
        function_words: words such as articles and pronouns; one with a capital begins a sentence.
        name_beginnings: function words that names begin with (Spanish `El Salvador`, `La Rioja`).
        pronouns: single letters that are words in capitals (English `I`).
        suffixes: endings that belong to the acronym, name or quotation before them (Basque `EAEko`, `«Argia»ko`).
        clitics: ends of contractions that some recognisers write as tokens of their own (English `'ll`).
        clipped: words that lost their beginning and have an apostrophe instead (English `'em`), without it.
        hesitations: words that are nothing else; Spanish `este`, Basque `e` and English `like` are not among them.
        likely_hesitations: words that are mostly hesitations: they are no reason to leave a word out.
        said_once: words that nobody says twice on purpose.
        phrases: pairs of words in which a word of `hesitations` or `said_once` is meant, also beside itself.
        ordinals: a number with a period is an ordinal.
        suspended_hyphens: a hyphen can end a shortened compound (`gorputz- eta keinu-hizkuntza`).
        apostrophes: an apostrophe can end a word (`workers'`).
    """

    kinds: Mapping[str, PeriodKind]
    acronym: PeriodKind = PeriodKind.FINAL
    function_words: frozenset[str] = frozenset()
    name_beginnings: frozenset[str] = frozenset()
    pronouns: frozenset[str] = frozenset()
    suffixes: frozenset[str] = frozenset()
    clitics: frozenset[str] = frozenset()
    clipped: frozenset[str] = frozenset()
    hesitations: frozenset[str] = frozenset()
    likely_hesitations: frozenset[str] = frozenset()
    said_once: frozenset[str] = frozenset()
    phrases: frozenset[str] = frozenset()
    ordinals: bool = False
    suspended_hyphens: bool = False
    apostrophes: bool = False

    @property
    def never_names(self) -> frozenset[str]:
        """Function words that have a capital only where a sentence begins."""
        return self.function_words - self.pronouns - self.name_beginnings

    def __or__(self, other: LanguageRules) -> LanguageRules:
        """Join the rules of two languages; where they disagree, the left one wins."""
        kinds = {**other.kinds, **self.kinds}
        names = [field.name for field in fields(self) if field.name not in ("kinds", "acronym")]
        return LanguageRules(
            kinds, self.acronym, **{name: getattr(self, name) | getattr(other, name) for name in names}
        )


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _phrases(text: str) -> frozenset[str]:
    return frozenset(" ".join(phrase.split()) for phrase in text.split(","))


def _kinds(**abbreviations: str) -> dict[str, PeriodKind]:
    """Return the kind of each abbreviation; one with several kinds has the first."""
    listed = reversed(abbreviations.items())
    return {word: PeriodKind[kind.upper()] for kind, words in listed for word in words.split()}


# plural acronyms: EE. UU., JJ. OO.
_DOUBLED = "ee uu jj oo cc aa ff rr hh vv"
_RULES = {
    "es": LanguageRules(
        _kinds(
            title="""sr sra sres sras srta srtas dr dra dres dras dña dª prof profa lic lcdo lcda ing arq gral cnel
                cap capt tte cmdte sgto sta sto fr mons excmo excma excmos excmas ilmo ilma ilmos ilmas rvdo rvda
                ntra ntro av avd avda ctra núm núms pág págs art arts vol vols fig figs tel teléf tfno apdo depto dpto
                admón aprox p.ej p.e ej v.g vg cf cfr fdo izda dcha""",
            final=f"etc ud uds vd vds vmd ss cía ltda hnos ptas pts {_DOUBLED}",
            numbered="no pp",
        ),
        function_words=_words(
            """el la los las lo un una unos unas y e o pero no sí si en con por para que este esta estos estas ese esa
            eso esto aquel aquella aquello como cuando porque pues también además se le les me te nos yo tú él ella
            usted ustedes nosotros ellos ellas su sus mi mis al desde hasta hay ya así ahora entonces después luego
            muy todo todos todas cada según sin sobre tras ante qué quién cuándo dónde cómo cuál ni tampoco"""
        ),
        name_beginnings=_words("el la los las"),
        hesitations=_words("eh ehh ehm em emm mmm hmm hm"),
        likely_hesitations=_words("mm"),
        said_once=_words(
            """el la los las un una unos unas y o de del al a que en con por para su sus mi mis yo se me te le les nos
            pero porque"""
        ),
        phrases=_phrases(
            """eh bildu, hm hospitales, hm treasury, hospital hm, cadena hm, grupo hm, clínica hm, la a, letra a,
            vitamina a, hepatitis a, opción a, plan a, tipo a, grupo a, punto a, la y, letra y, eje y, variable
            y, coordenada y, componente y, más y, menos y, por y, la o, letra o, tipo o, grupo o, la de, letra
            de, la te, letra te, la la, la land, la sol, mi fa, un yo, el yo, entre nos, una vez, no para, bus
            para, autobús para, tren para, coche para, lluvia para, aquí para, un pero, hay pero"""
        ),
    ),
    "eu": LanguageRules(
        _kinds(
            title="jn and adib ik zenb tel pag kap h.d a.g dr dra sr sra sta sto st prof lib ej p.ej",
            final=f"etab etc ud vd zk orr art {_DOUBLED}",
            numbered="or al",
        ),
        function_words=_words(
            """eta baina baino edo ere hori hau hura hauek horiek haiek bai ez nik zuk guk zuek berak gu zu ni gaur
            orain gero beraz baita horrela hala zer zein nor non noiz nola zergatik bere horren honen hemen hor han
            baldin orduan hortaz izan ba"""
        ),
        suffixes=_words(
            """a ak ek ok k n an en on in tan etan ko go eko ako etako ra era ara etara tik dik etik atik etatik ren en
            aren eren ari ri i ei rekin arekin ekin kin gatik rengatik arengatik rentzat arentzat entzat tzat z az ez
            taz etaz rik ik rako erako tarako raino eraino gan ren gandik dun duna dunak tar tarra tarrak koa koak
            ean etik erik eraino gana rengana rengan rengandik rena renak arena arenak ena enak koek koen koei kora
            kotik koan rekiko arekiko ekiko tara etara takoa takoak etakoa etakoak egatik"""
        ),
        hesitations=_words("eh ehh ehm em emm mmm hmm hm"),
        likely_hesitations=_words("ee eee mm"),
        said_once=_words("eta baina edo nik guk zuk"),
        phrases=_phrases(
            """eh bildu, eh bilduk, eh bilduko, eh bilduren, eh bildun, eh bilduri, dela eta, direla eta, zela eta,
            zirela eta"""
        ),
        ordinals=True,
        suspended_hyphens=True,
    ),
    "en": LanguageRules(
        _kinds(
            title="""mr mrs ms messrs mme mlle dr drs prof rev hon gen col capt cpt cmdr lt sgt cpl maj adm gov sen sens
                rep reps pres amb st ste mt ft vs viz cf e.g i.e approx figs nos vol vols pp""",
            final="etc al ibid cit",
            name_part="""inc corp co ltd jr sr bros esq ph.d ave blvd dept calif conn tex mich colo okla minn wis tenn
                univ""",
            numbered="no fig art ch sec tel ext jan feb mar apr jun jul aug sept sep oct nov dec",
        ),
        acronym=PeriodKind.NAME_PART,
        function_words=_words(
            """the a an and but or so i we you he she it they this that these those there in on at for from with as if
            when while what who how why where our his her their my your its now then not no yes well also because every
            each both after before once however is are was were do does did can would could should have has let some all
            any again to of by"""
        ),
        pronouns=frozenset("i"),
        suffixes=_words("s 's ’s"),
        clitics=_words("'s 'll 're 've 'd 'm 't n't"),
        clipped=_words("em til tis twas cause bout round kay nother"),
        hesitations=_words("uh uhh um umm uhm erm hmm hm mmm"),
        likely_hesitations=_words("er mm"),
        said_once=_words(
            """the a an i we he she they and but or my our your their because if when how what who with some these to of
            for from at as perhaps maybe i'm i'll i've i'd it's that's you're we're they're he's she's we've they've
            let's there's"""
        ),
        phrases=_phrases(
            """uh huh, mm hmm, an hmm, mm hm, hm treasury, hm revenue, hm prison, hm government, hm coastguard, umm
            qasr, umm kulthum, umm al, vitamin a, hepatitis a, plan a, type a, group a, grade a, section a,
            option a, choice a, do i, did i, am i, was i, than i, thought i, war i, do he, does he, did he, is
            he, was he, than he, he he, does she, did she, is she, was she, than she, do we, did we, are we,
            were we, than we, do they, did they, are they, were they, than they, of course, think of, thinking
            of, dream of, afraid of, listen to, talk to, up to, at least, good at, looking at, laughing at, for
            example, for goodness, come from, speak with, spoke with, who knows, the who, how about, say when,
            just when, just because, maybe not, perhaps not"""
        ),
        apostrophes=True,
    ),
}


@lru_cache(maxsize=64)
def rules_of(language: str) -> LanguageRules:
    """Return the rules of a language code or a mixture (`es+eu`, the first language wins).

    A language without an entry has only the rules common to all: acronyms and initials.
    """
    known = [_RULES[code] for code in parse_language(language).split("+") if code in _RULES]
    return reduce(or_, known) if known else LanguageRules({})
