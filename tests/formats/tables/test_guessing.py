"""What the columns of a table are, guessed from their names and from what they hold."""

from annotate.formats.limits import Limits
from annotate.formats.tables.guessing import guess
from tests.cases import each
from tests.formats.tables.making import RATED


def guessed(*rows, kind=None, dimensions=None):
    columns = list(dict.fromkeys(name for row in rows for name in row))
    return guess(rows, columns, kind, dimensions or {})


@each(
    ("names", "expected"),
    [
        ("question answer contexts ground_truth", "question output passage reference"),
        ("query response references", "question output reference"),
        ("Prompt Model Completion", "question system output"),
        ("qid question output docs", "question_id question output passage"),
        ("user-input response retrieved_contexts", "question output passage"),
        ("input prediction target seed", "question output reference run"),
        ("question answer", "question output"),
        ("question response answer", "question output reference"),
        ("id question.kind question answer", "question_id question_metadata question output"),
        ("question answer doc_ids extra", "question output passage_id metadata"),
        ("question answer passage_1 passage_2", "question output passage passage"),
        ("question answer context1 title1 context2 title2",
         "question output passage passage_title passage passage_title"),
        ("question answer doc_1_text doc_1_url doc_2_text doc_2_url",
         "question output passage passage_url passage passage_url"),
        ("question answer title", "question output metadata"),
        ("question output question_metadata metadata",
         "question output question_metadata metadata"),
        ("question answer title doc_id", "question output passage_title passage_id"),
        ("question answer passage_1", "question output metadata"),
        ("_id question answer lang dataset", "question_id question output language dataset"),
    ],
)  # fmt: skip
def test_columns_are_guessed_by_name(names, expected):
    row = dict.fromkeys(names.split(), "1")
    found = guessed(row)
    assert found.rows == "outputs"
    assert list(found.columns.values()) == expected.split()


@each(
    ("name", "cell", "fits"),
    [
        ("citations", [{"start": 0, "end": 3, "passages": [1]}], True),
        ("citations", '[{"start": 0, "end": 3, "passages": [1], "quote": ""}]', True),
        ("citations", [], True),
        ("citations", ["https://example.org/a"], False),
        ("citations", "https://example.org/a", False),
        ("statements", [{"text": "It is high [1].", "passages": [1]}], True),
        ("statements", ["It is high."], False),
        ("is_list", False, True),
        ("is_list", "True", True),
        ("is_list", 7, False),
    ],
)
def test_ambiguous_columns_are_mapped_by_content(name, cell, fits):
    found = guessed({"question": "Q?", "output": "A.", name: cell})
    assert (found.columns[name] == name) == fits


def test_unnamed_columns_are_mapped_by_content():
    rows = [
        {"a": f"q{n}", "b": f"How high is {n}?", "c": f"It is {n} m high [1].", "d": ["One text."]}
        for n in range(5)
    ]
    assert guessed(*rows).columns == {
        "a": "metadata",
        "b": "question",
        "c": "output",
        "d": "passage",
    }


def test_lists_that_stand_in_texts():
    row = {"b": "Who?", "c": "Ada [1].", "d": '[{"title": "T", "text": "Ada did."}]', "e": "[1, 2]"}
    assert guessed(row).columns["d"] == "passage"
    assert guessed(row).columns["e"] == "metadata"


def test_uninformative_columns_are_not_guessed():
    found = guessed({"x": 1, "y": None, "z": "word"})
    assert [target.key for target in found.missing()] == ["question", "output"]


@each(
    ("names", "expected"),
    [
        ("question_id system unit dimension judge value",
         "question_id system unit dimension judge value"),
        ("qid model unit metric annotator label comment",
         "question_id system unit dimension judge value note"),
        ("id unit dimension other", "question_id unit dimension "),
    ],
)  # fmt: skip
def test_judgment_columns_are_guessed_by_name(names, expected):
    found = guessed(dict.fromkeys(names.split(), "r"))
    assert found.rows == "judgments"
    assert list(found.columns.values()) == expected.split(" ")
    assert found.given == {"judge_kind": "human"}


@each(
    ("values", "means"),
    [
        ((1, 0), {"1": "yes", "0": "no"}),
        ((True, False), {"true": "yes", "false": "no"}),
        (("Y", "N"), {"Y": "yes", "N": "no"}),
        (("yes", "no"), {}),
        (("full", "none"), {}),
        ((0, 1, 2), {}),
    ],
)
def test_values_are_translated(values, means):
    rows = [{"unit": "r", "dimension": "x", "judge": "Ada", "value": value} for value in values]
    assert guessed(*rows).values == means


def test_columns_that_are_called_as_dimensions():
    """Each holds judgments: of whom, the rest of its name says."""
    found = guessed(*RATED, dimensions=Limits().dimensions)
    assert found.rows == "judgments"
    assert found.of("value") == ("utility", "citation_recall Ada", "Bo: citation recall")
    assert found.about == {
        "utility": {"dimension": "utility", "unit": "r"},
        "citation_recall Ada": {"dimension": "citation_recall", "judge": "Ada"},
        "Bo: citation recall": {"dimension": "citation_recall", "judge": "Bo"},
    }
    assert [target.key for target in found.missing()] == ["question_id", "system", "unit", "judge"]
    row = {"question": "A?", "answer": "B", "utility": 4}
    assert guessed(row, dimensions=Limits().dimensions).rows == "outputs"
    long = {"unit": "r", "dimension": "utility", "judge": "Ada", "value": 4, "utility": 1}
    assert guessed(long, dimensions=Limits().dimensions).about == {}
