"""Spanish."""

from asr_punct.languages.record import Language, abbreviations, digits, phrases, words

# EE. UU., JJ. OO.
PLURAL_ACRONYMS = "ee uu jj oo cc aa ff rr hh vv"
LANGUAGE = Language(
    "es",
    "Spanish",
    aliases=words("spa castilian español castellano"),
    mixed_with="eu",
    locale="es-ES",
    stl_number="0A",
    quotes="«»",
    opens_sentences=True,
    abbreviations=abbreviations(
        title="""sr sra sres sras srta srtas dr dra dres dras dña dª prof profa lic lcdo lcda ing arq gral cnel
            cap capt tte cmdte sgto sta sto fr mons excmo excma excmos excmas ilmo ilma ilmos ilmas rvdo rvda
            ntra ntro av avd avda ctra núm núms pág págs art arts vol vols fig figs tel teléf tfno apdo depto dpto
            admón aprox p.ej p.e ej v.g vg cf cfr fdo izda dcha""",
        final=f"etc ud uds vd vds vmd ss cía ltda hnos ptas pts {PLURAL_ACRONYMS}",
        numbered="no pp",
    ),
    letter_pairs=phrases("a. c, d. c, a. m, p. m, p. ej, s. f"),
    function_words=words(
        """el la los las lo un una unos unas y e o pero no sí si en con por para que este esta estos estas ese esa
        eso esto aquel aquella aquello como cuando porque pues también además se le les me te nos yo tú él ella
        usted ustedes nosotros ellos ellas su sus mi mis al desde hasta hay ya así ahora entonces después luego
        muy todo todos todas cada según sin sobre tras ante qué quién cuándo dónde cómo cuál ni tampoco"""
    ),
    name_beginnings=words("el la los las"),
    ands=words("y e"),
    first_names=words(
        """alba alfonso alicia ana andrés antonio beatriz begoña carlos carmen cristina diego eduardo elena enrique
        ester eva fernando francisco gema gloria ignacio inés irene isabel jaime javier jesús jorge josé jose josefa
        juan julia lucía luis luisa manuel mari maría maria mario marta martín miguel mónica olga pablo paula pedro
        rafael raúl ricardo roberto rosa sara sofía sonia teresa tomás víctor"""
    ),
    surname_endings=words("ez"),
    digits=digits("cero uno dos tres cuatro cinco seis siete ocho nueve"),
    numbers=words(
        """diez once doce trece catorce quince veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa cien
        ciento"""
    ),
    hesitations=words("eh ehh ehm em emm mmm hmm hm"),
    likely_hesitations=words("mm"),
    said_once=words(
        """el la los las un una unos unas y o de del al a que en con por para su sus mi mis yo se me te le les nos
        pero porque"""
    ),
    phrases=phrases(
        """eh bildu, hm hospitales, hm treasury, hospital hm, cadena hm, grupo hm, clínica hm, la a, letra a,
        vitamina a, hepatitis a, opción a, plan a, tipo a, grupo a, punto a, la y, letra y, eje y, variable
        y, coordenada y, componente y, más y, menos y, por y, la o, letra o, tipo o, grupo o, la de, letra
        de, la te, letra te, la la, la land, la sol, mi fa, un yo, el yo, entre nos, una vez, no para, bus
        para, autobús para, tren para, coche para, lluvia para, aquí para, un pero, hay pero"""
    ),
    sounds=words(
        """ri(?:sas?|sitas?|endo|en?|éndose)$ carcajada aplau[sd] ovaci abuche música musical suspir solloz gimote gimi
        jade tos(?:e|en)?$ carrasp silencio murmull grit(?:o|os|a|an|ando)$ llant llor(?:a|an|o|ando)$ ruidos?$ golpes?$
        portazo ladr disparos?$ inaudible ininteligible susurr silb timbre suena zumbid trueno barullo chirri estornud
        bostez pitid sirena campanad chasquid vítores tarare ríen?$ cantando$ pausa$ respira$"""
    ),
    asking=words("preguntó pregunté preguntaron preguntaba"),
    saying=words(
        """dijo dice digo dije decía dijeron respondió contestó contesté exclamó añadió murmuró gritó replicó susurró
        pensó insistió repitió explicó"""
    ),
    after_saying=words("él ella"),
    indirect=words("que si"),
    speakers=words("hablante interlocutor interlocutora locutor locutora"),
    headings=words("nota notas ejemplo pd"),
    topics=words(
        """problema verdad cuestión duda pregunta respuesta cosa razón motivo idea solución conclusión
        resultado objetivo"""
    ),
    replies=words("sí si no"),
    answers=words("bueno vale oye oiga venga claro"),
    phrase_openers=words(
        """el la los las lo un una unos unas al a ante bajo con contra desde en entre hacia hasta para por según sin
        sobre tras durante mediante y e o u ni que si como cuando donde aunque mientras porque pero sino quien cuyo
        cuya"""
    ),
    binds_next=words(
        """del de su sus mi mis tu tus nuestro nuestra nuestros nuestras este esta estos estas ese esa esos esas aquel
        aquella cada otro otra otros otras algún ningún cualquier gran primer tercer buen mal es son era eran fue
        fueron san santa don doña señor señora muy más menos tan no me te se le les nos os he has ha hemos habéis han
        había habías habíamos habían haya hayan hubiera hubieran habrá habrán habría habrían qué cuál quién cómo cuándo
        dónde cuánto cuánta cuántos cuántas"""
    ),
    numerals=words(
        """uno una dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince veinte
        veintiuno treinta cuarenta cincuenta sesenta setenta ochenta noventa cien ciento doscientos
        trescientos cuatrocientos quinientos mil"""
    ),
    numbered=words(
        """artículo página capítulo siglo fase tipo número punto apartado tomo nivel grupo sección anexo título
        canal línea versión año hora aproximadamente casi"""
    ),
    counted=words("""mil millón millones billones por euros dólares kilómetros metros kilos grados"""),
    bound_pairs={
        "que": words(
            """antes después habrá había hay para sino tenemos tener tengo tenía tenían tiene tienen tienes ya"""
        ),
        "a": words("empezar empezó empieza iba iban ir va vais vamos van vas volver voy vuelve"),
        "de": words("acaba acabo además antes cerca cuenta dentro después fuera lejos parte través"),
    },
)
