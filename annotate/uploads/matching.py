"""Match each record of a file with the rows that the study already has.

The check and the loading use the same code, to make the preview correct.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from annotate.formats.records import (
    JudgmentRecord,
    JudgmentRow,
    Problem,
    QuestionRecord,
    QuestionRow,
    ReferenceRow,
    ResponseRecord,
    Where,
)
from annotate.models import Response, Study, Unit, Upload
from annotate.text import Division
from annotate.uploads.captures import MissingTexts
from annotate.uploads.chunks import Chunk
from annotate.uploads.dividing import is_divided_by
from annotate.uploads.judgments_fit import JudgmentChecks
from annotate.uploads.made_units import RowMatch, WholeUnits, is_whole
from annotate.uploads.question_files import ListedMatch, compare_listed
from annotate.uploads.study_index import KnownQuestion, StudyIndex, response_digest, text_digest

Status = Literal["new", "unchanged", "changed"]


@dataclass(slots=True)
class MatchedRecord:
    """A response record, its system and question, and what to do with it. Its question has the
    language that the study knows, which divides all its answers. `language` is the file's."""

    record: ResponseRecord
    system: str
    run: str
    question: KnownQuestion
    digest: str
    language: str = ""
    status: Status = "new"
    present: int | None = None
    introduces: bool = False
    """Whether this record is the first one of its question."""


def _with_language(record: ResponseRecord, language: str) -> ResponseRecord:
    if record.question.language == language:
        return record
    return replace(record, question=replace(record.question, language=language))


def matcher_of(upload: Upload, *, references: bool = True) -> "Matcher":
    """Return the matcher of an upload, optionally without comparing references."""
    return Matcher(
        upload.study,
        system=upload.system,
        run=upload.run,
        division=upload.chosen_division if upload.division else None,
        references=references,
    )


