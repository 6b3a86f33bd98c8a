"""Making a new system of a study out of one that is there."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from django.core.files import File
from django.db import IntegrityError, transaction
from django.utils.text import slugify

from annotate.exports import response_records
from annotate.formats import ResponseRecord, write_response
from annotate.formats.limits import NAME_CHARS
from annotate.models import System, Upload
from annotate.services import uploads
from annotate.services.errors import Refused
from evaluation.postediting import Way
from evaluation.postediting.rerank import NO_SAMPLES

PORTION = 500
"""Responses edited together: a scorer is asked about all of them at once."""

Tell = Callable[[int], None]


@dataclass(slots=True)
class Made:
    """The new system, and what became of how many responses."""

    system: System
    outcomes: Counter[str] = field(default_factory=Counter)


def post_edit(old: System, way: Way, *, name: str, tell: Tell = lambda done: None) -> Made:
    """A new system called `name` with every response of the old one after editing.

    The old system stays as it is. `tell` hears how many responses are done. The new one counts as
    having used the metric itself where entailment decided, or where the old one did.
    """
    name = name.strip()
    if not name or len(name) > NAME_CHARS:
        raise Refused(f"Give the new system a name of 1 to {NAME_CHARS} characters.")
    if System.objects.filter(study=old.study, name=name).exists():
        raise _taken(name)
    outcomes: Counter[str] = Counter()
    with TemporaryDirectory(prefix="attest-") as folder:
        path = Path(folder) / f"{slugify(name) or 'system'}.jsonl"
        with path.open("w", encoding="utf-8", newline="") as handle:
            for record in _edited(old, way, outcomes, tell):
                handle.write(write_response(replace(record, system=name)))
        if not outcomes:
            raise Refused(f"“{old.name}” has no responses.")
        if set(outcomes) == {NO_SAMPLES}:
            raise Refused(
                f"No response of “{old.name}” brings samples. Upload them in the metadata of its "
                "responses, as a list called samples."
            )
        with path.open("rb") as content:
            upload = uploads.receive(
                old.study,
                File(content, name=path.name),
                name=path.name,
                author=None,
                format="attest",
            )
    _load(upload, _announced(old, way, name))
    return Made(System.objects.get(study=old.study, name=name), outcomes)


def _edited(old: System, way: Way, outcomes: Counter[str], tell: Tell) -> Iterator[ResponseRecord]:
    records = (
        record
        for portion in response_records(old.study)
        for response, record in portion
        if response.system_id == old.pk
    )
    while some := list(islice(records, PORTION)):
        try:
            edited = way.edit(some)
        except ValueError as error:
            raise Refused(str(error)) from None
        for one in edited:
            outcomes[one.outcome] += 1
            yield one.record
        tell(outcomes.total())


def _announced(old: System, way: Way, name: str) -> System:
    return System(
        study=old.study,
        name=name,
        description=f"Made from “{old.name}”. {way.description} Signature: {way.signature}",
        uses_autoais=way.asks_entailment or old.uses_autoais,
    )


def _taken(name: str) -> Refused:
    return Refused(f"This study has a system “{name}” already. Choose another name.")


def _load(upload: Upload, system: System) -> None:
    """Check and load the file, wholly or not at all.

    The system is written first, so that its responses are never seen without the sign that it used
    the metric.
    """
    uploads.work(upload.pk)
    upload.refresh_from_db()
    if upload.state != Upload.State.READY:
        problems = [str(problem["text"]) for problem in upload.findings.get("problems", ())]
        why = upload.error or next(iter(problems), upload.get_state_display())
        _put_away(upload)
        raise Refused(f"The new responses cannot be loaded: {why}")
    try:
        with transaction.atomic():
            system.save()
    except IntegrityError:
        _put_away(upload)
        raise _taken(system.name) from None
    loaded = False
    try:
        uploads.accept(upload)
        uploads.work(upload.pk)
        upload.refresh_from_db()
        loaded = upload.state == Upload.State.DONE
        waits, why = upload.state == Upload.State.QUEUED, upload.error
    finally:
        if not loaded:
            upload.refresh_from_db()
            _put_away(upload)
            System.objects.filter(pk=system.pk, responses__isnull=True).delete()
    if waits:
        raise Refused("Another file of this study is being loaded. Try again when it is done.")
    if not loaded:
        raise Refused(f"The new responses were not loaded: {why}")


def _put_away(upload: Upload) -> None:
    if upload.is_working:
        uploads.cancel(upload)
    uploads.discard(upload)
