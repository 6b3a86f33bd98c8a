"""A copy of a study, to go on from: what it asks, its guidelines and settings, and its responses
with the questions that it has by themselves, and the designs of its batches, where these are
wanted.

What people and judges said stays where it was said, and so do members and runs.
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
from annotate.uploads.redividing import written
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
    """The copy, described as the study is unless otherwise said, and the upload that brings
    `outputs`, all responses of the study, once somebody has it loaded; so does another one
    `questions`, those that it has by themselves. Of batches it has drafts, whose tasks are drawn
    once responses are there."""
    description = description or study.description
    with _written(outputs, questions) as files, transaction.atomic():
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
def _written(
    outputs: Iterable[str] | None, questions: Iterable[str]
) -> Iterator[list[tuple[str, str, File[bytes]]]]:
    """The files that bring what a copy has, each with its format and how its name ends. Where there
    are neither responses nor questions, the one without a response, which is refused."""
    if outputs is None:
        yield []
        return
    with written(outputs) as answered, written(questions) as alone:
        found = [("attest", ".jsonl", answered), ("questions", "-questions.jsonl", alone)]
        yield [one for one in found if one[2].size] or found[:1]
