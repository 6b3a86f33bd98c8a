"""ALCE's two human evaluations: citations with two judges' scores, and utility."""

from collections.abc import Iterator
from typing import Any

from annotate.formats.fields import Fields, whole_number
from annotate.formats.json_records import value_line
from annotate.formats.json_stream import JsonStream
from annotate.formats.json_values import text_problem, value_problems
from annotate.formats.limits import LONG_NAME_CHARS, NAME_CHARS
from annotate.formats.problems import Unreadable, quoted, shown
from annotate.formats.reading import Beginning, Format, Reading, Records, example_of
from annotate.formats.records import (
    GivenStatement,
    JudgeKind,
    JudgmentRecord,
    PassageRecord,
    Problem,
    QuestionRecord,
    ResponseRecord,
    Where,
)
from annotate.protocol.slices import DATASET
from annotate.text.marks import find_marks

HUMAN = "published human evaluation"
AUTOMATIC = "ALCE automatic (published)"
SUPPORT = {2: "full", 1: "partial", 0: "none"}
YES_NO = {1: "yes", 0: "no"}
LIKERT = {level: str(level) for level in range(1, 6)}


def key_field(beginning: Beginning) -> str:
    """Return the field that tells which of the two files this is; empty if neither. Both have
    the form `{dataset: {model file: {question id: item}}}`."""
    if beginning.members.keys() >= {"id", "contents"}:
        return ""  # a passages file of Attributed QA
    for models in beginning.members.values():
        for items in models.values() if isinstance(models, dict) else ():
            for key, item in items.items() if isinstance(items, dict) else ():
                if isinstance(item, dict) and key != "overall_results":
                    for field in ("sentences", "utility_score"):
                        if field in item:
                            return field
    return ""


class RatedItem:
    """One item of the file, with the names of the levels above it."""

    def __init__(
        self, dataset: str, model_file: str, key: str, fields: Fields, problems: list[Problem]
    ) -> None:
        self.fields = fields
        self.problems = problems
        self.system = model_file.removesuffix(".json")

        self._dataset = dataset
        self._key = key

    def question(self) -> QuestionRecord:
        """Return the question. Its id includes the data set: ids are unique only within one."""
        text = self.fields.text("question", blank=False)
        own_id = self.fields.name("id") or self._key
        external_id = f"{self._dataset}/{own_id}"
        if len(external_id) > NAME_CHARS:
            self.fields.complain(
                "id", f"at most {NAME_CHARS} characters with the data set's name", external_id[:60]
            )
        return QuestionRecord(text, external_id, metadata={DATASET: self._dataset})

    def choice(self, fields: Fields, name: str, choices: dict[int, str]) -> str:
        """Return the value that a score stands for; empty if the score is absent or null."""
        return chosen(fields, name, fields.take(name), choices)


def chosen(fields: Fields, name: str, score: Any, choices: dict[int, str]) -> str:
    """Return the choice that a score (1 or 1.0) stands for; empty without a score."""
    if score is None:
        return ""
    number = whole_number(score)
    if number is None or number not in choices:
        *others, last = (str(level) for level in sorted(choices))
        fields.complain(name, f"{', '.join(others)} or {last}", shown(score))
        return ""
    return choices[number]


def scores(fields: Fields, name: str, length: int) -> list[Any]:
    """Return a list of scores of the expected length; empty if it is absent."""
    values = fields.items(name, required=False)
    if values and len(values) != length:
        fields.complain(name, f"{length} scores, one for each sentence", f"{len(values)}")
        return []
    return values


def rated_items(reading: Reading) -> Iterator[RatedItem | Problem]:
    """Yield the items of `{dataset: {model file: {question id: item}}}` one at a time."""
    stream = JsonStream(reading.source)
    for dataset in _unique_keys(stream, reading, "a data set"):
        for model_file in _unique_keys(stream, reading, "a model file"):
            seen: set[str] = set()
            for key in stream.members():
                line = value_line(stream)
                if key == "overall_results":
                    continue
                where, problems = line.where, list(line.faults)
                if key in seen:
                    problems.append(Problem(where, "each question id once", "it twice"))
                seen.add(key)
                if problem := text_problem(key, where, reading.limits):
                    problems.append(problem)
                problems += value_problems(line.value, where, reading.limits)
                fields = Fields.of(line.value, where, problems)
                if len(model_file.removesuffix(".json")) > NAME_CHARS:
                    found = f"{len(model_file)} characters"
                    problems.append(
                        Problem(where, f"a model file's name of at most {NAME_CHARS}", found)
                    )
                if fields is None:
                    yield from problems
                else:
                    yield RatedItem(dataset, model_file, key, fields, problems)
    stream.end()


