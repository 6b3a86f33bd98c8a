"""The result of a check, as the preview page shows it."""

import json
from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any

from annotate.formats import write_response
from annotate.formats.division import OutputTally
from annotate.formats.records import Problem, ResponseRecord
from annotate.text import Segmentation
from annotate.text.styles import SHOWN
from annotate.uploads.study_index import StudyIndex

SHOWN_PROBLEMS = 100
SHOWN_PLACES = 5
PREVIEWED = 3

WARNINGS = {
    "out_of_range": (
        "citation mark with no such passage",
        "citation marks with no such passage",
    ),
    "uncited": ("answer without any citation", "answers without any citation"),
    "empty": (
        "empty answer (it is kept, and judged as such)",
        "empty answers (they are kept, and judged as such)",
    ),
    "cut": (
        "answer with text after a new line, which is not judged",
        "answers with text after a new line, which is not judged",
    ),
    "spans": (
        "separate citation of an answer; this reading uses only marks",
        "separate citations of answers; this reading uses only marks",
    ),
    "unmarked": (
        "citation of a given statement that has no mark in the answer, and is not read",
        "citations of given statements that have no marks in the answers, and are not read",
    ),
    "no_passage": ("answer without any passage", "answers without any passage"),
    "no_text": (
        "source without a text; people can say of it that it is not available",
        "sources without a text; people can say of them that they are not available",
    ),
    "same_question": (
        "question with the text of another question under a different id",
        "questions with the text of another question under a different id",
    ),
    "references": (
        "answer with other references than its question has (those stay, unless you replace them)",
        "answers with other references than their questions have (those stay, unless you replace "
        "them)",
    ),
    "metadata": (
        "question whose data set or metadata are other than before (the later count from then on; "
        "answers and judgments stay)",
        "questions whose data set or metadata are other than before (the later count from then on; "
        "answers and judgments stay)",
    ),
    "language": (
        "answer to a question that was loaded before in another language, or in none (that stays)",
        "answers to questions that were loaded before in another language, or in none (that stays)",
    ),
    "question_language": (
        "question that was loaded before in another language, or in none (that stays)",
        "questions that were loaded before in another language, or in none (that stays)",
    ),
    "unranked": (
        "question without ranked passages",
        "questions without ranked passages",
    ),
    "unread": (
        "ranked passage without a text, which nobody is shown",
        "ranked passages without a text, which nobody is shown",
    ),
    "tasks": (
        "task of a batch on an answer that would be replaced; the batch would lose it",
        "tasks of batches on answers that would be replaced; the batches would lose them",
    ),
    "samples": (
        "answer with several samples, of which the first is used",
        "answers with several samples, of which the first is used",
    ),
    "capitals": (
        "system whose name differs from a present one only in capitals",
        "systems whose name differs from a present one only in capitals",
    ),
}
"""Warnings in singular and plural."""


