"""The sentences of a passage, and the words that it shares with a statement."""

from annotate.text.shown_passages import Piece, pieces, shared_words
from tests.segment.test_linear_time import UNITS, linear


def words(text: str, spans: list[tuple[int, int]]) -> list[str]:
    return [text[start:end] for start, end in spans]


def shared(statement: str, passage: str) -> tuple[list[str], list[str]]:
    in_statement, in_passage = shared_words(statement, passage)
    return words(statement, in_statement), words(passage, in_passage)


# Shared words ------------------------------------------------------------------------------------


def test_words_are_found_in_both_texts() -> None:
    assert shared("Everest is 8,849 metres high.", "The metre: EVEREST has 8849 of them.") == (
        ["Everest", "8,849", "metres"],
        ["metre", "EVEREST", "8849"],
    )


def test_the_same_word_in_another_form(subtests):
    for one, other in [
        ("report", "reports"),
        ("report", "reported"),
        ("reports", "reporting"),
        ("use", "using"),
        ("used", "uses"),
        ("stop", "stopped"),
        ("fall", "falling"),
        ("travel", "travelled"),
        ("city", "cities"),
        ("carried", "carry"),
        ("boxes", "box"),
        ("churches", "church"),
        ("planes", "plane"),
        ("Norgay", "Norgay's"),
        ("Norgay’s", "norgay"),
        ("STRASSE", "straße"),
        ("ﬁlm", "film"),
        ("caf\u00e9", "cafe\u0301"),
        ("1,000", "1000"),
        ("1,000, or so", "1000."),
        ("1,234,567.5", "1234567.5"),
        ("well-known", "well"),
        ("not", "not"),
    ]:
        with subtests.test(one=one):
            found = shared(one, other)
            assert all(found), found
            assert shared(other, one) == (found[1], found[0])


def test_other_words_are_not_shared(subtests):
    for one, other in [
        ("the", "the"),
        ("It was in the", "it was in the"),
        ("2016", "2018"),
        ("1,00", "100"),
        ("3.5", "35"),
        ("1990s", "1990"),
        ("plane", "plan"),
        ("planes", "plans"),
        ("king", "k"),
        ("string", "str"),
        ("bus", "bu"),
        ("class", "clas"),
        ("need", "ne"),
        ("car", "care"),
        ("a_b", "c_d"),
    ]:
        with subtests.test(one=one):
            assert shared(one, other) == ([], [])


# Pieces ------------------------------------------------------------------------------------------


def joined(found: list[Piece]) -> str:
    return "".join(piece.text for piece in found)


def test_whatever_is_marked_the_runs_join_up_to_the_text(subtests):
    for marks in [
        [],
        [(0, 19)],
        [(3, 15)],
        [(5, 8), (3, 6)],
        [(-4, 2), (17, 99), (7, 7), (8, 5)],
        [(0, 1), (1, 2), (2, 3)],
        [(9, 10)],
    ]:
        with subtests.test(marks=marks):
            text = "It rains. It snows."
            found = pieces(text, marks)
            assert joined(found) == text
            marked = {i for a, b in marks for i in range(max(a, 0), min(b, len(text)))}
            for piece in found:
                assert "".join(run.text for run in piece.runs) == piece.text
                for run in piece.runs:
                    assert run.text
                    assert text[run.start : run.end] == run.text
                    if piece.sentence:
                        assert {i in marked for i in range(run.start, run.end)} == {run.shared}


def marked(text: str) -> object:
    _, in_passage = shared_words(text, text)
    return pieces(text, in_passage)


def test_time_grows_with_the_text_and_no_faster(subtests):
    for unit in [
        *UNITS.values(),
        "1,000,",
        "000,",
        "a'",
        "e\u0301",
        "falling ",
        "It rains 3,4,5. ",
    ]:
        with subtests.test(unit=unit):
            assert linear(marked, unit)
