"""Create and change studies, their guidelines and their systems."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.text import slugify

from annotate.content.written_claims import add_places
from annotate.models import (
    GuidelinesVersion,
    Membership,
    Response,
    Role,
    Study,
    System,
    Upload,
    User,
)
from annotate.protocol.presets import PRESETS
from annotate.protocol.shipped import SHIPPED
from annotate.text import Division, Segmentation
from annotate.web import audit
from annotate.web.errors import Refused

Divided = Callable[[Study], Iterable[list[tuple[Response, Segmentation]]]]
"""Divides the current responses of a study again and yields them in batches."""

RESERVED = {"new"}
"""Addresses under /studies/ that are other pages."""

_ADDRESS = re.compile(r"[a-zA-Z0-9_-]{1,60}")


def create_study(
    *,
    name: str,
    preset: str,
    owner: User | None,
    slug: str = "",
    description: str = "",
    dimensions: Sequence[str] | None = None,
    lines: str | None = None,
    guidelines: str | None = None,
    raters: int | None = None,
    citations: int | None = None,
    is_demo: bool = False,
) -> Study:
    """Create a study. Settings that are not given are the preset's."""
    start = PRESETS[preset]
    chosen = _checked(dimensions if dimensions is not None else start.dimensions)
    if slug and not _ADDRESS.fullmatch(slug):
        raise Refused(
            f"“{slug}” cannot be a study's address: use at most 60 letters, digits and hyphens."
        )
    base = slug or slugify(name)[:50] or "study"
    if slug in RESERVED:
        raise Refused(f"The address “{slug}” is a page of Attest. Choose another.")
    with transaction.atomic():
        try:
            with transaction.atomic():
                study = Study.objects.create(
                    slug=base if slug else _free_slug(base),
                    name=name,
                    description=description,
                    preset=preset,
                    dimensions=chosen,
                    raters_per_unit=raters or start.raters_per_unit,
                    citation_cap=citations or start.citations,
                    lines=lines or start.lines,
                    is_demo=is_demo,
                )
        except IntegrityError:
            raise Refused(
                f"A study with the address “{base}” exists already. Choose another."
            ) from None
        GuidelinesVersion.objects.create(
            study=study, number=1, text=guidelines or start.guidelines, created_by=owner
        )
        if owner is not None:
            Membership.objects.create(study=study, user=owner, role=Role.OWNER)
        audit.note("study-made", study, by=owner, preset=preset)
    return study


def read_strictly(study: Study) -> Study:
    """Read marks like ALCE's released code. Refused if responses were divided otherwise."""
    with transaction.atomic():
        locked = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        if locked.reading != Study.Reading.STRICT:
            _refuse_if_divided(locked)
            locked.reading = Study.Reading.STRICT
            locked.save(update_fields=["reading"])
    return locked


def refuse_while_loading(study: Study) -> None:
    """Refuse to change the division while a file is being loaded."""
    if study.uploads.filter(state__in=[Upload.State.QUEUED, Upload.State.LOADING]).exists():
        raise Refused(
            "A file is being loaded and divided by the present settings. Wait until it is done."
        )


def refuse_while_deleting(study: Study) -> None:
    """Refuse to change all responses while a deleted system can be restored."""
    gone = System.every.filter(study=study, deleted_at__isnull=False).first()
    if gone is not None:
        raise Refused(
            f"The system “{gone.name}” was deleted and can be put back as it was. Put it back, or "
            "have it removed for good, on the page of what was deleted; then change this."
        )


def is_divided(study: Study) -> bool:
    """Whether the study has divided responses, which another division would change."""
    loaded = Response.objects.filter(
        study=study, replaced_at__isnull=True, upload__published_at__isnull=False
    )
    return study.has_statements and loaded.exclude(segmentation="").exists()


def _refuse_if_divided(study: Study) -> None:
    refuse_while_loading(study)
    if is_divided(study):
        raise Refused(
            "How answers are divided cannot change so any more: responses were divided. "
            "Have them divided again in the study's settings, or create another study to compare."
        )


