"""The questions of a study: its own dimensions are made, changed and taken from files here.

A wording that is there never changes. What a researcher changes becomes the next version of it; an
answer that was given keeps the one that was read. While nothing else may be answered than before,
the key stays, and all answers to it are counted together. Where other answers are possible now, or
about other units, the question is another one: it gets a key of its own (`fluency@2`), and the old
one is not asked in new batches.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db import transaction

from annotate.models import Study, User
from annotate.models.wording import current_dimensions, earlier_dimensions, wording_of
from annotate.protocol.dimensions import Derived, Dimension
from annotate.protocol.faults import Fault
from annotate.protocol.formulas import tested_answers
from annotate.protocol.presets import CUSTOM
from annotate.protocol.protocol import Protocol, ProtocolFile, pools_with
from annotate.protocol.shipped import SHIPPED
from annotate.protocol.study import StudyProtocol, form_digest
from annotate.protocol.written import MOST_VERSIONS, NotAProtocol, derived_fields
from annotate.studies.lifecycle import (
    Divided,
    add_places_to_write,
    create_study,
    refuse_undivided,
    write_guidelines,
)
from annotate.web import audit
from annotate.web.errors import Refused

MOST_OWN = 60
"""Own dimensions of a study, the former ones among them."""


class Unfit(Refused):
    """Questions that do not go together: which one, and what about it."""

    def __init__(self, dimension: Dimension, fault: Fault) -> None:
        super().__init__(f"“{dimension.title}”: {fault}")
        self.key = dimension.key
        self.fault = fault


@dataclass(frozen=True, slots=True)
class TakenWordings:
    """What a study would take from a protocol file."""

    new: list[Dimension]
    numbers: list[dict[str, Any]]
    asked: list[str]
    earlier: list[Dimension]
    """Wordings before the present ones, which answers from elsewhere may name."""


def keep_dimension(
    study: Study,
    dimension: Dimension,
    *,
    replaces: str = "",
    by: User | None = None,
    divided: Divided = lambda study: (),
) -> Dimension:
    """Make a dimension the study's own, or another version of the one that it replaces; returns it
    as it is kept. It is asked from now on where it is new, or the other one was. `divided` gives
    what is loaded, should raters write its claims now."""
    with transaction.atomic():
        locked = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        kept = in_stored_order(locked.protocol, dimension, replaces)
        if kept == locked.protocol.own.get(kept.key):
            return kept
        asked = asked_with(locked, kept, replaces)
        _write(locked, [kept], asked, locked.derived, by, divided)
        audit.note("dimensions-changed", locked, by=by, dimension=kept.key, version=kept.version)
    _refresh(study, locked)
    return kept


def in_stored_order(protocol: StudyProtocol, dimension: Dimension, replaces: str = "") -> Dimension:
    """With the key and version under which it would be kept, as a new one or in the place of the
    one that it replaces."""
    if not replaces:
        if dimension.key in protocol:
            raise Refused(f"There is a dimension with the key “{dimension.key}” already.")
        if dimension.key in protocol.derived:
            raise Refused(f"There is a number with the key “{dimension.key}” already.")
        return replace(dimension, version=1)
    refuse_unchangeable(protocol, replaces)
    before = protocol.own[replaces]
    if pools_with(before, dimension):
        same = replace(dimension, key=replaces, version=before.version)
        return same if same == before else replace(same, version=before.version + 1)
    return replace(dimension, key=following_key(protocol, replaces), version=1)


def refuse_unchangeable(protocol: StudyProtocol, key: str) -> None:
    """Refuse a dimension that is not changed but copied: one that came with Attest, or with a
    frozen protocol file."""
    if key not in protocol.own:
        raise Refused(f"“{key}” is not a dimension of this study's own. Make a copy of it.")
    if key in protocol.frozen:
        raise Refused(
            f"“{key}” comes from a frozen protocol file and stays as it is. Make a copy of it: "
            "“Copy and change” on the page “Dimensions”, or the same under another key."
        )


def refuse_unchangeable_number(protocol: StudyProtocol, key: str) -> None:
    """Refuse a number that came with Attest, or with a frozen protocol file."""
    if key not in {one["key"] for one in protocol.own_derived}:
        raise Refused(f"“{key}” is not a number of this study's own.")
    if key in protocol.frozen:
        raise Refused(
            f"“{key}” comes from a frozen protocol file and stays as it is. Make a new number "
            "with a key of its own."
        )


def following_key(protocol: Protocol, key: str) -> str:
    """The next free key of a question that has other answers than before: `fluency@2`."""
    base, _, number = key.partition("@")
    following = int(number or 1) + 1
    while f"{base}@{following}" in protocol:
        following += 1
    return f"{base}@{following}"


def asked_with(study: Study, kept: Dimension, replaces: str = "") -> list[str]:
    """What the study asks once it keeps a dimension: it is asked where it is new, or the one that
    it replaces was."""
    asked = [key for key in study.dimensions if key not in {replaces, kept.key}]
    if kept.of_people and (not replaces or replaces in study.dimensions):
        place = _place(study.dimensions, replaces, study.protocol, kept)
        asked.insert(min(place, len(asked)), kept.key)
        return asked
    return [key for key in study.dimensions if key != kept.key]


def faults_with(study: Study, kept: Dimension, asked: Sequence[str]) -> Iterator[tuple[str, Fault]]:
    """What would be wrong with what is asked, by key, once the study keeps a dimension."""
    protocol = with_own(study, kept, asked)
    yield from Protocol(protocol.of(asked)).faults()


def with_own(study: Study, kept: Dimension, asked: Sequence[str]) -> StudyProtocol:
    """What the study would know with one more dimension; nothing is written."""
    own = [*study.protocol.own.values(), kept]
    return StudyProtocol(asked, own, study.derived)


def _place(asked: Sequence[str], replaces: str, protocol: StudyProtocol, kept: Dimension) -> int:
    """Where it stands among what is asked: in the other one's place, or after what it hangs on."""
    if replaces in asked:
        return list(asked).index(replaces)
    if kept.comes_last:
        return len(asked)
    last = [place for place, key in enumerate(asked) if protocol[key].comes_last]
    return last[0] if last else len(asked)


