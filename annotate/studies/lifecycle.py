"""Making and changing studies, their guidelines and their systems."""

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
"""Divides the responses of a study that count once more, some at a time."""

RESERVED = {"new"}
"""Addresses under /studies/ that are pages of their own."""


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
    """A new study with its preset's dimensions, reading, raters per unit and first guidelines,
    where these are not given."""
    start = PRESETS[preset]
    chosen = _known(dimensions if dimensions is not None else start.dimensions)
    if slug and not _ADDRESS.fullmatch(slug):
        raise Refused(
            f"“{slug}” cannot be a study's address: use at most 60 letters, digits and hyphens."
        )
    wished = slug or slugify(name)[:50] or "study"
    if slug in RESERVED:
        raise Refused(f"The address “{slug}” is a page of Attest. Choose another.")
    with transaction.atomic():
        try:
            with transaction.atomic():
                study = Study.objects.create(
                    slug=wished if slug else _free_slug(wished),
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
                f"A study with the address “{wished}” exists already. Choose another."
            ) from None
        GuidelinesVersion.objects.create(
            study=study, number=1, text=guidelines or start.guidelines, created_by=owner
        )
        if owner is not None:
            Membership.objects.create(study=study, user=owner, role=Role.OWNER)
        audit.note("study-made", study, by=owner, preset=preset)
    return study


def read_strictly(study: Study) -> Study:
    """Read marks as ALCE's released code does, while nothing was divided otherwise."""
    with transaction.atomic():
        locked = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        if locked.reading != Study.Reading.STRICT:
            _refuse_if_divided(locked)
            locked.reading = Study.Reading.STRICT
            locked.save(update_fields=["reading"])
    return locked


def refuse_while_loading(study: Study) -> None:
    """Refuse to divide otherwise while a file is divided by the present settings."""
    if study.uploads.filter(state__in=[Upload.State.QUEUED, Upload.State.LOADING]).exists():
        raise Refused(
            "A file is being loaded and divided by the present settings. Wait until it is done."
        )


def refuse_while_deleting(study: Study) -> None:
    """Refuse to treat all answers otherwise while there are some that may be put back."""
    gone = System.every.filter(study=study, deleted_at__isnull=False).first()
    if gone is not None:
        raise Refused(
            f"The system “{gone.name}” was deleted and can be put back as it was. Put it back, or "
            "have it removed for good, on the page of what was deleted; then change this."
        )


def is_divided(study: Study) -> bool:
    """Whether responses were divided here, so that another division means to divide them again."""
    there = Response.objects.filter(
        study=study, replaced_at__isnull=True, upload__published_at__isnull=False
    )
    return study.has_statements and there.exclude(segmentation="").exists()


def _refuse_if_divided(study: Study) -> None:
    refuse_while_loading(study)
    if is_divided(study):
        raise Refused(
            "How answers are divided cannot change so any more: responses were divided. "
            "Have them divided again in the study's settings, or create another study to compare."
        )


def change_study(study: Study, *, division: Division, **settings: Any) -> Study:
    """Change settings, by the names of the study's fields. How text is divided is fixed once
    something was loaded: after that, `divide_again` orders it."""
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
    """Refuse to have anything rated in a study that is put aside."""
    if study.archived_at is not None:
        raise Refused("The study is archived. An owner can take it up again in its settings.")


def refuse_undivided(study: Study, *, had_statements: bool) -> None:
    """Refuse to ask about parts of responses that were loaded whole."""
    if study.has_statements == had_statements:
        return
    refuse_while_loading(study)
    if study.has_statements and study.uploads.filter(published_at__isnull=False).exists():
        raise Refused(
            "These dimensions need statements, but the responses here were loaded without "
            "dividing them. Create another study for them."
        )


def add_places_to_write(study: Study, divided: Divided, *, wrote_claims: bool) -> None:
    """Where raters write claims from now on, what is loaded gets the places to write them at."""
    if study.writes_claims and not wrote_claims:
        refuse_while_loading(study)
        refuse_while_deleting(study)
        add_places([(response.pk, found) for response, found in some] for some in divided(study))


def _known(dimensions: Sequence[str]) -> list[str]:
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


def _free_slug(wished: str) -> str:
    taken = {
        *RESERVED,
        *Study.every.filter(slug__startswith=wished).values_list("slug", flat=True),
    }
    number, slug = 1, wished
    while slug in taken:
        number += 1
        slug = f"{wished}-{number}"
    return slug


def write_guidelines(study: Study, text: str, author: User | None) -> GuidelinesVersion:
    """Save the text as the next version, or return the present one where nothing changed."""
    with transaction.atomic():
        Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        current = study.current_guidelines
        if current.text.strip() == text.strip():  # forms cut white space at both ends off
            return current
        written = GuidelinesVersion.objects.create(
            study=study, number=current.number + 1, text=text, created_by=author
        )
        audit.note("guidelines-written", written, by=author, version=written.number)
        return written


def change_system(
    system: System, *, name: str, description: str, uses_autoais: bool, display_name: str = ""
) -> System:
    """Rename or describe a system, or say that it used the metric itself.

    No two systems of a study are shown under one name.
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
