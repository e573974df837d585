"""English."""

from asr_punct.languages.record import Language, PeriodKind, abbreviations, digits, phrases, words

LANGUAGE = Language(
    "en",
    "English",
    aliases=words("eng"),
    locale="en-US",
    stl_number="09",
    voices={"en": "en-us", "en-gb": "en"},
    inside_quotes=",.",
    abbreviations=abbreviations(
        title="""mr mrs ms messrs mme mlle dr drs prof rev hon gen col capt cpt cmdr lt sgt cpl maj adm gov sen sens
            rep reps pres amb st ste mt ft vs viz cf e.g i.e approx figs nos vol vols pp""",
        final="etc al ibid cit",
        name_part="""inc corp co ltd jr sr bros esq ph.d ave blvd dept calif conn tex mich colo okla minn wis tenn
            univ""",
        numbered="no fig art ch sec tel ext jan feb mar apr jun jul aug sept sep oct nov dec",
    ),
    acronym=PeriodKind.NAME_PART,
    letter_pairs=phrases("a. m, p. m"),
    function_words=words(
        """the a an and but or so i we you he she it they this that these those there in on at for from with as if
        when while what who how why where our his her their my your its now then not no yes well also because every
        each both after before once however is are was were do does did can would could should have has let some all
        any again to of by"""
    ),
    pronouns=words("i"),
    ands=words("and"),
    suffixes=words("s 's ’s"),
    clitics=words("'s 'll 're 've 'd 'm 't n't"),
    clipped=words("em til tis twas cause bout round kay nother"),
    apostrophes=True,
    compounds=False,
    first_names=words("joan john joseph karl paul"),
    compound_beginnings=words(
        """anti bi co counter cross de double eco ex extra first full half high hyper inter intra large last left long
        low macro mega micro mid mini mm multi near never new non off old once one over para part peer poly post pre
        pro quasi re real right second self semi short single small so step sub super third top trans two three four
        five six seven eight nine ten twenty thirty forty fifty sixty seventy eighty ninety hundred uh un under up
        ultra well year month week day quarter time end back best better cost custom decision case cutting data early
        easy even ever fast follow forward free front good hands hard health higher knee lower man much more most must
        user value water whole wide work world state out in on all any at by each open point price problem risk same
        set side stand start third-party toe type very vice check clean close cold come community computer context
        cloud client server face fact far few"""
    ),
    lower_parts=words(
        """a about adjusted after and area as at aware back backed based basis bit born bound branded by class de
        defined des directed down du earth el elect end era ever extra first focused for free friendly from general
        grade half head high huh hm hmm in in-law ish ism la language large law le led les level like line linked long
        made man minded month more near next of off oh old on one or out over owned part per plus point quality quarter
        ray ready related run scale shire side size sized specific sponsored speaking style sur term the thing through
        throughs time to type und up upon van von wheel white wide wise with world year years e i l"""
    ),
    lower_endings=words("ed ing ly ish ness"),
    digits=digits("zero one two three four five six seven eight nine"),
    numbers=words(
        """ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty
        sixty seventy eighty ninety hundred"""
    ),
    hesitations=words("uh uhh um umm uhm erm hmm hm mmm"),
    likely_hesitations=words("er mm"),
    said_once=words(
        """the a an i we he she they and but or my our your their because if when how what who with some these to of
        for from at as perhaps maybe i'm i'll i've i'd it's that's you're we're they're he's she's we've they've
        let's there's"""
    ),
    phrases=phrases(
        """uh huh, mm hmm, an hmm, mm hm, hm treasury, hm revenue, hm prison, hm government, hm coastguard, umm
        qasr, umm kulthum, umm al, vitamin a, hepatitis a, plan a, type a, group a, grade a, section a,
        option a, choice a, do i, did i, am i, was i, than i, said i, thought i, war i, do he, does he, did he, is
        he, was he, than he, he he, does she, did she, is she, was she, than she, do we, did we, are we,
        were we, than we, do they, did they, are they, were they, than they, of course, think of, thinking
        of, dream of, afraid of, listen to, talk to, up to, at least, good at, looking at, laughing at, for
        example, for goodness, come from, speak with, spoke with, who knows, the who, how about, say when,
        just when, just because, maybe not, perhaps not"""
    ),
    sounds=words(
        """laugh applau clap music sigh cough inaudible unintelligible indistinct crosstalk cheer chuckl giggl bark
        scream gasp groan whisper sob(?:s|bing)?$ cry(?:ing)?$ cries$ footstep gunshot thunder nois(?:e|es|y)$ static$
        sing(?:s|ing)$ sniff chatter knock ring(?:s|ing)$ beep siren silence whistl sneez yawn boo(?:s|ing)$ clears$
        snor hum(?:s|ming)$ buzz breath(?:s|es|ing)?$ inhal exhal pause$ pauses$ unclear$ (?:lip)?smack"""
    ),
    asking=words("asked ask asks"),
    saying=words("said says replied answered whispered shouted added cried muttered"),
    before_saying=words("he she i they we you"),
    after_saying=words("me him her us them you"),
    indirect=words("that if"),
    speakers=words("speaker spk"),
    speaker_beginnings=words("the"),
    headings=words("note notes example ps"),
    topics=words("problem truth question answer reason point idea solution conclusion result thing goal catch"),
    replies=words("yes yeah no nope"),
    answers=words("well okay ok look listen hey"),
    phrase_openers=words(
        """the a an to in on at by for from with about into over after before between through during without under
        against than and or but nor that which who what how why if when because as while where whether"""
    ),
    binds_next=words(
        """of my your his her its our their this these those every each some any such no not very is are was were am be
        been being have has had having will would can could should may might must do does did i we he she they i'm
        you're we're they're i've you've we've they've i'll you'll we'll they'll i'd we'd don't doesn't didn't won't
        can't couldn't wouldn't shouldn't isn't aren't wasn't weren't you"""
    ),
    numerals=words(
        """one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
        seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred first
        second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth
        fifteenth sixteenth seventeenth eighteenth nineteenth twentieth thirtieth"""
    ),
    numbered=words(
        """january february march april may june july august september october november december phase type
        section page chapter part number channel article room figure table level version volume class
        category step group approximately roughly nearly almost"""
    ),
    counted=words(
        """hundred thousand million billion trillion percent dollars euros pounds cents degrees miles
        kilometers kilometres"""
    ),
    bound_pairs={
        "to": words(
            """able allowed began begin continue continued decide decided going got had has have like need needed needs
            ought ready seem seemed seems start started supposed tried try trying used want wanted wants willing"""
        ),
        "of": words(
            """all any because couple each instead kind lot lots many most number one out part rest some sort"""
        ),
        "as": words("as such well"),
        "out": words(
            """carry carried check come coming figure figured fill filled find found go going point pointed try trying
            turn turned work"""
        ),
        "up": words("bring come coming end ended give grow growing grew make pick picked set setting sum wake"),
        "down": words("break broke cut sit slow slowed write wrote"),
        "off": words("cut take takes took turn turned"),
    },
    reading_speeds={"netflix": 20},
    # close to Metaphone (Philips 1990, Hanging on the Metaphone), but all vowels are equal
    sound_rules=r"""['’-]>      ^[kg](?=n)|^p(?=[ns])|^w(?=r)|(?<=m)b$|(?<=w)h>      gh(?=t|$)>      tch|ch>C
        sh|[ts]i(?=o|a)|ci(?=o|a)>S      th>T      ph>f      dg(?=[eiy])|g(?=[eiy])>j      c(?=[eiy])|z|^x>s
        qu>kw      ck|[cq]>k      x>ks      (?<=[^\n][^aeiouy\n])e(?=d?$)>      h|(?<=[aeiou])w(?![aeiou])>
        [aeiouy]+>a      ([^\W\d_])\1+>\1""",
    misspellings=r"""ph>f      ck>k      k>c      c(?=[aou])>k      c(?=[eiy])>s      ([bdfglmnprst])\1>\1      ee>ea
        ea>ee      y$>ie      (?:ie|ey)$>y      z>s      sh>ch      th>t      gh>      ou>u      v>b
        (?<=[aeiou])([nlt])(?=[aeiou])>\1\1      (?<=..)e$>""",
)