def ask(
    study: Study,
    keys: Sequence[str],
    *,
    by: User | None = None,
    divided: Divided = lambda study: (),
) -> None:
    """Ask these dimensions, in this order."""
    protocol = study.protocol
    unknown = [key for key in keys if key not in protocol.asked]
    if unknown:
        raise Refused(f"The study knows no dimension “{unknown[0]}” that people can be asked.")
    with transaction.atomic():
        locked = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        if locked.dimensions == list(keys):
            return
        _write(locked, [], list(keys), locked.derived, by, divided)
        audit.note("dimensions-changed", locked, by=by, asked=list(keys))
    _refresh(study, locked)


def add(
    study: Study,
    keys: Iterable[str],
    *,
    by: User | None = None,
    divided: Divided = lambda study: (),
) -> None:
    """Ask these, too, with those on whose answers they depend: each at its place in the library, or
    where the study had it."""
    wanted = {*study.dimensions, *study.protocol.with_conditions([*keys])}
    ask(study, [key for key in study.protocol if key in wanted], by=by, divided=divided)


def stop(study: Study, key: str, *, by: User | None = None) -> None:
    """Ask it no more. What was answered stays."""
    hanging = [
        dimension.title
        for dimension, _ in study.protocol.depending_on(key)
        if dimension.key in study.dimensions
    ]
    if hanging:
        raise Refused(
            f"“{hanging[0]}” is asked only after certain answers to this one. Stop asking it first."
        )
    ask(study, [one for one in study.dimensions if one != key], by=by)


def keep_number(
    study: Study, number: Derived, *, replaces: str = "", by: User | None = None
) -> None:
    """Make a number the study's own, or say otherwise how one of its own is made. It is made anew
    of the answers whenever it is asked for, so that it has no versions."""
    with transaction.atomic():
        locked = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        _refuse_number(locked.protocol, number.key, replaces)
        made = derived_fields(number)
        numbers = [made if one["key"] == replaces else one for one in locked.derived]
        numbers = numbers if replaces else [*numbers, made]
        if len(numbers) > MOST_OWN:
            raise Refused(f"A study can have {MOST_OWN} numbers of its own.")
        _write_numbers(locked, numbers, by, number=number.key)
    _refresh(study, locked)