@dataclass(slots=True)
class Findings:
    """Counts, warnings, problems and a preview; saved as JSON on the upload."""

    records: int = 0
    new: int = 0
    unchanged: int = 0
    changed: int = 0
    judgments: int = 0
    new_judgments: int = 0
    unchanged_judgments: int = 0
    changed_judgments: int = 0
    detached_judgments: int = 0
    statements: int = 0
    citations: int = 0
    read: OutputTally = field(default_factory=OutputTally)
    """Counts of what is read in all divided answers, and what is not."""

    passages: int = 0
    systems: Counter[str] = field(default_factory=Counter)
    judges: Counter[str] = field(default_factory=Counter)
    questions: set[str] = field(default_factory=set)
    warnings: Counter[str] = field(default_factory=Counter)
    places: dict[str, list[str]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    problem_count: int = 0
    preview: list[dict[str, Any]] = field(default_factory=list)
    suggested_system: str = ""
    suggested_run: str = ""
    unnamed: int = 0
    index: StudyIndex | None = None
    division: dict[str, Any] = field(default_factory=dict)
    """The settings that divided the outputs."""

    def warn(self, kind: str, where: object, count: int = 1) -> None:
        self.warnings[kind] += count
        places = self.places.setdefault(kind, [])
        if len(places) < SHOWN_PLACES:
            places.append(str(where))

    def add_problem(self, problem: Problem) -> None:
        self.problem_count += 1
        if len(self.problems) < SHOWN_PROBLEMS:
            self.problems.append(problem)

    def inspect(
        self, record: ResponseRecord, found: Segmentation, index: StudyIndex, *, divided: bool
    ) -> None:
        """Count a response, and add warnings for its researcher."""
        self.index = index
        self.unnamed += not record.system.strip()
        self.statements += len(found.statements)
        self.citations += sum(len(s.citations) for s in found.statements)
        self.passages += len(record.passages)
        if len(self.preview) < PREVIEWED and found.text:
            self.preview.append(json.loads(write_response(record)))
        if not found.text.strip():
            self.warn("empty", record.where)
        elif divided:
            self._inspect_marks(record, found)
            self.read.add(record, found)
            if record.citations and not found.reads_all_lines:
                self.warn("spans", record.where, len(record.citations))
        if found.cut:
            self.warn("cut", record.where)
        if not record.passages:
            self.warn("no_passage", record.where)
        if empty := sum(not passage.text.strip() for passage in record.passages):
            self.warn("no_text", record.where, empty)
        if "samples" in record.metadata:
            self.warn("samples", record.where)
        question = record.question
        if question.external_id and index.same_text_elsewhere(question.text, question.external_id):
            self.warn("same_question", record.where)

    def _inspect_marks(self, record: ResponseRecord, found: Segmentation) -> None:
        numbers = {passage.n for passage in record.passages}
        cited = [c.number for s in found.statements for c in s.citations]
        outside = sum(1 for number in cited if number not in numbers)
        if outside:
            self.warn("out_of_range", record.where, outside)
        if not cited:
            self.warn("uncited", record.where)
        if record.statements is not None:
            given = zip(record.statements, found.statements, strict=False)
            unmarked = sum(max(0, len(g.passages) - len(s.citations)) for g, s in given)
            if unmarked:
                self.warn("unmarked", record.where, unmarked)

    def _new_system_names(self) -> list[str]:
        """Return new system names, and warn of differences only in case."""
        present = list(self.index.systems) if self.index else []
        alike = {name.casefold(): name for name in present}
        new = [name for name in self.systems if name not in set(present)]
        for name in new:
            if name.casefold() in alike:
                self.warn("capitals", f"“{name}”, present: “{alike[name.casefold()]}”")
        return new

    def as_json(self) -> dict[str, Any]:
        new_systems = self._new_system_names()
        return {
            "records": self.records,
            "new": self.new,
            "unchanged": self.unchanged,
            "changed": self.changed,
            "judgments": self.judgments,
            "new_judgments": self.new_judgments,
            "unchanged_judgments": self.unchanged_judgments,
            "changed_judgments": self.changed_judgments,
            "detached_judgments": self.detached_judgments,
            "other_references": self.warnings["references"],
            "statements": self.statements,
            "words": self.read.words,
            "lost_words": self.read.lost_words,
            "not_judged": self.read.parts(),
            "styles": [
                {"shown": SHOWN.get(style, style), "count": count}
                for style, count in self.read.styles.most_common()
            ],
            "citations": self.citations,
            "passages": self.passages,
            "questions": len(self.questions),
            "systems": dict(self.systems.most_common(50)),
            "new_systems": new_systems[:50],
            "judges": dict(self.judges.most_common(50)),
            "warnings": [
                {
                    "kind": kind,
                    "count": count,
                    "message": WARNINGS[kind][count != 1],
                    "places": self.places[kind],
                }
                for kind, count in self.warnings.most_common()
            ],
            "problems": [problem_to_dict(problem) for problem in self.problems],
            "problem_count": self.problem_count,
            "preview": self.preview,
            "suggested_system": self.suggested_system,
            "suggested_run": self.suggested_run,
            "unnamed": self.unnamed,
            "division": self.division if self.index else {},
        }


def problem_to_dict(problem: Problem) -> dict[str, Any]:
    """Return a problem as JSON, with its place as text."""
    return {**asdict(problem), "where": str(problem.where), "text": str(problem)}
