"""Questions by themselves: ALCE's data, and Attest's own lines, in and out."""

import json

from annotate.formats import recognise
from tests.cases import each
from tests.formats.reading import outcome

DOC = {"id": "d7", "title": "Zugspitze", "text": "At 2,962 m it is the highest.", "score": 1.5}
ITEM = {
    "sample_id": 12,
    "question": "How high?",
    "qa_pairs": [{"question": "How high?", "short_answers": ["2,962 m"]}],
    "wikipages": [{"title": "Zugspitze"}],
    "docs": [DOC, {"title": "Wetterstein", "text": "Mountains."}],
}
LONG = [{**DOC, "text": "word " * 160} for _ in range(100)]


def test_alce_s_data_as_alce_gives_them_out(tmp_path):
    found = outcome(tmp_path / "asqa_eval_gtr_top100.json", [ITEM], "alce-questions")
    assert not found.problems
    (row,) = found.questions
    assert (row.question.external_id, row.question.text) == ("12", "How high?")
    assert row.question.references == {"qa_pairs": ITEM["qa_pairs"]}
    assert row.question.metadata == {"dataset": "asqa", "wikipages": [{"title": "Zugspitze"}]}
    assert [(p.n, p.title, p.external_id) for p in row.passages] == [
        (1, "Zugspitze", "d7"), (2, "Wetterstein", ""),
    ]  # fmt: skip
    assert row.passages[0].metadata == {"score": 1.5}


@each(
    ("value", "key"),
    [
        ([ITEM], "alce-questions"),
        ({"data": [ITEM]}, "alce-questions"),
        ([ITEM, {**ITEM, "output": "High."}], "alce-questions"),
        ([{**ITEM, "output": "High."}, ITEM], "alce"),
        ({"args": {"model": "m"}, "data": [ITEM]}, "alce"),
        ([{**ITEM, "docs": LONG}], "alce-questions"),
        ([{"docs": LONG, "question": "How high?"}], "alce-questions"),
        ([{"output": "High.", "docs": LONG, "question": "How high?"}], "alce"),
        ([{"docs": LONG[:20], "question": "How high?", "output": "High."}], "alce"),
        ({"question": {"text": "Q"}, "passages": []}, "questions"),
        ({"question": {"text": "Q"}}, "questions"),
        ({"question": {"text": "Q"}, "passages": LONG}, "questions"),
        ({"question": {"text": "Q"}, "system": "S", "passages": LONG}, "attest"),
    ],
)
def test_questions_are_distinguished_from_answers(value, key):
    assert recognise(json.dumps(value).encode()) == key
