"""Save, change, import and activate a study's own dimensions and numbers.

A wording never changes. A changed text becomes the next version, and each answer keeps the version
that its rater read. While the possible answers stay the same, the key stays, and the answers to all
versions are counted together. Other possible answers, or another unit, make another dimension with
its own key (`fluency@2`); new batches do not have the old one.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
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
"""The limit of a study's own dimensions, including inactive ones."""


@dataclass(frozen=True, slots=True)
class ProtocolImport:
    """The effects of a protocol file on a study."""

    new: list[Dimension]
    numbers: list[dict[str, Any]]
    asked: list[str]
    earlier: list[Dimension]
    """Earlier wordings, which imported answers may name."""


@contextmanager
def _changing(study: Study) -> Iterator[Study]:
    """Yield the locked study in a transaction, then copy the saved fields to `study`."""
    with transaction.atomic():
        locked = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        yield locked
    for name in ("dimensions", "derived", "form", "frozen"):
        setattr(study, name, getattr(locked, name))


def save_dimension(
    study: Study,
    dimension: Dimension,
    *,
    replaces: str = "",
    by: User | None = None,
    divided: Divided = lambda study: (),
) -> Dimension:
    """Save a new dimension, or the next version of the one that it replaces, and return it.

    It becomes active if it is new or the replaced one was active. `divided` yields the divided
    responses, which are needed if raters now write claims.
    """
    with _changing(study) as locked:
        saved = versioned(locked.protocol, dimension, replaces)
        if saved == locked.protocol.own.get(saved.key):
            return saved
        active = active_with(locked, saved, replaces)
        _write(locked, [saved], active, locked.derived, by, divided)
        audit.note("dimensions-changed", locked, by=by, dimension=saved.key, version=saved.version)
    return saved


def versioned(protocol: StudyProtocol, dimension: Dimension, replaces: str = "") -> Dimension:
    """Return the dimension with the key and version that it is saved with."""
    if not replaces:
        _refuse_taken(protocol, dimension.key)
        return replace(dimension, version=1)
    refuse_fixed(protocol, replaces)
    before = protocol.own[replaces]
    if pools_with(before, dimension):
        same = replace(dimension, key=replaces, version=before.version)
        return same if same == before else replace(same, version=before.version + 1)
    return replace(dimension, key=following_key(protocol, replaces), version=1)


def _refuse_taken(protocol: StudyProtocol, key: str) -> None:
    if key in protocol:
        raise Refused(f"There is a dimension with the key “{key}” already.")
    if key in protocol.derived:
        raise Refused(f"There is a number with the key “{key}” already.")


def refuse_fixed(protocol: StudyProtocol, key: str) -> None:
    """Refuse to change a dimension that comes with Attest or a frozen protocol file."""
    if key not in protocol.own:
        raise Refused(f"“{key}” is not a dimension of this study's own. Make a copy of it.")
    if key in protocol.frozen:
        raise Refused(
            f"“{key}” comes from a frozen protocol file and stays as it is. Make a copy of it: "
            "“Copy and change” on the page “Dimensions”, or the same under another key."
        )


def refuse_fixed_number(protocol: StudyProtocol, key: str) -> None:
    """Refuse to change a number that comes with Attest or a frozen protocol file."""
    if key not in {one["key"] for one in protocol.own_derived}:
        raise Refused(f"“{key}” is not a number of this study's own.")
    if key in protocol.frozen:
        raise Refused(
            f"“{key}” comes from a frozen protocol file and stays as it is. Make a new number "
            "with a key of its own."
        )


def following_key(protocol: Protocol, key: str) -> str:
    """Return the next free key of a dimension with other answers than before: `fluency@2`."""
    base, _, number = key.partition("@")
    following = int(number or 1) + 1
    while f"{base}@{following}" in protocol:
        following += 1
    return f"{base}@{following}"


def active_with(study: Study, saved: Dimension, replaces: str = "") -> list[str]:
    """Return the keys of the active dimensions once this one is saved."""
    active = [key for key in study.dimensions if key not in {replaces, saved.key}]
    if not saved.of_people or (replaces and replaces not in study.dimensions):
        return [key for key in study.dimensions if key != saved.key]
    last = [place for place, key in enumerate(active) if study.protocol[key].comes_last]
    if replaces:
        place = study.dimensions.index(replaces)
    else:
        place = last[0] if last and not saved.comes_last else len(active)
    active.insert(place, saved.key)
    return active


