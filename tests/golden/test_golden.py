"""How golden files are kept and compared. The comparison itself is `make golden`."""

from pathlib import Path

from tests.golden import files


def test_a_difference_names_the_artefact_and_both_lines() -> None:
    golden = {"pages/a": "one\ntwo\nthree", "pages/b": "same", "pages/gone": "x"}
    found = {"pages/a": "one\n2\nthree", "pages/b": "same", "pages/new": "x"}
    said = "".join(files.differences(golden, found))
    assert "--- pages/a" in said
    assert "-two\n+2\n" in said
    assert "pages/gone: was captured before, and is no more." in said
    assert "pages/new: is new." in said
    assert "pages/b" not in said


def test_a_long_line_is_cut_around_what_differs() -> None:
    golden, found = {"a": f"{'x' * 5000}1{'y' * 5000}"}, {"a": f"{'x' * 5000}2{'y' * 5000}"}
    (said,) = files.differences(golden, found)
    assert "x1y" in said
    assert "x2y" in said
    assert len(said) < 1500


def test_what_is_written_is_read_again_and_rewritten_only_where_it_changed(tmp_path: Path) -> None:
    texts = {"pages/a": "first\n\nline\r\n", "pages/b": "", "api/c": "{}"}
    assert len(files.write(texts, tmp_path)) == 2
    assert files.read(tmp_path) == texts
    assert files.write(texts, tmp_path) == []
    (changed,) = files.write({**texts, "api/c": "{1}"}, tmp_path)
    assert changed.startswith("api.txt.xz")
    assert "pages.txt.xz removed" in files.write({"api/c": "{1}"}, tmp_path)