def _unique_keys(stream: JsonStream, reading: Reading, meaning: str) -> Iterator[str]:
    """Yield the keys of the next object. A repeated key is an error."""
    seen: set[str] = set()
    for key in stream.members():
        where = Where(index=stream.path)
        if key in seen:
            raise Unreadable(Problem(where, f"{meaning} once", f"{quoted(key)} twice"))
        if problem := text_problem(key, where, reading.limits):
            raise Unreadable(problem)
        seen.add(key)
        yield key


MOST_CITATIONS = 3
RECALL, PRECISION = "automatic_recall_scores", "automatic_citation_precision_scores"


def citation_records(reading: Reading) -> Records:
    """Yield a response with its statements and judgments for each item."""
    for item in rated_items(reading):
        if isinstance(item, Problem):
            yield item
            continue
        record = _response(item, reading)
        if item.problems:
            yield from item.problems
        else:
            yield record


def _response(item: RatedItem, reading: Reading) -> ResponseRecord:
    fields = item.fields
    question = item.question()
    output = fields.text("output")
    sentences = list(fields.objects("sentences"))
    passages = _Passages(sentences)
    statements: list[GivenStatement] = []
    judgments: list[JudgmentRecord] = []
    kept: list[dict[str, Any]] = []
    for number, sentence in enumerate(sentences, start=1):
        text = sentence.text("text", blank=False)
        citations = list(sentence.objects("citations"))
        if len(citations) > MOST_CITATIONS:
            sentence.complain("citations", "at most 3 citations", str(len(citations)))
        statements.append(GivenStatement(text, tuple(passages.cited(text, citations))))
        recall = item.choice(sentence, "sentence_recall_score", YES_NO)
        judgments += _judgments(f"s{number}", "citation_recall", recall, HUMAN, fields.where)
        for place, citation in enumerate(citations, start=1):
            support = item.choice(citation, "citation_precision_score", SUPPORT)
            unit = f"s{number}.c{place}"
            judgments += _judgments(unit, "citation_support", support, HUMAN, fields.where)
        unknown = sentence.rest()
        if any(others := [citation.rest() for citation in citations]):
            unknown["citations"] = others
        kept.append(unknown)
    judgments += _automatic(fields, statements)
    metadata = fields.rest()
    if any(kept):
        metadata["sentences"] = kept
    if len(passages.in_order()) > reading.limits.max_passages:
        fields.complain(
            "sentences", f"at most {reading.limits.max_passages:,} passages in all", "more"
        )
    return ResponseRecord(
        where=fields.where,
        question=question,
        output=output,
        system=item.system,
        run=reading.run,
        passages=passages.in_order(),
        statements=tuple(statements),
        judgments=tuple(judgments),
        metadata=metadata,
    )


class _Passages:
    """The passages of a response, by the numbers of the marks in its sentences. A passage
    without a mark, or whose number belongs to another passage, gets a number that no mark has."""

    def __init__(self, sentences: list[Fields]) -> None:
        texts = (sentence.take("text") for sentence in sentences)
        marked = (n for text in texts if isinstance(text, str) for n in _marked(text))
        self._by_number: dict[int, PassageRecord] = {}
        self._spare: dict[tuple[str, str], int] = {}
        self._first_spare = max(marked, default=0) + 1

    def cited(self, text: str, citations: list[Fields]) -> Iterator[PassageRecord]:
        """Yield the passages of one sentence, in the order of its citations."""
        marked = _marked(text)
        for place, citation in enumerate(citations):
            title, body = citation.text("title"), citation.text("text")
            external_id = citation.name("id", longest=LONG_NAME_CHARS)
            number = marked[place] if place < len(marked) else 0
            holder = self._by_number.get(number)
            taken = holder is not None and (holder.title, holder.text) != (title, body)
            if number < 1 or taken:
                spare = self._first_spare + len(self._spare)
                number = self._spare.setdefault((title, body), spare)
            passage = PassageRecord(number, title, body, external_id)
            yield self._by_number.setdefault(number, passage)

    def in_order(self) -> tuple[PassageRecord, ...]:
        return tuple(passage for _, passage in sorted(self._by_number.items()))