def faults_with(
    study: Study, saved: Dimension, active: Sequence[str]
) -> Iterator[tuple[str, Fault]]:
    """Yield the faults of the active dimensions, by key, once this one is saved."""
    protocol = protocol_with(study, saved, active)
    yield from Protocol(protocol.of(active)).faults()


def protocol_with(study: Study, draft: Dimension, active: Sequence[str]) -> StudyProtocol:
    """Return the study's protocol with one more dimension. Nothing is saved."""
    own = [*study.protocol.own.values(), draft]
    return StudyProtocol(active, own, study.derived)


def set_active(
    study: Study,
    keys: Sequence[str],
    *,
    by: User | None = None,
    divided: Divided = lambda study: (),
) -> None:
    """Set the active dimensions and their order."""
    unknown = [key for key in keys if key not in study.protocol.asked]
    if unknown:
        raise Refused(f"The study knows no dimension “{unknown[0]}” that people can be asked.")
    with _changing(study) as locked:
        if locked.dimensions != list(keys):
            _write(locked, [], list(keys), locked.derived, by, divided)
            audit.note("dimensions-changed", locked, by=by, asked=list(keys))


def activate(
    study: Study,
    keys: Iterable[str],
    *,
    by: User | None = None,
    divided: Divided = lambda study: (),
) -> None:
    """Add dimensions and their prerequisites, in the order of the library or of the study."""
    wanted = {*study.dimensions, *study.protocol.with_conditions([*keys])}
    set_active(study, [key for key in study.protocol if key in wanted], by=by, divided=divided)


def deactivate(study: Study, key: str, *, by: User | None = None) -> None:
    """Remove a dimension from the active ones. Its answers stay."""
    hanging = [
        dimension.title
        for dimension, _ in study.protocol.depending_on(key)
        if dimension.key in study.dimensions
    ]
    if hanging:
        raise Refused(
            f"“{hanging[0]}” is asked only after certain answers to this one. Stop asking it first."
        )
    set_active(study, [one for one in study.dimensions if one != key], by=by)


def save_number(
    study: Study, number: Derived, *, replaces: str = "", by: User | None = None
) -> None:
    """Save a derived number, new or changed.

    It has no versions, because it is always computed from the answers.
    """
    with _changing(study) as locked:
        if replaces:
            refuse_fixed_number(locked.protocol, replaces)
        if number.key != replaces:
            _refuse_taken(locked.protocol, number.key)
        made = derived_fields(number)
        numbers = [made if one["key"] == replaces else one for one in locked.derived]
        numbers = numbers if replaces else [*numbers, made]
        if len(numbers) > MOST_OWN:
            raise Refused(f"A study can have {MOST_OWN} numbers of its own.")
        _write_numbers(locked, numbers, by, number=number.key)


def remove_number(study: Study, key: str, *, by: User | None = None) -> None:
    """Delete a derived number. The answers stay."""
    with _changing(study) as locked:
        refuse_fixed_number(locked.protocol, key)
        numbers = [one for one in locked.derived if one["key"] != key]
        _write_numbers(locked, numbers, by, number=key, removed=True)


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


def plan_import(study: Study, file: ProtocolFile) -> ProtocolImport:
    """Return the effects of a protocol file on the study.

    If the study has a dimension in another wording, the file's is taken if it is a later version
    and the file names the study's among its earlier ones. Otherwise it is refused, because answers
    to two questions would be mixed.
    """
    known = study.protocol
    new = []
    for key, dimension in file.protocol.items():
        here = known.get(key)
        if here is None or (key in known.changeable and _follows(file, dimension, here)):
            new.append(dimension)
        elif replace(here, version=dimension.version) != dimension:
            raise Refused(_clash(known, dimension, here))
    fresh = []
    for one in (derived_fields(number) for number in file.protocol.derived.values()):
        if one["key"] not in known.derived:
            fresh.append(one)
        elif derived_fields(known.derived[one["key"]]) != one:
            raise Refused(f"The study has another number with the key “{one['key']}”.")
    asked = [*file.protocol.asked]
    earlier = _earlier(study, file, {one.key for one in new})
    return ProtocolImport(new, fresh, asked or study.dimensions, earlier)


