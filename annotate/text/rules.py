"""Split English prose into sentences by rules, without data or training.

A candidate is a sequence of `.`, `!`, `?` or `…`, optionally closed by quotes or brackets, before
white space. The words around it decide. Each candidate reads a bounded stretch of text, which keeps
the time linear.
"""

import re
from string import ascii_uppercase
from typing import NamedTuple


def _listed(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


# These abbreviations never end a sentence: a name, a number or a clause follows.
BEFORE_MORE = _listed(
    "abbr adm ald amb approx assn attn atty brig capt cf cie cmdr col comdr cpl dr drs e.g "
    "eds eg fn fr gen gens gov hon hr i.e insp lieut lt ltn maj messrs mlle mme mr mrs ms "
    "msgr mssrs mt nr pres profs pseud pvt reps rev sen sens sgt ste supt trans transl viz vs"
)

# The same, but only before a number, a Roman numeral or a single letter: "No. 5", "it said no."
BEFORE_NUMBER = _listed(
    "al approx apr aug b c ca ch chap chaps circa d dec div ed eq eqs feb fig figs fl jan jul "
    "jun ll m mar n nn no nos nov oct op p para paras pp pt pts r sec secs sect sep sept "
    "suppl v ver vol vols"
)

# Abbreviations that may or may not end a sentence: the next word decides.
EITHER = _listed(
    "a.d a.m al assoc ave b.a b.c b.c.e b.s b.sc ba blvd bros bsc c.e co corp d.c dc dept "
    "dist e.u ed eds esp esq est ex ext ft gmbh govt hwy illus inc incl intl jr llc ltd m.a "
    "m.d m.s m.sc mfg msc n.b n.j n.y natl orig p.m ph ph.d plc prof pty rd rep resp rt sr st "
    "u.k u.n u.s univ"
)

# The same, but only with a capital letter: "on Jan. 5", "he fell ill."
EITHER_CAPITALISED = _listed(
    "ala apr ariz ark aug ca calif colo conn dec feb fla fri ga ill ind jan jul jun kan ky "
    "mar mass md mich minn mo mon mont neb nev nov oct okla ore pa penn sat sep sept sun tenn "
    "tex thu thur thurs tue tues va vt wash wed wis wyo"
)

# These end a sentence if a capital letter follows.
BEFORE_CAPITAL = _listed("cm etc hr hrs kg km lb lbs mi min mins mm oz sec sq")

# After these, a small letter does not begin a sentence.
ABBREVIATIONS = BEFORE_MORE | BEFORE_NUMBER | EITHER | BEFORE_CAPITAL

# Capitalised, these words begin a sentence far more often than they continue a name.
STARTERS = _listed(
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


RULES_VERSION = "1"

_STOPS = ".!?…"
_CANDIDATE = re.compile(
    rf"(?<![{_STOPS}])(?P<stop>[{_STOPS}]++)(?P<close>[\"'”’»)\]}}*]*+)\s++(?=\S)"
)
_LONGEST_WORD = 24
_BEFORE = re.compile(r"[^\s(\[{\"'“‘«/—–-]*\Z")
_NEXT = re.compile(r"(?P<open>[\"'“‘«(\[{*$€£¥#@]{0,4}+)(?P<word>[^\W_]?[\w'’&]{0,24})")
_ROMAN = re.compile(r"[IVXLC]{1,6}\Z")
_DOTTED = re.compile(r"(?:[^\W\d_]{1,2}\.)+[^\W\d_]{1,3}\Z")
_ENUMERATOR = re.compile(r"(?:[0-9]{1,3}(?:\.[0-9]{1,3})*+|[A-Za-z]|[ivxIVX]{1,5})\Z")
_CAPTION = re.compile(r"(?:Figure|Table|Listing|Box|Chapter|Section|Part|Step) [0-9.]{1,8}\Z")
_REFERENCE = re.compile(r"(?:\b|(?<=\W))refs?\.\s{1,4}[0-9]\Z", re.IGNORECASE)
_URL = re.compile(r"https?\b|www\b")


class _Candidate(NamedTuple):
    """A possible sentence end: the word before it, the punctuation, and what follows. `label`
    tells that the sentence so far is only a number, letter or caption such as `2.`."""

    before: str
    stop: str
    close: str
    opening: str
    following: str
    label: bool


def _starts_small(candidate: _Candidate) -> bool:
    """Return whether a lower-case word follows; `iPhone` and URLs do not count."""
    following = candidate.following
    if not following[:1].islower() or _URL.match(following):
        return False
    return following.lower() == following


def _opens_with_starter(candidate: _Candidate) -> bool:
    following = candidate.following
    return following[:1].isupper() and following.lower().replace("’", "'") in STARTERS


def _is_abbreviation(before: str) -> bool:
    return before.lower() in ABBREVIATIONS or _DOTTED.match(before) is not None


def _is_number(following: str) -> bool:
    """Return whether `following` is a number or a letter; `A` and `I` are words."""
    if following in ("A", "I"):
        return False
    return following[:1].isdigit() or len(following) == 1 or _ROMAN.match(following) is not None


def _ends_at_full_stop(candidate: _Candidate) -> bool:
    before, following = candidate.before, candidate.following
    word = before.lower()
    if candidate.label:
        return False
    if word in BEFORE_NUMBER and _is_number(following):
        return False
    if word in BEFORE_MORE:
        return False
    initial = len(before) == 1 and before.isalpha() and before != "I"
    name = word in EITHER_CAPITALISED and not before.islower()
    if initial or name or word in EITHER or _DOTTED.match(before):
        return _opens_with_starter(candidate)
    return True


def _starts_small_after_sentence(candidate: _Candidate) -> bool:
    """Return whether a plain full stop follows a common word. The next sentence may then begin
    with a lower-case letter."""
    before = candidate.before
    plain = candidate.stop == "." and not (candidate.close or candidate.opening or candidate.label)
    return plain and len(before) >= 3 and before.isalpha() and not _is_abbreviation(before)


def _ends_sentence(candidate: _Candidate) -> bool:
    if not candidate.following and not candidate.opening:
        return False
    if _starts_small(candidate):
        return _starts_small_after_sentence(candidate)
    if candidate.following[:1].isdigit() and "(" in candidate.opening:
        return False
    return candidate.stop != "." or _ends_at_full_stop(candidate)


_NO_PLAIN_WORDS = frozenset({*BEFORE_NUMBER, *BEFORE_MORE, *EITHER, *EITHER_CAPITALISED})


def _ends_plainly(found: re.Match[str], before: str, text: str) -> bool:
    """Return whether a full stop certainly ends a sentence, as most do.

    It follows a lower-case word that is neither an abbreviation nor a Roman numeral, and a capital
    letter follows. All other cases get a closer look.
    """
    return (
        text[found.end()] in ascii_uppercase
        and found[1] == "."
        and not found[2]
        and len(before) > 1
        and before.isascii()
        and before.isalpha()
        and before.islower()
        and before not in _NO_PLAIN_WORDS
        and bool(before.strip("ivx"))
    )


def _is_label(text: str, start: int, stop: int, before: str) -> bool:
    """Return whether `text[start:stop]`, or its part after a colon, only numbers the next
    text."""
    if _CAPTION.match(text, start, stop):
        return True
    if not _ENUMERATOR.match(before):
        return False
    opening = stop - len(before)
    return opening <= start or text[max(start, opening - 2) : opening].strip() in (":", ";")


def split_answer(text: str) -> list[int]:
    """Split as `split_by_rules`, but never after `ref. 5` or `refs. 5 and 6`."""
    starts = split_by_rules(text)
    if "ref" not in text and "Ref" not in text:
        return starts
    return [start for start in starts if not _REFERENCE.search(text, max(0, start - 8), start + 1)]


def split_by_rules(text: str) -> list[int]:
    """Return the sentence starts of `text`. The first is 0."""
    starts = [0] if text else []
    for found in _CANDIDATE.finditer(text):
        stop = found.start()
        word_before = _BEFORE.search(text[max(0, stop - _LONGEST_WORD) : stop])
        after = _NEXT.match(text, found.end())
        before = word_before[0] if word_before else ""
        if _ends_plainly(found, before, text):
            starts.append(found.end())
            continue
        candidate = _Candidate(
            before,
            found["stop"],
            found["close"],
            after["open"] if after else "",
            after["word"] if after else "",
            _is_label(text, starts[-1], stop, before),
        )
        if _ends_sentence(candidate):
            starts.append(found.end())
    return starts
