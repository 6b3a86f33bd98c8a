"""The fourteen columns of the long form, and their allowed values."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, get_args

from annotate.formats.limits import LONG_NAME_CHARS, NAME_CHARS, RUN_CHARS
from annotate.formats.problems import quoted
from annotate.formats.records import JudgeKind, JudgmentRecord, JudgmentRow, Problem, Where
from annotate.formats.repeats import SeenKeys
from annotate.formats.unit_keys import unit_kind
from annotate.protocol.answers import NotAnAnswerError
from annotate.protocol.dimensions import IS_WRITTEN, Dimension, UnitKind
from annotate.protocol.natural import Words

COLUMNS = (
    "study",
    "system",
    "run",
    "question_id",
    "unit",
    "dimension",
    "judge",
    "judge_kind",
    "value",
    "score",
    "skipped_reason",
    "seconds",
    "note",
    "created",
)
REQUIRED = ("system", "question_id", "unit", "dimension", "judge", "judge_kind")
OPTIONAL = tuple(name for name in COLUMNS if name not in REQUIRED)
STANDING, COUNTED = "standing", "counted"
STANDING_COLUMNS = (STANDING, COUNTED)
"""Optional columns. Attest writes them at the end."""

CLAIM = "claim"
"""Column with a written claim as a JSON object, or empty."""

VERSION = "version"
"""Column with the version of the dimension's wording, for studies with their own dimensions."""

ANSWER = "answer"
"""Key of JSON Lines only: the meaning of `value`, for answers other than a single choice."""

OTHER = ("other_system", "other_run")
"""Columns that name the response that a pair compares with. The number in the pair's key is valid
only in the study that wrote the file."""

EXTRA_COLUMNS = (*STANDING_COLUMNS, CLAIM, VERSION, *OTHER)
"""All optional columns in addition to the fourteen."""

STANDING_VALUES = ("active", "paused", "excluded")
COUNTED_VALUES = ("yes", "unfinished", "excluded")
RATERS = ("human", "simulated")
_AGGREGATED_KINDS = ("majority", "adjudicated")
"""Judges whose answers may combine several answers: see `Dimension.of_labels`."""
NUMBERS = {
    "score": (1.0, "a number from 0 to 1"),
    "seconds": (float("inf"), "a number of seconds from 0"),
}
"""Columns with numbers: the highest value, and a description."""
TEXTS = tuple(name for name in COLUMNS if name not in NUMBERS)

_LONGEST = {
    "study": NAME_CHARS,
    "system": NAME_CHARS,
    "run": RUN_CHARS,
    "question_id": NAME_CHARS,
    "judge": LONG_NAME_CHARS,
    "skipped_reason": NAME_CHARS,
    "other_system": NAME_CHARS,
    "other_run": RUN_CHARS,
}
_FILLED = ("system", "question_id", "judge")
EARLIEST, LATEST = 1900, 2199
_JUDGE_KINDS: dict[str, JudgeKind] = {kind: kind for kind in get_args(JudgeKind)}


def judgment_row(
    texts: Mapping[str, str],
    score: float | None,
    seconds: float | None,
    where: Where,
    repeats: SeenKeys,
    problems: list[Problem],
    dimensions: Mapping[str, Dimension],
    claim: Any = None,
    words: Words = (),
) -> JudgmentRow | None:
    """Return the row if every field is valid; add faults to `problems`. `claim` is the decoded
    JSON of the claim."""
    dimension = dimensions.get(texts["dimension"])
    problems += _problems(texts, where, dimension, dimensions)
    problems += _claim_problems(texts, where, claim, dimension, dimensions)
    problems += _other_problems(texts, where)
    if problems:
        return None
    row = JudgmentRow(
        where=where,
        study=texts["study"],
        system=texts["system"],
        run=texts["run"],
        question_id=texts["question_id"],
        judgment=JudgmentRecord(
            unit=texts["unit"],
            dimension=texts["dimension"],
            judge=texts["judge"],
            judge_kind=_JUDGE_KINDS[texts["judge_kind"]],
            value=texts["value"],
            score=score,
            skipped_reason=texts["skipped_reason"],
            seconds=seconds,
            note=texts["note"],
            created=texts["created"],
            where=where,
            standing=texts.get(STANDING, ""),
            counted=texts.get(COUNTED, ""),
            claim=claim,
            version=texts.get(VERSION) or None,
            words=words,
            other_system=texts.get(OTHER[0]) or None,
            other_run=texts.get(OTHER[1], "") if texts.get(OTHER[0]) else None,
        ),
    )
    key = (row.study, row.system, row.run, row.question_id)
    judged = row.judgment
    about = judged.unit, judged.other_system or "", judged.other_run or ""
    if judged.other_system:
        about = "", *about[1:]  # the other response identifies a pair, not its number
    earlier = repeats.first(where, *key, *about, judged.dimension, judged.judge)
    if earlier:
        expected = "one judgment for each judge, unit and dimension"
        problems.append(Problem(where, expected, f"a second one; the first is at {earlier}"))
        return None
    return row


CLAIM_EXPECTED = 'an object such as {"text": "It rains", "spans": [[0, 8]], "proposal": ""}'


