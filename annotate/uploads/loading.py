"""The second pass over an upload: write it in short transactions, then publish it in one.

The transactions are short because a long one on SQLite would keep raters from saving. Unpublished
rows are invisible and can be removed. A file is therefore loaded completely or not at all, even if
a worker is killed: the next one removes the rows and starts again.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.db import DatabaseError, transaction
from django.db.models import Q
from django.utils import timezone

from annotate.content.judgments import compare_with_stored, judgment_row, replace_all
from annotate.content.questions import add_metadata
from annotate.content.units import update_pairs
from annotate.formats.records import JudgmentRecord, Problem, QuestionRecord, Where
from annotate.models import (
    Candidate,
    Judge,
    Judgment,
    Passage,
    Question,
    Response,
    Source,
    Study,
    System,
    Unit,
    Upload,
)
from annotate.rating.standing import change_standing
from annotate.studies.webhooks import notify
from annotate.text import Segmentation
from annotate.uploads.captures import Captures
from annotate.uploads.checking import indivisible, unit_keys
from annotate.uploads.chunks import Chunk, chunks, delayed_gc, open_reader
from annotate.uploads.dividing import Divider, divider_of
from annotate.uploads.job import renew
from annotate.uploads.matching import MatchedRecord, Matcher, matcher_of
from annotate.uploads.question_files import ListedMatch, NewListed
from annotate.uploads.references import NewReferences
from annotate.uploads.rows import NewResponse, in_batches, write_responses
from annotate.uploads.study_index import KnownQuestion, merged_references
from annotate.web.bulk import BulkTable, insert, refresh_statistics
from annotate.web.removal import remove_responses, remove_rows, remove_unused_passages
from annotate.work.jobs import Holding

log = logging.getLogger(__name__)

MANY = 5_000
OVERTAKEN = (
    "The study's answers changed since it was ordered to divide them again. Discard this upload, "
    "and order it again in the study's settings."
)


_questions = BulkTable(
    Question,
    "study_id",
    "external_id",
    "text",
    "language",
    "references",
    "metadata",
    "upload_id",
)


class Unloadable(Exception):  # noqa: N818
    """The file cannot be loaded as requested."""


@dataclass(slots=True)
class Load:
    """The progress of a load, and the work left for its last transaction."""

    holding: Holding[Upload]
    matcher: Matcher
    divider: Divider
    references: NewReferences
    captures: Captures
    listed: NewListed = field(default_factory=NewListed)
    responses: int = 0
    unchanged: int = 0
    judgments: int = 0
    unchanged_judgments: int = 0
    left_out: int = 0
    replaced: list[int] = field(default_factory=list)
    metadata: dict[int, dict[str, Any]] = field(default_factory=dict)
    """New or changed metadata of the study's questions, from this file."""

    changed: list[tuple[Judgment, Judgment]] = field(default_factory=list)

    @property
    def upload(self) -> Upload:
        return self.holding.row

    def refuse(self, problems: Sequence[Problem]) -> None:
        """Refuse a file with problems, unless only its good records were requested."""
        if problems and not self.upload.keep_good:
            raise Unloadable(str(problems[0]))
        places = {(p.where.file, p.where.line, p.where.index) for p in problems}
        self.left_out += len(places)


def load(holding: Holding[Upload]) -> None:
    """Write everything, then publish."""
    undo(holding)
    upload = holding.row
    matcher = matcher_of(upload, references=False)
    # An upload that divides answers again repeats references, which may be outdated by now.
    references = NewReferences(replaces=upload.replace and not upload.division)
    state = Load(holding, matcher, divider_of(upload), references, Captures(matcher.missing_texts))
    suggested = (
        str(upload.findings.get("suggested_system", "")),
        str(upload.findings.get("suggested_run", "")),
    )
    with open_reader(upload) as reader, delayed_gc():
        for chunk in chunks(reader):
            with transaction.atomic():
                holding.renew()
                _load_chunk(state, chunk, suggested)
            renew(holding, reader.position)
    _publish(state)
    if state.responses + state.judgments >= MANY:
        try:
            refresh_statistics(Question, System, Passage, Response, Source, Unit, Judgment)
        except DatabaseError as error:  # the file is loaded; queries may only be slower for a while
            log.warning("statistics were not refreshed: %s", error)


def _load_chunk(state: Load, chunk: Chunk, suggested: tuple[str, str]) -> None:
    state.refuse(chunk.problems)
    matches, problems = state.matcher.match(chunk, system=suggested[0], run=suggested[1])
    state.refuse(problems)
    _make_systems(state, matches)
    _make_questions(state, [(match.question, match.record.question) for match in matches])
    new = _new_responses(state, chunk, matches)
    write_responses(state.upload.study, state.upload, new)
    state.responses += len(new)
    _load_attached(state, matches, new)
    questions, reference_problems = state.matcher.match_references(chunk.references)
    state.refuse(reference_problems)
    state.references.offer({q.pk: [row.references] for q, row in questions if q.pk is not None})
    state.captures.offer(state.upload, chunk.captured)
    listed, question_problems = state.matcher.match_questions(chunk.questions)
    state.refuse(question_problems)
    _load_questions(state, listed)
    rows, row_problems = state.matcher.match_rows(chunk.rows)
    state.refuse(row_problems)
    if rows:
        state.matcher.make(rows)
        _load_judgments(state, [(row.record, row.unit_id) for row in rows])


