"""Questions that a file has without answers, each with its ranked passages.

Passages are written while they are read, under their upload. A question's own passages are those of
its `listed_upload`, which is set once the whole file is loaded.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotate.formats.records import PassageRecord, QuestionRow
from annotate.models import Candidate, Question, Upload
from annotate.uploads.rows import in_batches, passages_of
from annotate.uploads.study_index import KnownQuestion, digest_of, passage_parts, texts_digest
from annotate.web.bulk import BulkTable
from annotate.web.removal import remove_rows, remove_unused_passages

_candidates = BulkTable(
    Candidate,
    "question_id",
    "upload_id",
    "n",
    "passage_id",
    "external_id",
    "url",
    "published",
    "retrieved",
    "page",
    "metadata",
)


@dataclass(frozen=True, slots=True)
class ListedMatch:
    """A question's row, and whether the study has it with the same passages."""

    question: KnownQuestion
    row: QuestionRow
    is_here: bool = False
    is_same: bool = False


def compare_listed(rows: Sequence[tuple[KnownQuestion, QuestionRow]]) -> list[ListedMatch]:
    """Compare some rows with the study."""
    present = _present([known.pk for known, _ in rows if known.pk is not None])
    return [
        ListedMatch(known, row, here is not None, here == _digest(row.passages))
        for known, row in rows
        for here in [present.get(known.pk or 0)]
    ]


def _digest(passages: Sequence[PassageRecord]) -> str:
    return digest_of([[texts_digest(one.title, one.text), *passage_parts(one)] for one in passages])


def _present(questions: Collection[int]) -> dict[int, str]:
    """Return a digest of the passages of each question that has its own."""
    listed = Question.objects.listed().filter(pk__in=questions).values_list("pk", flat=True)
    found: dict[int, list[Any]] = {pk: [] for pk in listed}
    rows = Candidate.objects.current().filter(question__in=found).select_related("passage")
    for row in rows.order_by("question_id", "n").iterator(chunk_size=5_000):
        found[row.question_id].append([row.passage.digest, *passage_parts(record_of(row))])
    return {pk: digest_of(passages) for pk, passages in found.items()}


def record_of(row: Candidate, *, texts: bool = False) -> PassageRecord:
    """Return a passage as its file has it."""
    return PassageRecord(
        row.n,
        row.passage.title if texts else "",
        row.passage.text if texts else "",
        row.external_id,
        row.url,
        row.published,
        row.retrieved,
        row.page,
        row.metadata,
    )


def candidates_of(questions: Collection[int]) -> dict[int, list[Candidate]]:
    """Return the own passages of some questions, the best first."""
    found: dict[int, list[Candidate]] = defaultdict(list)
    rows = Candidate.objects.current().filter(question__in=questions).select_related("passage")
    for row in rows.order_by("question_id", "n"):
        found[row.question_id].append(row)
    return found


@dataclass(slots=True)
class NewListed:
    """The questions of an upload while it is loaded."""

    questions: list[int] = field(default_factory=list)

    def offer(self, upload: Upload, matches: Sequence[ListedMatch]) -> None:
        """Write the passages of some questions."""
        every = [(match.question.pk, one) for match in matches for one in match.row.passages]
        keys = passages_of(upload.study, upload, [(one.title, one.text) for _, one in every])
        _candidates.insert(
            [
                (question, upload.pk, one.n, key, *passage_parts(one)[1:])
                for (question, one), key in zip(every, keys, strict=True)
            ]
        )
        self.questions += [match.question.pk for match in matches if match.question.pk is not None]

    def write(self, upload: Upload) -> dict[str, int]:
        """Give the questions these passages, and return how many there were."""
        for some in in_batches(self.questions):
            old = Candidate.objects.filter(question__in=some).exclude(upload=upload)
            old._raw_delete(old.db)
            Question.objects.filter(pk__in=some).update(listed_upload=upload)
        return {"questions": len(self.questions)} if self.questions else {}


def remove_listed(upload: Upload) -> None:
    """Remove this file's questions; those with answers only lose their own passages. After an
    interruption, call it again to continue."""
    listed = Question.objects.filter(listed_upload=upload)
    keys = list(listed.values_list("pk", flat=True))
    listed.update(listed_upload=None)
    remove_rows(Candidate.objects.filter(upload=upload).order_by())
    remove_unused_passages(upload.study_id)
    theirs = Question.objects.filter(upload=upload).values_list("pk", flat=True)
    for some in in_batches([*{*keys, *theirs}]):
        unanswered = Question.objects.filter(pk__in=some, responses__isnull=True)
        remove_rows(unanswered.filter(listed_upload__isnull=True))
