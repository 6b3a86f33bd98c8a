"""Words that decide whether a full stop ends a sentence."""


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


# A name, a figure or a clause goes on after these: their full stop never ends a sentence.
BEFORE_MORE = _words(
    "abbr adm ald amb approx assn attn atty brig capt cf cie cmdr col comdr cpl dept dist dr "
    "drs e.g eds eg ex ext fn fr ft gen gens gov hon hr i.e incl insp lieut lt ltn maj messrs "
    "mlle mme mr mrs ms msgr mssrs mt nr orig pres prof profs pseud pvt rep reps resp rev rt "
    "sen sens sgt ste supt trans transl univ viz vs"
)

# As above, but only before a figure, a Roman numeral or a single letter: "No. 5", "it said no."
BEFORE_NUMBER = _words(
    "al app approx apr art arts aug b c ca cap ch chap chaps circa d dec div ed eq eqs ex feb "
    "fig figs fl jan jul jun lib line ll m mar n nn no nos nov oct op p para paras pp pt pts "
    "r s sec secs sect sep sept ser ss suppl tab v ver vol vols"
)

# Abbreviations that may or may not end a sentence: the next word decides.
EITHER = _words(
    "a.d a.m al ala apr ariz ark assoc aug ave b.a b.c b.c.e b.s b.sc ba blvd bros bsc c.e ca "
    "calif cm co colo conn corp d.c dc dec dept e.u ed eds esp esq est feb fla fri ft ga gmbh "
    "govt hr hrs hwy ill illus inc ind intl jan jr jul jun kan kg km ky lb lbs llc ltd m.a "
    "m.d m.s m.sc mar mass md mfg mi mich min minn mins mm mo mon mont msc n.b n.j n.y natl "
    "neb nev nov oct okla ore oz p.m pa penn ph ph.d plc pty rd sat sec sep sept sq sr st sun "
    "tenn tex thu thur thurs tue tues u.k u.n u.s univ va vt wash wed wis wyo"
)

# No small letter opens a sentence after any of these; after "etc." a capital letter does.
ABBREVIATIONS = BEFORE_MORE | BEFORE_NUMBER | EITHER | {"etc"}

# Capitalised, these words open a sentence far more often than they go on with a name.
STARTERS = _words(
    "a about according across actually additionally after afterwards again against all along "
    "already also although among an and another any are as at based because before besides "
    "between both but by can consequently currently despite did do does during each earlier "
    "either even eventually every everyone few finally first firstly following for fortunately "
    "from further furthermore given had has have he hence her here his how however i i'd i'll "
    "i'm i've if in indeed initially instead is it it's its just last lastly later let like "
    "many may maybe meanwhile more moreover most much my neither nevertheless next no none "
    "nonetheless nor not nothing now of on once one only or originally other others our out "
    "over overall perhaps please prior rather recently second secondly several she should "
    "similarly since so some someone sometimes soon still subsequently such than thanks that "
    "that's the their then there there's thereafter therefore these they they're third this "
    "those though three through throughout thus to today together two under unfortunately "
    "unless unlike until upon was we we're were what when where whereas whether which while who "
    "whom whose why will with within without would yes yet you you're your"
)
