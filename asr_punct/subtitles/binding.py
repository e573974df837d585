"""Words between which a subtitle should not break: an article and its noun, an auxiliary and its verb.

The line breaks of Netflix's Timed Text Style Guide (General Requirements, Line Treatment) name the relations: articles,
prepositions, conjunctions, subject pronouns, auxiliaries, negations. The lists have frequent words of each relation.
"""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SPANISH = """el la los las lo un una unos unas al del a ante bajo con contra desde de en entre hacia hasta para por
    según sin sobre tras durante mediante y e o u ni que si como cuando donde aunque mientras porque pero sino quien
    cuyo cuya su sus mi mis tu tus nuestro nuestra nuestros nuestras este esta estos estas ese esa esos esas aquel
    aquella cada otro otra otros otras algún ningún cualquier gran primer tercer buen mal san santa don doña señor
    señora muy más menos tan no me te se le les nos os he has ha hemos habéis han había habías habíamos habían haya
    hayan hubiera hubieran habrá habrán habría habrían qué cuál quién cómo cuándo dónde cuánto cuánta cuántos cuántas"""
_BASQUE = "eta edo ala baina baizik ez oso hain zein zer nor nork nola non noiz nora zenbat zergatik baita ezta"
_BASQUE_AFTER = """naiz zara da gara zarete dira nintzen zinen zen ginen ziren naizen zaren den garen diren dela direla
    zela zirela dut duzu du dugu duzue dute ditut dituzu ditu ditugu dituzte nuen zenuen zuen genuen zuten nituen
    zituen genituen zituzten dudan duzun duen dugun duten dituen dituzten dituztela duela dutela diot dio diogu diote
    diete dit digu didate zait zaio zaigu zaie zaizkio zitzaion zion zien zioten zieten nion zidan zigun dizkio
    dizkiote daiteke daitezke dezake dezakegu dezakete ditzakegu ditzake daitekeen daitezkeen daitekeela dezakeen
    litzateke luke lukete nuke genuke behar ahal nahi ari ere bat batzuk hau hori hura hauek horiek haiek gabe arte
    bezala buruz barik kontra alde aurka gisa ondoren aurretik bitartean zehar arabera"""
_ENGLISH = """the a an of to in on at by for from with about into over after before between through during without
    under against than and or but nor that which who what how why if when because as while where whether my your his
    her its our their this these those every each some any such no not very is are was were am be been being have has
    had having will would can could should may might must do does did i we he she they i'm you're we're they're i've
    you've we've they've i'll you'll we'll they'll i'd we'd don't doesn't didn't won't can't couldn't wouldn't
    shouldn't isn't aren't wasn't weren't you"""
_MIXED = _words(_SPANISH + " " + _BASQUE)
_BINDS_NEXT = {"es": _MIXED, "eu": _MIXED, "en": _words(_ENGLISH)}
"""Words that belong to the next word. Spanish and Basque share a list, because a text that mixes them has the code of
only one of them."""
_BINDS_PREVIOUS = {"es": _words(_BASQUE_AFTER), "eu": _words(_BASQUE_AFTER)}
"""Words that belong to the word before them: auxiliaries, demonstratives and postpositions of Basque."""
_PAIRS = {
    "en": {
        "to": _words(
            """going want wants wanted have has had need needs needed used able supposed got trying try tried seem seems
            seemed start started begin began continue continued decide decided allowed ready willing ought like"""
        ),
        "of": _words("kind sort lot lots couple out because instead part number one some all most many any each rest"),
        "as": _words("as such well"),
    },
    "es": {
        "que": _words(
            "tener tengo tienes tiene tenemos tienen tenía tenían hay había habrá ya para sino antes después"
        ),
        "a": _words("voy vas va vamos vais van iba iban ir vuelve volver empezar empieza empezó"),
        "de": _words("antes después dentro fuera cerca lejos además través acaba acabo parte cuenta"),
    },
}
"""First words of pairs that belong together, by language and second word."""
_PAIRS["eu"] = _PAIRS["es"]


def binds(word: str, following: str, language: str) -> bool:
    """Whether a word without marks belongs to the following word, both in lower case and without marks."""
    return (
        word in _BINDS_NEXT.get(language, ())
        or following in _BINDS_PREVIOUS.get(language, ())
        or word in _PAIRS.get(language, {}).get(following, ())
    )
