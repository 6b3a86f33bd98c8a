"""Words that decide whether a full stop ends a sentence."""


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


# A name, a figure or a clause goes on after these: their full stop never ends a sentence.
BEFORE_MORE = _words(
    "abbr adm ald amb approx assn attn atty brig capt cf cie cmdr col comdr cpl dr drs e.g "
    "eds eg fn fr gen gens gov hon hr i.e insp lieut lt ltn maj messrs mlle mme mr mrs ms "
    "msgr mssrs mt nr pres profs pseud pvt reps rev sen sens sgt ste supt trans transl viz vs"
)

# As above, but only before a figure, a Roman numeral or a single letter: "No. 5", "it said no."
BEFORE_NUMBER = _words(
    "al approx apr aug b c ca ch chap chaps circa d dec div ed eq eqs feb fig figs fl jan jul "
    "jun ll m mar n nn no nos nov oct op p para paras pp pt pts r sec secs sect sep sept "
    "suppl v ver vol vols"
)

# Abbreviations that may or may not end a sentence: the next word decides.
EITHER = _words(
    "a.d a.m al assoc ave b.a b.c b.c.e b.s b.sc ba blvd bros bsc c.e co corp d.c dc dept "
    "dist e.u ed eds esp esq est ex ext ft gmbh govt hwy illus inc incl intl jr llc ltd m.a "
    "m.d m.s m.sc mfg msc n.b n.j n.y natl orig p.m ph ph.d plc prof pty rd rep resp rt sr st "
    "u.k u.n u.s univ"
)

# As above, but written with a capital letter: "on Jan. 5", "he fell ill."
EITHER_CAPITALISED = _words(
    "ala apr ariz ark aug ca calif colo conn dec feb fla fri ga ill ind jan jul jun kan ky "
    "mar mass md mich minn mo mon mont neb nev nov oct okla ore pa penn sat sep sept sun tenn "
    "tex thu thur thurs tue tues va vt wash wed wis wyo"
)

# Ends a sentence where a capital letter follows.
BEFORE_CAPITAL = _words("cm etc hr hrs kg km lb lbs mi min mins mm oz sec sq")

# No small letter opens a sentence after these.
ABBREVIATIONS = BEFORE_MORE | BEFORE_NUMBER | EITHER | BEFORE_CAPITAL

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