def _marked(text: str) -> list[int]:
    """Return the numbers of a sentence's marks, in the order written."""
    return [number for mark in find_marks(text) for number in mark.numbers]


def _automatic(fields: Fields, statements: list[GivenStatement]) -> Iterator[JudgmentRecord]:
    """Yield the released metric's scores as judgments about the same units."""
    for index, score in enumerate(scores(fields, RECALL, len(statements))):
        value = chosen(fields, f"{RECALL}[{index}]", score, YES_NO)
        yield from _judgments(f"s{index + 1}", "citation_recall", value, AUTOMATIC, fields.where)
    for index, row in enumerate(scores(fields, PRECISION, len(statements))):
        if not row:
            continue  # the released code does not score citations of a sentence with a bad mark
        name = f"{PRECISION}[{index}]"
        if not isinstance(row, list):
            fields.complain(name, "a list of scores", shown(row))
        elif len(row) != len(statements[index].passages):
            expected = f"{len(statements[index].passages)} scores, one for each citation"
            fields.complain(name, expected, str(len(row)))
        else:
            for place, score in enumerate(row):
                value = chosen(fields, f"{name}[{place}]", score, SUPPORT)
                unit = f"s{index + 1}.c{place + 1}"
                yield from _judgments(unit, "citation_support", value, AUTOMATIC, fields.where)


def _judgments(
    unit: str, dimension: str, value: str, judge: str, where: Where
) -> Iterator[JudgmentRecord]:
    """Yield a judgment if there is a value."""
    if value:
        kind: JudgeKind = "human" if judge == HUMAN else "automatic"
        yield JudgmentRecord(unit, dimension, judge, kind, value, where=where)


CITATIONS = Format(
    key="alce-citations",
    title="ALCE human evaluation of citations",
    extensions=(".json",),
    kind="outputs",
    description="Outputs divided into sentences, with people's and the metric's scores for each "
    "sentence and citation.",
    example=example_of("alce-citations.json"),
    begins_so=lambda beginning: key_field(beginning) == "sentences",
    records=citation_records,
)


def utility_records(reading: Reading) -> Records:
    """Yield a response with at most one judgment for each item. The outputs have no marks."""
    for item in rated_items(reading):
        if isinstance(item, Problem):
            yield item
            continue
        fields = item.fields
        question = item.question()
        output = fields.text("output")
        if fields.absent("utility_score"):
            fields.complain("utility_score", "a score from 1 to 5, or null", "no such field")
        utility = item.choice(fields, "utility_score", LIKERT)
        for index, score in enumerate(fields.items("automatic_correctness_scores", required=False)):
            if not isinstance(score, bool) and score not in (0, 1):
                name = f"automatic_correctness_scores[{index}]"
                fields.complain(name, "true or false", repr(score)[:60])
        if item.problems:
            yield from item.problems
            continue
        judged = JudgmentRecord("r", "utility", HUMAN, "human", utility, where=fields.where)
        metadata = fields.rest()
        correctness = fields.take("automatic_correctness_scores")
        if correctness is not None:
            metadata["automatic_correctness_scores"] = correctness
        yield ResponseRecord(
            where=fields.where,
            question=question,
            output=output,
            system=item.system,
            run=reading.run,
            judgments=(judged,) if utility else (),
            metadata=metadata,
        )


UTILITY = Format(
    key="alce-utility",
    title="ALCE human evaluation of utility",
    extensions=(".json",),
    kind="outputs",
    description="Outputs with one mark from 1 to 5 each.",
    example=example_of("alce-utility.json"),
    begins_so=lambda beginning: key_field(beginning) == "utility_score",
    records=utility_records,
)