def _claim_problems(
    texts: Mapping[str, str],
    where: Where,
    claim: Any,
    dimension: Dimension | None,
    dimensions: Mapping[str, Dimension],
) -> Iterator[Problem]:
    """Check that only a yes to the question for its text has a claim. A yes without a claim is
    fine: a label made from many answers has no text of its own."""
    if claim is None or claim == {}:
        return
    writes = dimension is not None and dimension.writes
    is_wanted = writes and texts["value"] == IS_WRITTEN
    if not is_wanted or not _is_claim(claim):
        names = " or ".join(key for key, one in dimensions.items() if one.writes)
        expected = CLAIM_EXPECTED if is_wanted else f"nothing: only yes to {names} has a claim"
        yield Problem(where.at(CLAIM), expected, quoted(str(claim)))


def _is_claim(claim: Any) -> bool:
    if not isinstance(claim, dict) or claim.keys() != {"text", "spans", "proposal"}:
        return False
    spans = claim["spans"]
    return (
        all(isinstance(claim[name], str) for name in ("text", "proposal"))
        and isinstance(spans, list)
        and bool(spans)
        and all(
            isinstance(span, list)
            and [type(place) for place in span] == [int, int]
            and 0 <= span[0] < span[1] < 2**31
            for span in spans
        )
    )


def _problems(
    texts: Mapping[str, str],
    where: Where,
    dimension: Dimension | None,
    dimensions: Mapping[str, Dimension],
) -> Iterator[Problem]:
    def bad(field: str, expected: str) -> Problem:
        found = quoted(texts[field]) if texts[field] else "nothing"
        return Problem(where.at(field), expected, found)

    for field, longest in _LONGEST.items():
        if len(texts.get(field, "")) > longest:
            yield bad(field, f"at most {longest} characters")
    for field in _FILLED:
        if not texts[field].strip():
            yield bad(field, "a text that is not blank")
    if texts["judge_kind"] not in _JUDGE_KINDS:
        yield bad("judge_kind", f"one of {', '.join(_JUDGE_KINDS)}")
    standing = texts.get(STANDING, "")
    if standing and standing not in STANDING_VALUES:
        yield bad(STANDING, f"one of {', '.join(STANDING_VALUES)}, or nothing")
    elif standing not in {"", "active"} and texts["judge_kind"] not in RATERS:
        yield bad(STANDING, "active, or nothing: only raters are paused or excluded")
    counted = texts.get(COUNTED, "")
    if counted and texts["judge_kind"] not in RATERS:
        yield bad(COUNTED, "nothing: it is said of raters' answers")
    elif counted and counted not in COUNTED_VALUES:
        yield bad(COUNTED, f"one of {', '.join(COUNTED_VALUES)}, or nothing")
    elif counted == "excluded" and standing != "excluded":
        yield bad(COUNTED, "another word where the rater's standing is not excluded")
    kind = unit_kind(texts["unit"])
    if kind is None:
        yield bad("unit", "a unit's key such as r, s1, s1.c2, s1.a1, s1.a1.c2, s1.g1, vs1 or k1")
    if dimension is None:
        yield bad("dimension", f"one of {', '.join(dimensions)}")
    elif kind is not None and kind != dimension.unit_kind:
        meant = dimension.unit_kind.value.replace("_", " ")
        yield bad("unit", f"the key of a {meant}, which {dimension.key} is about")
    value, reason = texts["value"], texts["skipped_reason"]
    if value and reason:
        yield bad("skipped_reason", "nothing, since there is a value")
    elif not value and not reason:
        yield bad("value", "a value, or a reason in skipped_reason")
    elif value and dimension is not None:
        asked = dimension_for(dimension, texts["judge_kind"])
        try:
            is_written = asked.read(value) == value
        except NotAnAnswerError as error:
            yield bad("value", error.expected)
        else:
            if not is_written:
                yield bad("value", f"“{asked.read(value)}”, which is how that is written")
    version = texts.get(VERSION, "")
    if version and dimension is not None and not _is_version(version, dimension):
        yield bad(
            VERSION, f"a version of {dimension.key} from 1 to {dimension.version}, or nothing"
        )
    if texts["created"] and not _is_time(texts["created"]):
        expected = "a date and time such as 2024-05-01T12:30:00Z, from 1900 to 2199, or nothing"
        yield bad("created", expected)


def dimension_for(dimension: Dimension, judge_kind: str) -> Dimension:
    """Return the dimension as such a judge answers it. Labels may combine answers."""
    return dimension.of_labels if judge_kind in _AGGREGATED_KINDS else dimension


def _other_problems(texts: Mapping[str, str], where: Where) -> Iterator[Problem]:
    """Check that pairs, and only pairs, name the other response."""
    kind, other = unit_kind(texts["unit"]), texts.get(OTHER[0], "")
    place = where.at(OTHER[0])
    if kind is UnitKind.PAIR and not other.strip():
        expected = "the name of the system whose answer it is compared with"
        yield Problem(place, expected, quoted(other) if other else "nothing")
    elif kind not in {UnitKind.PAIR, None} and any(texts.get(name) for name in OTHER):
        expected = "nothing: only a pair has another answer"
        yield Problem(place, expected, quoted(other or texts[OTHER[1]]))


def _is_version(text: str, dimension: Dimension) -> bool:
    versions = range(1, dimension.version + 1)
    return text.isascii() and text.isdigit() and len(text) < 6 and int(text) in versions


def _is_time(text: str) -> bool:
    """Return whether a text is a date and time that every database can store."""
    try:
        year = datetime.fromisoformat(text).year
    except ValueError:
        return False
    return len(text) > len("2024-05-01") and text.isascii() and EARLIEST <= year <= LATEST