def _make_systems(state: Load, matches: Sequence[MatchedRecord]) -> None:
    index = state.matcher.index
    for name in sorted({match.system for match in matches}):
        if index.systems.get(name) is None:
            row = System.objects.create(study=state.upload.study, name=name, upload=state.upload)
            index.systems[name] = row.pk


def _load_questions(state: Load, matches: Sequence[ListedMatch]) -> None:
    """Load the questions that the file has without answers."""
    _make_questions(state, [(match.question, match.row.question) for match in matches])
    new = [match for match in matches if not match.is_same]
    state.unchanged += len(matches) - len(new)
    kept = [match for match in new if match.is_here and not state.upload.replace]
    state.refuse(
        [
            Problem(
                match.row.where,
                f"the passages that “{match.question.external_id}” has of its own here",
                "other ones",
                "Ask to replace them.",
            )
            for match in kept
        ]
    )
    state.listed.offer(state.upload, [match for match in new if match not in kept])


def _make_questions(state: Load, records: Sequence[tuple[KnownQuestion, QuestionRecord]]) -> None:
    fresh: dict[str, QuestionRecord] = {}
    richer: dict[int, list[Mapping[str, Any]]] = {}
    for question, record in records:
        key = question.external_id
        new = question.learn_metadata(record.metadata)
        if question.pk is not None:
            if new and not state.upload.division:
                state.metadata.setdefault(question.pk, {}).update(new)
            if record.references:
                richer.setdefault(question.pk, []).append(record.references)
        elif key in fresh:
            fresh[key] = replace(
                fresh[key],
                references=merged_references(fresh[key].references, record.references),
                metadata={**fresh[key].metadata, **record.metadata},
            )
        else:
            fresh[key] = record
    upload = state.upload
    keys = _questions.insert(
        [
            (upload.study_id, key, q.text, q.language, q.references, q.metadata, upload.pk)
            for key, q in fresh.items()
        ]
    )
    for key, pk in zip(fresh, keys, strict=True):
        state.matcher.index.questions[key].pk = pk
    state.references.offer(richer)


def _new_responses(
    state: Load, chunk: Chunk, matches: Sequence[MatchedRecord]
) -> list[NewResponse]:
    new = []
    for match in matches:
        if match.status == "unchanged":
            state.unchanged += 1
            continue
        if match.status == "changed" and not _may_replace(state, match):
            continue
        try:
            found = state.divider(match.record)
        except ValueError as error:
            state.refuse([indivisible(match.record, error)])
            continue
        new.append(_new_response(state, match, found))
    return new


def _new_response(state: Load, match: MatchedRecord, found: Segmentation) -> NewResponse:
    system_id = state.matcher.index.systems[match.system]
    if system_id is None or match.question.pk is None:
        raise AssertionError("systems and questions are made before responses")
    if match.present is not None:
        state.replaced.append(match.present)
    return NewResponse(
        match.record,
        found,
        system_id=system_id,
        question_id=match.question.pk,
        run=match.run,
        digest=match.digest,
        live=None if match.present is not None else True,
    )


def _may_replace(state: Load, match: MatchedRecord) -> bool:
    if state.upload.replace:
        return True
    state.refuse(
        [
            Problem(
                match.record.where,
                f"the response of “{match.system}” that is here already",
                "another text or other passages",
                "Ask to replace it, or give this upload another run.",
            )
        ]
    )
    return False


def _load_attached(
    state: Load, matches: Sequence[MatchedRecord], new: Sequence[NewResponse]
) -> None:
    """Write the judgments that came with new and existing responses."""
    pairs: list[tuple[JudgmentRecord, int]] = []
    for item in new:
        if item.record.judgments:
            pairs += _attached(state, item)
    here = {
        match.present: match.record.judgments
        for match in matches
        if match.status == "unchanged" and match.record.judgments and match.present is not None
    }
    if here:
        units = Unit.objects.filter(response__in=here).values_list("response_id", "key", "pk")
        known = {(response, key): pk for response, key, pk in units}
        pairs += [
            (record, known[response, record.unit])
            for response, records in here.items()
            for record in records
            if (response, record.unit) in known and not _clashes(state, record)
        ]
    if pairs:
        _load_judgments(state, pairs, fresh=not here)


def _clashes(state: Load, record: JudgmentRecord) -> bool:
    """Return whether the judge is of another kind here; then refuse the judgment."""
    fault = state.matcher.judge_fault(record, record.where)
    if fault:
        state.refuse([fault])
    return fault is not None