def remove_number(study: Study, key: str, *, by: User | None = None) -> None:
    """Make it no more. The answers that it was made of stay."""
    with transaction.atomic():
        locked = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        refuse_unchangeable_number(locked.protocol, key)
        numbers = [one for one in locked.derived if one["key"] != key]
        _write_numbers(locked, numbers, by, number=key, removed=True)
    _refresh(study, locked)


def _refuse_number(protocol: StudyProtocol, key: str, replaces: str) -> None:
    if replaces:
        refuse_unchangeable_number(protocol, replaces)
    if key == replaces:
        return
    if key in protocol:
        raise Refused(f"There is a dimension with the key “{key}” already.")
    if key in protocol.derived:
        raise Refused(f"There is a number with the key “{key}” already.")


def _write_numbers(study: Study, numbers: list[Any], by: User | None, **details: Any) -> None:
    rows = list(study.wordings.all())
    own = current_dimensions(rows)
    try:
        StudyProtocol(study.dimensions, own, numbers)
    except NotAProtocol as error:
        raise Refused(str(error.faults[0])) from error
    study.derived, study.form = numbers, form_digest(own, numbers, earlier_dimensions(rows))
    study.save(update_fields=["derived", "form"])
    audit.note("dimensions-changed", study, by=by, **details)


def to_take(study: Study, file: ProtocolFile) -> TakenWordings:
    """What the study would take from a file.

    Of a question that the study has in other words the file's are taken where they are a later
    version of the study's, which the file names among its earlier ones. Otherwise it is refused,
    since it would be two questions.
    """
    known = study.protocol
    new = []
    for key, dimension in file.protocol.items():
        here = known.get(key)
        if here is None or (key in known.changeable and _follows(file, dimension, here)):
            new.append(dimension)
        elif replace(here, version=dimension.version) != dimension:
            raise Refused(_clash(known, dimension, here))
    every = [derived_fields(one) for one in file.protocol.derived.values()]
    fresh = [one for one in every if one["key"] not in known.derived]
    for one in every:
        if one not in fresh and derived_fields(known.derived[one["key"]]) != one:
            raise Refused(f"The study has another number with the key “{one['key']}”.")
    asked = [*file.protocol.asked]
    earlier = _earlier(study, file, {one.key for one in new})
    return TakenWordings(new, fresh, asked or study.dimensions, earlier)


def _follows(file: ProtocolFile, dimension: Dimension, here: Dimension) -> bool:
    """Whether a file's dimension is a later version of the one that is here. That answers to both
    count together, reading the file has made sure."""
    return dimension.version > here.version and here in file.earlier


def _clash(known: StudyProtocol, dimension: Dimension, here: Dimension) -> str:
    """What is wrong with a dimension that is another one here, and what to do."""
    said = f"The study has another dimension with the key “{here.key}”"
    other = f"give the file's another key, such as “{following_key(known, here.key)}”"
    if here.key not in known.changeable:
        origin = "from a frozen protocol file" if here.key in known.own else "with Attest"
        return f"{said}, which comes {origin} and stays as it is: {other}."
    if not pools_with(here, dimension):
        return f"{said}, to which other answers can be given: {other}."
    return (
        f"{said}, in other words (version {here.version}). Change its words on the page "
        "“Dimensions” to those of the file, which makes them the next version, and load the file "
        "again; or take a file that has the study's words among its “earlier” ones; or, for two "
        f"dimensions, {other}."
    )


def _earlier(study: Study, file: ProtocolFile, new: Collection[str]) -> list[Dimension]:
    """Those of a file's earlier wordings that the study has not. One that is another here is
    refused: answers to it would be answers to both."""
    here = {(one.dimension, one.version): one.as_dimension for one in study.wordings.all()}
    own = {*new, *study.protocol.own}
    for one in file.earlier:
        if here.get((one.key, one.version), one) != one:
            raise Refused(
                f"The study has another version {one.version} of “{one.title}” ({one.key}). Give "
                "the file's dimension another key."
            )
    return [one for one in file.earlier if one.key in own and (one.key, one.version) not in here]


