"""The sentences of a passage, and the words that it shares with a statement."""

from annotate.reading.passages import Piece, pieces, sentences, shared_words
from tests.segment.test_linear_time import UNITS, linear


def words(text: str, spans: list[tuple[int, int]]) -> list[str]:
    return [text[start:end] for start, end in spans]


def shared(statement: str, passage: str) -> tuple[list[str], list[str]]:
    in_statement, in_passage = shared_words(statement, passage)
    return words(statement, in_statement), words(passage, in_passage)


# Sentences ---------------------------------------------------------------------------------------


def test_sentences_lie_where_the_rules_put_them(subtests):
    for text, expected in [
        ("", []),
        (" \n ", []),
        ("One sentence", ["One sentence"]),
        ("  It rains. \n\n It snows.  ", ["It rains.", "It snows."]),
        ("Dr. Smith came. He left at 5 p.m. on Friday.", None),
        ("Der Hügel 🏔 ist hoch. 雨が降る。", ["Der Hügel 🏔 ist hoch.", "雨が降る。"]),
    ]:
        with subtests.test(text=text):
            if expected is None:
                expected = ["Dr. Smith came.", "He left at 5 p.m. on Friday."]
            assert words(text, sentences(text)) == expected


def test_only_white_space_lies_outside_of_sentences() -> None:
    text = "\tIt rains.  It snows!\nIs it so? \u00a0 Yes."
    covered = {i for start, end in sentences(text) for i in range(start, end)}
    assert all(text[i].isspace() for i in range(len(text)) if i not in covered)
    assert len(sentences(text)) == 4


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


def test_offsets_count_code_points() -> None:
    statement, passage = "🏔🏔 Everest", "🏔 Mount Everest"
    assert shared_words(statement, passage) == ([(3, 10)], [(8, 15)])


# Pieces ------------------------------------------------------------------------------------------


def joined(found: list[Piece]) -> str:
    return "".join(piece.text for piece in found)


def test_pieces_are_sentences_and_what_lies_between() -> None:
    text = " It rains. It snows.\n"
    found = pieces(text, [])
    assert [(p.text, p.sentence) for p in found] == [
        (" ", None),
        ("It rains.", 1),
        (" ", None),
        ("It snows.", 2),
        ("\n", None),
    ]
    assert all(text[p.start : p.end] == p.text for p in found)


def test_marks_are_runs_within_their_sentence() -> None:
    text = "It rains. It snows."
    found = [p for p in pieces(text, [(3, 8), (13, 18)]) if p.sentence]
    assert [[(r.text, r.shared) for r in p.runs] for p in found] == [
        [("It ", False), ("rains", True), (".", False)],
        [("It ", False), ("snows", True), (".", False)],
    ]


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