def _follows(file: ProtocolFile, dimension: Dimension, here: Dimension) -> bool:
    """Whether a file's dimension is a later version of the study's.

    Reading the file has checked that answers to both count together.
    """
    return dimension.version > here.version and here in file.earlier


def _clash(known: StudyProtocol, dimension: Dimension, here: Dimension) -> str:
    """Return why a file's dimension conflicts with the study's, and what to do."""
    fault = f"The study has another dimension with the key “{here.key}”"
    other = f"give the file's another key, such as “{following_key(known, here.key)}”"
    if here.key not in known.changeable:
        origin = "from a frozen protocol file" if here.key in known.own else "with Attest"
        return f"{fault}, which comes {origin} and stays as it is: {other}."
    if not pools_with(here, dimension):
        return f"{fault}, to which other answers can be given: {other}."
    return (
        f"{fault}, in other words (version {here.version}). Change its words on the page "
        "“Dimensions” to those of the file, which makes them the next version, and load the file "
        "again; or take a file that has the study's words among its “earlier” ones; or, for two "
        f"dimensions, {other}."
    )


def _earlier(study: Study, file: ProtocolFile, new: Collection[str]) -> list[Dimension]:
    """Return the file's earlier wordings that the study does not have.

    A wording that differs from the study's is refused, because its answers would be mixed.
    """
    here = {(one.dimension, one.version): one.as_dimension for one in study.wordings.all()}
    own = {*new, *study.protocol.own}
    for one in file.earlier:
        if here.get((one.key, one.version), one) != one:
            raise Refused(
                f"The study has another version {one.version} of “{one.title}” ({one.key}). Give "
                "the file's dimension another key."
            )
    return [one for one in file.earlier if one.key in own and (one.key, one.version) not in here]


def import_file(
    study: Study,
    file: ProtocolFile,
    *,
    guidelines: bool = False,
    by: User | None = None,
    divided: Divided = lambda study: (),
) -> list[Dimension]:
    """Set the active dimensions from a protocol file, and return the new ones.

    New dimensions become the study's own, with the file's versions; those of a frozen file cannot
    be changed. With `guidelines`, the file's become the study's.
    """
    with _changing(study) as locked:
        plan = plan_import(locked, file)
        numbers = [*locked.derived, *plan.numbers]
        if file.frozen:
            imported = [*file.protocol, *file.protocol.derived]
            library = {*SHIPPED, *SHIPPED.derived}
            locked.frozen = sorted({*locked.frozen, *imported} - library)
        _write(locked, [*plan.new, *plan.earlier], plan.asked, numbers, by, divided)
        if guidelines and file.guidelines.strip():
            write_guidelines(locked, file.guidelines, by)
        audit.note("dimensions-changed", locked, by=by, file=file.name)
    return plan.new


def create_study_from(
    file: ProtocolFile, *, name: str, owner: User | None, slug: str = "", description: str = ""
) -> Study:
    """Create a study from a protocol file: its dimensions, guidelines and reading."""
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
        import_file(study, file, by=owner)
    return study


def protocol_file_of(study: Study) -> ProtocolFile:
    """Return the active dimensions as a protocol file."""
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
    """Return the version of a study's file and its source, the file that was imported last.

    A changed import with the same name gets the next version.
    """
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
    """Check the dimensions together, and save them."""
    made = [wording_of(dimension, study.pk) for dimension in new]
    for wording in made:
        wording.created_by = by
    rows = [*study.wordings.all(), *made]
    every = current_dimensions(rows)
    if len(every) > MOST_OWN:
        raise Refused(f"A study can have {MOST_OWN} dimensions of its own.")
    protocol = StudyProtocol(asked, every, derived)
    for key, fault in Protocol(protocol.of(asked)).faults():
        raise Refused(f"“{protocol[key].title}”: {fault}")
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
