from annotate.text import Reading, segment
from tests.cases import each


def entities(raw: str, reading: Reading) -> list[tuple[str, list[int]]]:
    made = segment(raw, question="Which?", mode="list", reading=reading, passages=5)
    return [(s.text, [c.number for c in s.citations]) for s in made.statements]


@each(
    ("raw", "repaired", "strict"),
    [
        ("Rain", [("Which? Rain", [])], [("Which? Rain", [])]),
        (
            "Rain [1], Snow [2, 3].",
            [("Which? Rain", [1]), ("Which? Snow", [2, 3])],
            [("Which? Rain", [1]), ("Which? Snow", [2, 3])],
        ),
        (
            "Rain, [1] Snow.",
            [("Which? Rain", [1]), ("Which? Snow", [])],
            [("Which? Rain", []), ("Which? Snow", [1])],
        ),
        (
            "Rain,, Snow,.",
            [("Which? Rain", []), ("Which? Snow", [])],
            [("Which? Rain", []), ("Which?", []), ("Which? Snow", [])],
        ),
        (
            ", Rain [1]",
            [("Which? Rain", [1])],
            [("Which?", []), ("Which? Rain", [1])],
        ),
        ("Rain. [1]", [("Which? Rain", [1])], [("Which? Rain.", [1])]),
        ("[1]", [("Which?", [1])], [("Which?", [1])]),
        (",", [("Which?", [])], [("Which?", [])]),
        ("", [], []),
    ],
)
def test_lists_are_divided_into_entities(raw, repaired, strict):
    assert entities(raw, "repaired") == repaired
    assert entities(raw, "strict") == strict
