"""Basque."""

from asr_punct.languages.record import Language, abbreviations, digits, phrases, words
from asr_punct.languages.spanish import PLURAL_ACRONYMS

LANGUAGE = Language(
    "eu",
    "Basque",
    aliases=words("baq eus euskara"),
    mixed_with="es",
    locale="eu-ES",
    stl_number="0D",
    quotes="«»",
    abbreviations=abbreviations(
        title="jn and adib ik zenb tel pag kap h.d a.g dr dra sr sra sta sto st prof lib ej p.ej",
        final=f"etab etc ud vd zk orr art {PLURAL_ACRONYMS}",
        numbered="or al",
    ),
    ordinals=True,
    function_words=words(
        """eta baina baino edo ere hori hau hura hauek horiek haiek bai ez nik zuk guk zuek berak gu zu ni gaur
        orain gero beraz baita horrela hala zer zein nor non noiz nola zergatik bere horren honen hemen hor han
        baldin orduan hortaz izan ba"""
    ),
    ands=words("eta"),
    suffixes=words(
        """a ak ek ok k n an en on in tan etan ko go eko ako etako ra era ara etara tik dik etik atik etatik ren en
        aren eren ari ri i ei rekin arekin ekin kin gatik rengatik arengatik rentzat arentzat entzat tzat z az ez
        taz etaz rik ik rako erako tarako raino eraino gan ren gandik dun duna dunak tar tarra tarrak koa koak
        ean etik erik eraino gana rengana rengan rengandik rena renak arena arenak ena enak koek koen koei kora
        kotik koan rekiko arekiko ekiko tara etara takoa takoak etakoa etakoak egatik"""
    ),
    lone_suffixes=words(
        "ra ren rekin arekin ko rako tik etik etatik rentzat arentzat raino rik aren kin koa koak rena tarra"
    ),
    after_suspended=words("eta edo zein nahiz ala"),
    first_names=words("arantza iñaki joxe koldo maite mikel miren patxi peio xabier"),
    digits=digits("zero bat bi hiru lau bost sei zazpi zortzi bederatzi"),
    numbers=words("hamar hamaika hamabi hogei berrogei hirurogei laurogei ehun"),
    hesitations=words("eh ehh ehm em emm mmm hmm hm"),
    likely_hesitations=words("ee eee mm"),
    said_once=words("eta baina edo nik guk zuk"),
    phrases=phrases(
        """eh bildu, eh bilduk, eh bilduko, eh bilduren, eh bildun, eh bilduri, dela eta, direla eta, zela eta,
        zirela eta"""
    ),
    sounds=words(
        """barre txalo musika isiltasun hasperen eztul oihu zarata negar ulertezin xuxurl doministiku txistu kolpe
        algara arnas pausa$ kantari$"""
    ),
    asking=words("galdetu"),
    saying=words("esan erantzun oihukatu xuxurlatu"),
    after_saying=words("zuen zion zidan zidaten nion nuen"),
    speakers=words("hizlari hizlaria"),
    headings=words("oharra adibidez arazoa egia"),
    replies=words("bai ez"),
    answers=words("beno tira aizu begira ados"),
    phrase_openers=words("eta edo ala baina baizik ezta zein zer nor nork nola non noiz nora zenbat zergatik"),
    binds_next=words("ez oso hain baita"),
    binds_previous=words(
        """naiz zara da gara zarete dira nintzen zinen zen ginen ziren naizen zaren den garen diren dela direla zela
        zirela dut duzu du dugu duzue dute ditut dituzu ditu ditugu dituzte nuen zenuen zuen genuen zuten nituen
        zituen genituen zituzten dudan duzun duen dugun duten dituen dituzten dituztela duela dutela diot dio diogu
        diote diete dit digu didate zait zaio zaigu zaie zaizkio zitzaion zion zien zioten zieten nion zidan zigun
        dizkio dizkiote daiteke daitezke dezake dezakegu dezakete ditzakegu ditzake daitekeen daitezkeen daitekeela
        dezakeen litzateke luke lukete nuke genuke behar ahal nahi ari ere bat batzuk hau hori hura hauek horiek haiek
        gabe arte bezala buruz barik kontra alde aurka gisa ondoren aurretik bitartean zehar arabera"""
    ),
    numerals=words("""bi hiru lau bost sei zazpi zortzi bederatzi hamar hamaika hogei berrogei hirurogei ehun mila"""),
    numbered=words(
        """urtarrilaren otsailaren martxoaren apirilaren maiatzaren ekainaren uztailaren abuztuaren irailaren
        urriaren azaroaren abenduaren urtarrilak otsailak martxoak apirilak maiatzak ekainak uztailak
        abuztuak irailak urriak azaroak abenduak"""
    ),
    counted=words("""mila milioi milioiko euro euroko mendea mendean mendeko artikulua artikuluan artikuluak"""),
)
