"""Tables of one kind together, and no longer than anybody reads; nothing left out in silence."""

from evaluation.reports.exports.compact import MOST_ACROSS, MOST_ROWS, compact
from evaluation.reports.sections.section import Tables
from evaluation.reports.tables.table import Column, Table, Value

COLUMNS = (
    Column("name", "Name"),
    Column("units", "Units", "count"),
    Column("k", "Kappa", "number"),
)


def table(of, rows, notes=(), columns=COLUMNS, caption="Caption."):
    return Table(
        f"some-{of}", f"Some: {of}", caption, columns, tuple(rows), notes, detail=True, of=of
    )


def rows(count):
    return [(f"n{place}", place, Value(place / 10)) for place in range(count)]


def test_the_same_columns_make_one_table():
    made = list(compact(Tables("some", folded="Some"), [table("A", rows(2)), table("B", rows(1))]))
    [(joined, keys)] = made
    assert keys == ("some-A", "some-B")
    assert (joined.title, joined.caption) == ("Some", "Caption.")
    assert [column.title for column in joined.columns] == ["Of", "Name", "Units", "Kappa"]
    assert [row[:3] for row in joined.rows] == [("A", "n0", 0), ("A", "n1", 1), ("B", "n0", 0)]


def test_other_columns_make_another_table():
    other = (*COLUMNS[:2], Column("k", "Kappa", "share"))
    given = [table("A", rows(1)), table("B", rows(1), columns=other), table("C", rows(1))]
    found = [part.keys for part in compact(Tables("some", folded="Some"), given)]
    assert found == [("some-A", "some-C"), ("some-B",)]


def test_a_table_that_is_of_nothing_stays_alone():
    alone = Table("some", "Some", "", COLUMNS, tuple(rows(1)))
    [part] = compact(Tables("some"), [alone])
    assert part.table == alone


def test_side_by_side_a_row_for_each_name_and_a_column_for_each_table():
    given = [table("A", rows(2)), table("B", rows(3)[1:])]
    [(joined, _)] = compact(Tables("some", folded="Some", across="k"), given)
    assert [column.title for column in joined.columns] == ["Name", "A", "B"]
    assert joined.rows == (
        ("n0", Value(0.0), None),
        ("n1", Value(0.1), Value(0.1)),
        ("n2", None, Value(0.2)),
    )
    assert joined.notes == (
        "What else is known of each number: the report's files tables/some-….csv.",
    )


def test_no_more_side_by_side_than_fit():
    given = [table(f"{place:02}", rows(1)) for place in range(MOST_ACROSS + 2)]
    parts = list(compact(Tables("some", folded="Some", across="k"), given))
    assert [len(part.table.columns) for part in parts] == [1 + MOST_ACROSS, 3]


def test_what_is_left_out_is_said_and_where_it_is():
    kind = Tables("some", folded="Some")
    [(alone, _)] = compact(kind, [table("A", rows(MOST_ROWS + 1))])
    assert len(alone.rows) == MOST_ROWS
    assert alone.notes == (
        f"The first rows, {MOST_ROWS} of {MOST_ROWS + 1}; all: the report's file "
        "tables/some-A.csv.",
    )
    [(joined, _)] = compact(kind, [table("A", rows(2)), table("B", rows(MOST_ROWS))])
    assert [row[0] for row in joined.rows].count("A") == 2
    assert len(joined.rows) == MOST_ROWS
    assert joined.notes == (
        f"The first rows of each, {MOST_ROWS} of {MOST_ROWS + 2}; all: the report's files "
        "tables/some-….csv.",
    )
    many = [table(f"{place}", rows(3)) for place in range(MOST_ROWS)]
    [(joined, _)] = compact(kind, many)
    assert [row[0] for row in joined.rows] == [one.of for one in many]


def test_a_note_says_of_which_table_it_is():
    given = [table("A", rows(1), ("Both.", "One.")), table("B", rows(1), ("Both.",))]
    [(joined, _)] = compact(Tables("some", folded="Some"), given)
    assert joined.notes == ("Both.", "A: One.")
    given = [table("A", rows(1), caption="Of 3."), table("B", rows(1), caption="Of 4.")]
    [(joined, _)] = compact(Tables("some", folded="Some"), given)
    assert (joined.caption, joined.notes) == ("", ("A: Of 3.", "B: Of 4."))