class Matcher:
    """Compares records with one study."""

    def __init__(
        self,
        study: Study,
        *,
        system: str,
        run: str,
        division: Division | None = None,
        references: bool = True,
    ) -> None:
        """Set up the comparison. `division` is given if existing answers are divided again, and
        nothing else can have changed."""
        self.study = study
        self.division = division
        self.system = system
        self.run = run
        self.index = StudyIndex(study, references=references)
        self.judgment_checks = JudgmentChecks(study)
        self.missing_texts = MissingTexts(study)
        self._has_responses = study.responses.exists()
        self._seen: set[bytes] = set()
        self._whole_units: WholeUnits | None = None

    def match(
        self, chunk: Chunk, *, system: str = "", run: str = ""
    ) -> tuple[list[MatchedRecord], list[Problem]]:
        """Match a chunk. `system` and `run` are the file's suggestions."""
        matches: list[MatchedRecord] = []
        problems: list[Problem] = []
        for record in chunk.responses:
            name = record.system.strip() or self.system or system
            if not name:
                problems.append(
                    Problem(
                        record.where.at("system"),
                        "the name of the system that wrote this",
                        "none in the file",
                        "Give the system's name with the upload.",
                    )
                )
                continue
            known = len(self.index.questions)
            question = self._question(record.question, record.where, problems)
            if question is None:
                continue
            given_run = record.run or self.run or run
            if self._is_seen(name, question.external_id, given_run):
                problems.append(
                    Problem(
                        record.where,
                        "one answer of a system to a question in a run",
                        f"another of “{name}” to question “{question.external_id}”",
                        "Give each its own run.",
                    )
                )
                continue
            matches.append(
                MatchedRecord(
                    _with_language(record, question.language),
                    name,
                    given_run,
                    question,
                    response_digest(record),
                    record.question.language,
                    introduces=len(self.index.questions) > known,
                )
            )
        if self._has_responses:
            self._compare(matches)
        return matches, problems

    def _is_seen(self, *key: str) -> bool:
        """Return whether the file already had this key."""
        digest = text_digest("\0".join(key))
        seen = digest in self._seen
        self._seen.add(digest)
        return seen

    def _question(
        self, record: QuestionRecord, where: Where, problems: list[Problem]
    ) -> KnownQuestion | None:
        external_id = self.index.question_id(record)
        known = self.index.questions.get(external_id)
        digest = text_digest(record.text)
        if not record.text:
            if known is None:
                problems.append(self._no_text(where, external_id))
            return known
        if known is None:
            references = self.index.digests(record.references)
            new = KnownQuestion(None, external_id, digest, references, record.language)
            new.learn_metadata(record.metadata)
            return self.index.add_question(new)
        if known.text != digest:
            problems.append(
                Problem(
                    where.at("question"),
                    f"the text that question “{external_id}” has in this study",
                    f"another text, “{record.text[:80]}”",
                    "Two questions need two ids.",
                )
            )
            return None
        return known

    def _no_text(self, where: Where, question_id: str) -> Problem:
        return Problem(
            where.at("question"),
            "the text of the question, here or in a file that was loaded before",
            f"the id “{question_id}” alone",
            "Write the text into the file, or load one first whose questions have the same ids.",
        )

    def _compare(self, matches: Sequence[MatchedRecord]) -> None:
        """Mark existing responses as unchanged or changed."""
        questions = {m.question.pk for m in matches if m.question.pk is not None}
        rows = Response.objects.filter(
            study=self.study, live=True, question_id__in=questions
        ).values_list("system_id", "question_id", "run", "pk", "digest", "segmentation")
        present = {row[:3]: row[3:] for row in rows}
        for match in matches:
            key = (self.index.systems.get(match.system), match.question.pk, match.run)
            if key in present:
                match.present, digest, signature = present[key]
                match.status = "unchanged" if self._is_same(match, digest, signature) else "changed"

    def _is_same(self, match: MatchedRecord, digest: str, signature: str) -> bool:
        if self.division is None:
            return digest == match.digest
        return is_divided_by(self.study, match.record, self.division, signature)

    def judge_fault(self, record: JudgmentRecord, where: Where) -> Problem | None:
        """Return a problem if the judge's name belongs to another kind of judge."""
        known = self.index.judges.get(record.judge)
        if known is None:
            self.index.judges[record.judge] = (None, record.judge_kind)
            return None
        if known[1] == record.judge_kind:
            return None
        return Problem(
            where.at("judge_kind"),
            f"“{known[1]}”, as for this judge elsewhere",
            f"“{record.judge_kind}”",
            "Give this judge another name.",
        )

    def match_rows(self, rows: Sequence[JudgmentRow]) -> tuple[list[RowMatch], list[Problem]]:
        """Find the unit of each judgment of the long form."""
        units = self._units(rows)
        made = self._whole_units = WholeUnits(self.study, rows)
        matches: list[RowMatch] = []
        problems: list[Problem] = []
        for row in rows:
            fault = self.judge_fault(row.judgment, row.where)
            fault = fault or self.judgment_checks.version_fault(row.judgment, row.where)
            if fault:
                problems.append(fault)
                continue
            address = (row.system, row.run, row.question_id)
            keys = units.get(address)
            if keys is None:
                problems.append(self._no_response(row))
                continue
            about = made.find(row) if is_whole(row.judgment.unit) else None
            if isinstance(about, Problem):
                problems.append(about)
            elif about is None and row.judgment.unit not in keys:
                problems.append(
                    Problem(
                        row.where.at("unit"),
                        f"a unit of this response ({', '.join(list(keys)[:8])}…)",
                        f"“{row.judgment.unit}”",
                        "The outputs may have been divided otherwise there.",
                    )
                )
            elif self._is_seen(
                str(keys[row.judgment.unit] if about is None else about.of or about.unit_id),
                row.judgment.dimension,
                row.judgment.judge,
            ):
                problems.append(
                    Problem(
                        row.where,
                        "one answer of a judge about a unit and dimension",
                        f"another of “{row.judgment.judge}” about “{row.judgment.unit}”",
                    )
                )
            else:
                matches.append(about or RowMatch(row.judgment, keys[row.judgment.unit]))
        gone = self.judgment_checks.words_faults(matches)
        kept = [match for place, match in enumerate(matches) if place not in gone]
        return kept, [*problems, *gone.values()]

    def make(self, rows: Sequence[RowMatch]) -> None:
        """Create the units that the last rows need."""
        if self._whole_units is not None:
            self._whole_units.make(rows)

    def match_references(
        self, rows: Sequence[ReferenceRow]
    ) -> tuple[list[tuple[KnownQuestion, ReferenceRow]], list[Problem]]:
        """Find the question of each row of references."""
        found = [(self.index.questions.get(row.question_id), row) for row in rows]
        matches = [(question, row) for question, row in found if question is not None]
        problems = [self._no_question(row.where, row.question_id) for q, row in found if q is None]
        return matches, problems

    def match_questions(
        self, rows: Sequence[QuestionRow]
    ) -> tuple[list[ListedMatch], list[Problem]]:
        """Find each question that a file has without answers, or add it as new."""
        found: list[tuple[KnownQuestion, QuestionRow]] = []
        problems: list[Problem] = []
        for row in rows:
            question = self._question(row.question, row.where, problems)
            if question is not None and self._is_seen(question.external_id):
                again = f"“{question.external_id}” again"
                problems.append(Problem(row.where, "each question once", again))
            elif question is not None:
                found.append((question, row))
        return compare_listed(found), problems

    def _no_question(self, where: Where, question_id: str) -> Problem:
        return Problem(
            where.at("question_id"),
            "the id of a question in this study",
            f"“{question_id}”",
            "Upload the outputs first, with the same question ids.",
        )

    def _units(self, rows: Sequence[JudgmentRow]) -> dict[tuple[str, str, str], dict[str, int]]:
        wanted = {(row.system, row.run, row.question_id) for row in rows}
        found = Unit.objects.filter(
            response__in=Response.objects.current()
            .filter(study=self.study, question__external_id__in={w[2] for w in wanted})
            .values("pk")
        ).values_list(
            "response__system__name",
            "response__run",
            "response__question__external_id",
            "key",
            "pk",
        )
        units: dict[tuple[str, str, str], dict[str, int]] = {}
        for system, run, question, key, pk in found.order_by("pk").iterator(chunk_size=5_000):
            if (system, run, question) in wanted:
                units.setdefault((system, run, question), {})[key] = pk
        return units

    def _no_response(self, row: JudgmentRow) -> Problem:
        if row.system not in self.index.systems:
            some = ", ".join(sorted(self.index.systems)[:5]) or "none yet"
            return Problem(
                row.where.at("system"),
                f"a system of this study ({some})",
                f"“{row.system}”",
                "Upload that system's outputs first.",
            )
        if row.question_id not in self.index.questions:
            return self._no_question(row.where, row.question_id)
        run = f"run “{row.run}”" if row.run else "no run"
        return Problem(
            row.where.at("run"),
            f"a response of “{row.system}” to question “{row.question_id}”",
            f"none with {run}",
        )