def change_study(study: Study, *, division: Division, **settings: Any) -> Study:
    """Change settings, by the names of the study's fields.

    The division cannot change once responses are divided; `divide_again` starts that job.
    """
    with transaction.atomic():
        locked = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        if division != locked.division:
            _refuse_if_divided(locked)
        for name, value in {**settings, **asdict(division)}.items():
            setattr(locked, name, value)
        locked.tags = ", ".join(locked.tag_list)
        locked.save()
        judge = locked.primary_judge
        audit.note("study-changed", locked, primary_judge=judge, **asdict(division))
    return locked


def refuse_archived(study: Study) -> None:
    """Refuse ratings in an archived study."""
    if study.archived_at is not None:
        raise Refused("The study is archived. An owner can take it up again in its settings.")


def refuse_undivided(study: Study, *, had_statements: bool) -> None:
    """Refuse dimensions of statements if responses were loaded undivided."""
    if study.has_statements == had_statements:
        return
    refuse_while_loading(study)
    if study.has_statements and study.uploads.filter(published_at__isnull=False).exists():
        raise Refused(
            "These dimensions need statements, but the responses here were loaded without "
            "dividing them. Create another study for them."
        )


def add_places_to_write(study: Study, divided: Divided, *, wrote_claims: bool) -> None:
    """Add units for raters' claims to the loaded responses, if raters now write claims."""
    if study.writes_claims and not wrote_claims:
        refuse_while_loading(study)
        refuse_while_deleting(study)
        add_places([(response.pk, found) for response, found in some] for some in divided(study))


def _checked(dimensions: Sequence[str]) -> list[str]:
    every = SHIPPED.asked
    unknown = [key for key in dimensions if key not in every]
    if unknown:
        known = ", ".join(every)
        raise Refused(f"Unknown dimension: {', '.join(unknown)}. People can be asked: {known}.")
    chosen = [key for key in every if key in dimensions]
    if not chosen:
        raise Refused("Choose at least one dimension.")
    for key in chosen:
        for condition in every[key].shown_when:
            if condition.dimension not in chosen:
                first = every[condition.dimension].title
                raise Refused(f"“{every[key].title}” is only asked after “{first}”: choose both.")
    return chosen


def _free_slug(base: str) -> str:
    similar = Study.every.filter(slug__startswith=base).values_list("slug", flat=True)
    taken = {*RESERVED, *similar}
    number, slug = 1, base
    while slug in taken:
        number += 1
        slug = f"{base}-{number}"
    return slug


def write_guidelines(study: Study, text: str, author: User | None) -> GuidelinesVersion:
    """Save the text as the next version, or return the current one if it is the same."""
    with transaction.atomic():
        Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        current = study.current_guidelines
        if current.text.strip() == text.strip():  # forms strip white space at both ends
            return current
        written = GuidelinesVersion.objects.create(
            study=study, number=current.number + 1, text=text, created_by=author
        )
        audit.note("guidelines-written", written, by=author, version=written.number)
        return written


def change_system(
    system: System, *, name: str, description: str, uses_autoais: bool, display_name: str = ""
) -> System:
    """Change the name and description of a system, and whether it used AutoAIS itself.

    Displayed names are unique in a study.
    """
    system.name, system.display_name = name, display_name
    system.description, system.uses_autoais = description, uses_autoais
    others = System.objects.filter(study=system.study_id).exclude(pk=system.pk)
    if any(other.title == system.title for other in others):
        raise _is_called(system.title)
    try:
        with transaction.atomic():
            system.save(update_fields=["name", "display_name", "description", "uses_autoais"])
            audit.note("system-changed", system, uses_autoais=uses_autoais)
    except IntegrityError:
        raise _is_called(name) from None
    return system


def _is_called(name: str) -> Refused:
    return Refused(f"Another system of this study is called “{name}”.")