def take_file(
    study: Study,
    file: ProtocolFile,
    *,
    guidelines: bool = False,
    by: User | None = None,
    divided: Divided = lambda study: (),
) -> list[Dimension]:
    """Ask what a protocol file asks: what is new in it becomes the study's own, in the version that
    the file says. Returns that. With `guidelines` raters read the file's, too. What is the study's
    own and stands in a frozen file is changed no more."""
    with transaction.atomic():
        locked = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        taken = to_take(locked, file)
        numbers = [*locked.derived, *taken.numbers]
        if file.frozen:
            brought = [*file.protocol, *file.protocol.derived]
            library = {*SHIPPED, *SHIPPED.derived}
            locked.frozen = sorted({*locked.frozen, *brought} - library)
        _write(locked, [*taken.new, *taken.earlier], taken.asked, numbers, by, divided)
        if guidelines and file.guidelines.strip():
            write_guidelines(locked, file.guidelines, by)
        audit.note("dimensions-changed", locked, by=by, file=file.name)
    _refresh(study, locked)
    return taken.new


def create_study_of(
    file: ProtocolFile, *, name: str, owner: User | None, slug: str = "", description: str = ""
) -> Study:
    """A new study that asks what a protocol file asks, with its guidelines and its reading."""
    if not file.protocol.asked:
        raise Refused("The file asks people nothing.")
    with transaction.atomic():
        study = create_study(
            name=name,
            slug=slug,
            description=description,
            preset=CUSTOM,
            lines=file.lines,
            guidelines=file.guidelines,
            raters=file.raters,
            citations=file.citations,
            owner=owner,
        )
        take_file(study, file, by=owner)
    return study


def file_of(study: Study) -> ProtocolFile:
    """What the study asks, as a file that can be published."""
    protocol = study.protocol
    keys = protocol.with_conditions(study.dimensions)
    wanted = {*keys, *(protocol[key].part_of for key in keys)} - {""}
    dimensions = protocol.of(wanted)
    named = [
        one
        for one in protocol.derived.values()
        if {answer.dimension for answer in tested_answers(one)} <= wanted
    ]
    key = _key(study.slug)
    version, source = _after(key, audit.file_taken(study))
    return ProtocolFile(
        key=key,
        version=version,
        title=study.name,
        protocol=Protocol(dimensions, named),
        summary=study.description[:2_000],
        source=source,
        guidelines=study.current_guidelines.text,
        raters=min(study.raters_per_unit, 99),
        citations=min(study.citation_cap, 99),
        lines=study.lines,  # type: ignore[arg-type]  # the database checks it
        earlier=tuple(one for one in protocol.earlier if one.key in wanted),
    )


def _after(key: str, taken: audit.FileTaken | None) -> tuple[int, str]:
    """The version of a study's file, and after which other one it is made. Of the one that it is
    called after it is the next version, once it was changed."""
    if taken is None:
        return 1, ""
    name, _, version = taken.name.rpartition(" ")
    number = int(version) if name == key else 1
    if name == key and taken.is_changed:
        number = min(number + 1, MOST_VERSIONS)
    return number, f"After {taken.name}" + (", changed" if taken.is_changed else "")


def _key(slug: str) -> str:
    letters = "".join(c if c.isascii() and c.isalnum() else "_" for c in slug.lower())
    return (letters if letters[:1].isalpha() else f"p_{letters}")[:24]


def _write(
    study: Study,
    new: Iterable[Dimension],
    asked: list[str],
    derived: list[Any],
    by: User | None,
    divided: Divided,
) -> None:
    """Check that all goes together, and write it."""
    made = [wording_of(dimension, study.pk) for dimension in new]
    for wording in made:
        wording.created_by = by
    rows = [*study.wordings.all(), *made]
    every = current_dimensions(rows)
    if len(every) > MOST_OWN:
        raise Refused(f"A study can have {MOST_OWN} dimensions of its own.")
    protocol = StudyProtocol(asked, every, derived)
    for key, fault in Protocol(protocol.of(asked)).faults():
        raise Unfit(protocol[key], fault)
    if not asked:
        raise Refused("A study asks at least one dimension.")
    had_statements, wrote_claims = study.has_statements, study.writes_claims
    for wording in made:
        wording.save(force_insert=True)
    study.dimensions, study.derived = asked, derived
    study.form = form_digest(every, derived, earlier_dimensions(rows))
    refuse_undivided(study, had_statements=had_statements)
    study.save(update_fields=["dimensions", "derived", "form", "frozen"])
    add_places_to_write(study, divided, wrote_claims=wrote_claims)


def _refresh(study: Study, locked: Study) -> None:
    for name in ("dimensions", "derived", "form", "frozen"):
        setattr(study, name, getattr(locked, name))
