"""What the two files of ALCE's human evaluation share: nesting, judges, levels of support."""

from collections.abc import Iterator
from typing import Any

from annotate.formats.fields import Fields, whole_number
from annotate.formats.format import Beginning
from annotate.formats.json_lines import value_in
from annotate.formats.json_stream import JsonStream
from annotate.formats.json_values import text_problem, value_problems
from annotate.formats.limits import NAME_CHARS
from annotate.formats.problems import Unreadable, quoted, shown
from annotate.formats.reading import Reading
from annotate.formats.records import Problem, QuestionRecord, Where
from annotate.protocol.slices import DATASET

HUMAN = "published human evaluation"
AUTOMATIC = "ALCE automatic (published)"
SUPPORT = {2: "full", 1: "partial", 0: "none"}
YES_NO = {1: "yes", 0: "no"}
LIKERT = {level: str(level) for level in range(1, 6)}


def telling_field(beginning: Beginning) -> str:
    """The field by which the items of `{dataset: {model file: {question id: item}}}` show which
    of the two files they stand in; of neither, nothing."""
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


class PublishedItem:
    """One item of the file with the names of the levels that it stands under."""

    def __init__(
        self, dataset: str, model_file: str, key: str, fields: Fields, problems: list[Problem]
    ) -> None:
        self.fields = fields
        self.problems = problems
        self.system = model_file.removesuffix(".json")
        self.run = ""
        self._dataset = dataset
        self._key = key

    def question(self) -> QuestionRecord:
        """The question; its id says the data set too, since ids are not unique across them."""
        text = self.fields.text("question", blank=False)
        own_id = self.fields.name("id") or self._key
        external_id = f"{self._dataset}/{own_id}"
        if len(external_id) > NAME_CHARS:
            self.fields.complain(
                "id", f"at most {NAME_CHARS} characters with the data set's name", external_id[:60]
            )
        return QuestionRecord(text, external_id, metadata={DATASET: self._dataset})

    def choice(self, fields: Fields, name: str, choices: dict[int, str]) -> str:
        """The value that a score stands for; nothing where the score is absent or null."""
        return chosen(fields, name, fields.take(name), choices)


def chosen(fields: Fields, name: str, score: Any, choices: dict[int, str]) -> str:
    """The choice that a score stands for, as 1 or 1.0; nothing where there is no score."""
    if score is None:
        return ""
    number = whole_number(score)
    if number is None or number not in choices:
        *others, last = (str(level) for level in sorted(choices))
        fields.complain(name, f"{', '.join(others)} or {last}", shown(score))
        return ""
    return choices[number]


def scores(fields: Fields, name: str, length: int) -> list[Any]:
    """A list of scores that must be as long as what they are about; empty where it is absent."""
    values = fields.items(name, required=False)
    if values and len(values) != length:
        fields.complain(name, f"{length} scores, one for each sentence", f"{len(values)}")
        return []
    return values


def published_items(reading: Reading) -> Iterator[PublishedItem | Problem]:
    """The items of `{dataset: {model file: {question id: item}}}`, one at a time."""
    stream = JsonStream(reading.source)
    for dataset in _once(stream, reading, "a data set"):
        for model_file in _once(stream, reading, "a model file"):
            seen: set[str] = set()
            for key in stream.members():
                line = value_in(stream)
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
                    yield PublishedItem(dataset, model_file, key, fields, problems)
    stream.end()


def _once(stream: JsonStream, reading: Reading, meaning: str) -> Iterator[str]:
    """The keys of the next object, each of which may be there once only."""
    seen: set[str] = set()
    for key in stream.members():
        where = Where(index=stream.path)
        if key in seen:
            raise Unreadable(Problem(where, f"{meaning} once", f"{quoted(key)} twice"))
        if problem := text_problem(key, where, reading.limits):
            raise Unreadable(problem)
        seen.add(key)
        yield key
