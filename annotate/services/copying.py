"""A copy of a study, to go on from: what it asks, its guidelines and settings, and its responses
where these are wanted.

What people and judges said stays where it was said, and so do members, batches and runs.
"""

from collections.abc import Iterable
from contextlib import nullcontext

from django.db import transaction

from annotate.models import Study, System, Upload, User
from annotate.services import audit, studies, wordings
from annotate.services.uploads.lifecycle import start
from annotate.services.uploads.own_outputs import receive_outputs, written

OF_SYSTEMS = ("name", "display_name", "description", "uses_autoais")


def copy_study(
    study: Study,
    *,
    name: str,
    owner: User | None,
    slug: str = "",
    description: str = "",
    outputs: Iterable[str] | None = None,
) -> tuple[Study, Upload | None]:
    """The copy, described as the study is unless otherwise said, and the upload that brings
    `outputs`, all responses of the study, once somebody has it loaded."""
    description = description or study.description
    with nullcontext() if outputs is None else written(outputs) as file, transaction.atomic():
        made = wordings.create_study_of(
            wordings.file_of(study),
            name=name,
            owner=owner,
            slug=slug,
            description=description,
        )
        for field in ("preset", "seed", "dimensions"):
            setattr(made, field, getattr(study, field))
        own = {*made.protocol.own, *(one["key"] for one in made.derived)}
        made.frozen = [key for key in study.frozen if key in own]
        made.save(update_fields=["preset", "seed", "dimensions", "frozen"])
        made = studies.change_study(
            made,
            name=name,
            description=description,
            raters_per_unit=study.raters_per_unit,
            citation_cap=study.citation_cap,
            division=study.division,
            shared_words=study.shared_words,
            tags=study.tags,
        )
        with_responses = file is not None
        audit.note("study-copied", study, by=owner, copy=made.slug, with_responses=with_responses)
        if file is None:
            return made, None
        System.objects.bulk_create(
            System(study=made, **{field: getattr(system, field) for field in OF_SYSTEMS})
            for system in System.objects.filter(study=study)
        )
        upload = receive_outputs(made, file, name=f"{study.slug}.jsonl", author=owner)
    start(upload)
    return made, upload
