"""Copy a study to continue from: dimensions, guidelines and settings.

Optionally, the copy has its responses with their questions, and the designs of its batches.
Judgments, members and runs stay in the original.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from django.core.files.base import File
from django.db import transaction

from annotate.models import Study, System, Upload, User
from annotate.rating.batches import carry_designs
from annotate.studies import lifecycle as studies
from annotate.studies import wordings
from annotate.uploads.lifecycle import receive, start
from annotate.uploads.redividing import temporary_file
from annotate.web import audit

OF_SYSTEMS = ("name", "display_name", "description", "uses_autoais")


def copy_study(
    study: Study,
    *,
    name: str,
    owner: User | None,
    slug: str = "",
    description: str = "",
    outputs: Iterable[str] | None = None,
    questions: Iterable[str] = (),
    with_batches: bool = False,
) -> tuple[Study, Upload | None]:
    """Return the copy, and the upload that will load its responses.

    `outputs` are all responses, `questions` those without answers (in a second upload); a person
    loads both. Batches become drafts, whose tasks are drawn once there are responses.
    """
    description = description or study.description
    with _temporary_files(outputs, questions) as files, transaction.atomic():
        made = wordings.create_study_from(
            wordings.protocol_file_of(study),
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
        if with_batches:
            carry_designs(study, made, author=owner)
        taken = {"with_responses": bool(files), "with_batches": with_batches}
        audit.note("study-copied", study, by=owner, copy=made.slug, **taken)
        if not files:
            return made, None
        System.objects.bulk_create(
            System(study=made, **{field: getattr(system, field) for field in OF_SYSTEMS})
            for system in System.objects.filter(study=study)
        )
        uploads = [
            receive(made, file, name=f"{study.slug}{end}", author=owner, format=format)
            for format, end, file in files
        ]
    for upload in uploads:
        start(upload)
    return made, uploads[0]


@contextmanager
def _temporary_files(
    outputs: Iterable[str] | None, questions: Iterable[str]
) -> Iterator[list[tuple[str, str, File[bytes]]]]:
    """Yield the copy's files, each with its format and the end of its name. Without responses
    and questions, it is the empty file of responses, which is refused."""
    if outputs is None:
        yield []
        return
    with temporary_file(outputs) as responses_file, temporary_file(questions) as questions_file:
        found = [
            ("attest", ".jsonl", responses_file),
            ("questions", "-questions.jsonl", questions_file),
        ]
        yield [one for one in found if one[2].size] or found[:1]