def _attached(state: Load, item: NewResponse) -> list[tuple[JudgmentRecord, int]]:
    keys = unit_keys(item.segmentation)
    pairs = []
    for record in item.record.judgments:
        if _clashes(state, record):
            continue
        if record.unit not in keys:
            state.refuse([Problem(record.where, "a unit of this output", f"“{record.unit}”")])
        else:
            pairs.append((record, item.units[record.unit]))
    return pairs


def _load_judgments(
    state: Load, pairs: Sequence[tuple[JudgmentRecord, int]], *, fresh: bool = False
) -> None:
    _make_judges(state, [record for record, _ in pairs])
    judges = state.matcher.index.judges
    rows = [
        judgment_row(
            record, unit_id=unit_id, judge_id=judges[record.judge][0] or 0, upload=state.upload
        )
        for record, unit_id in pairs
    ]
    if fresh:
        state.judgments += insert(rows)
        return
    compared = compare_with_stored(rows)
    state.unchanged_judgments += compared.unchanged
    state.judgments += insert(compared.new)
    if compared.changed and not state.upload.replace:
        state.refuse(
            [
                Problem(
                    Where(field="value"),
                    f"the answers that {present.judge.name} gave before",
                    f"another answer ({offered.value or offered.skipped_reason}) to "
                    f"{present.dimension} about unit {present.unit.key}",
                    "Ask to replace the earlier answers; they stay in the history.",
                )
                for present, offered in compared.changed
            ]
        )
    else:
        state.changed += compared.changed


def _make_judges(state: Load, records: Sequence[JudgmentRecord]) -> None:
    index = state.matcher.index
    standings = {record.judge: record.standing for record in records if record.standing}
    for name, kind in sorted({(record.judge, record.judge_kind) for record in records}):
        known = index.judges.get(name)
        if known is None or known[0] is None:
            row, is_new = Judge.objects.get_or_create(
                study=state.upload.study,
                name=name,
                defaults={"kind": kind, "upload": state.upload},
            )
            if row.kind != kind:
                raise Unloadable(f"“{name}” is by now the name of another kind of judge here.")
            standing = Judge.Standing(standings.get(name, Judge.Standing.ACTIVE))
            if is_new and standing != Judge.Standing.ACTIVE:
                # Existing judges keep the standing that was decided here.
                change_standing(row, standing, reason="as imported")
            index.judges[name] = (row.pk, kind)


def _publish(state: Load) -> None:
    """Make everything visible at once."""
    upload = state.upload
    now = timezone.now()
    with transaction.atomic():
        state.holding.renew()
        if upload.division and is_overtaken(upload, state.unchanged + len(state.replaced)):
            raise Unloadable(OVERTAKEN)
        for some in in_batches(state.replaced):
            old = Response.objects.filter(pk__in=some)
            old.update(live=None, replaced_at=now)
            update_pairs(old)
        if state.replaced:
            Response.objects.filter(upload=upload, live__isnull=True).update(live=True)
        references = state.references.write(upload)
        captured = state.captures.write()
        listed = state.listed.write(upload)
        add_metadata(state.metadata)
        if upload.division:
            Study.objects.filter(pk=upload.study_id).update(**upload.division)
        replaced_judgments = replace_all(state.changed)
        state.holding.finish(
            Upload.State.DONE,
            published_at=now,
            position=upload.size,
            error="",
            result={
                "responses": state.responses,
                "unchanged": state.unchanged,
                "replaced": len(state.replaced),
                "judgments": state.judgments,
                "described": len(state.metadata),
                "unchanged_judgments": state.unchanged_judgments,
                "replaced_judgments": replaced_judgments,
                "left_out": state.left_out,
                **references,
                **captured,
                **listed,
            },
        )
        notify(upload.study_id, "upload.loaded", upload=upload.pk, name=upload.name)


def is_overtaken(upload: Upload, count: int) -> bool:
    """Return whether the study's answers differ from the file that divides them again.
    Otherwise some answers would keep another division, or replaced ones would come back."""
    current = Response.objects.current().filter(study=upload.study_id)
    newer = current.filter(upload__published_at__gte=upload.created_at)
    return current.count() != count or newer.exists()


def undo(holding: Holding[Upload]) -> None:
    """Remove everything that an unpublished upload wrote, in short transactions."""
    upload, ours = holding.row, holding.renew
    if upload.published_at is not None:
        raise AssertionError("a published upload is not taken back")
    remove_rows(Judgment.objects.filter(upload=upload), first=ours)
    remove_responses(Response.objects.filter(upload=upload), first=ours)
    remove_rows(Candidate.objects.filter(upload=upload).order_by(), first=ours)
    remove_unused_passages(upload.study_id, Q(upload=upload), first=ours)
    remove_rows(Question.objects.filter(upload=upload, responses__isnull=True), first=ours)
    remove_rows(System.objects.filter(upload=upload, responses__isnull=True), first=ours)
    remove_rows(Judge.objects.filter(upload=upload, judgments__isnull=True), first=ours)
