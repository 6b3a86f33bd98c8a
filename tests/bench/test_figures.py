"""Figures of several rounds, and what is told of them beside those of another time."""

import json

import pytest

from bench import __main__ as measuring
from bench.__main__ import ASKED_FOR, PARTS
from bench.figures import FILE, ROOT, Round, keep, read, regressions, together


def test_what_a_part_keeps_is_read_again(tmp_path, monkeypatch):
    path = tmp_path / "figures"
    monkeypatch.setenv(FILE, str(path))
    keep("a save", 3.5, "ms")
    keep("statements", 5, "statements")
    assert read(path) == {"a save": (3.5, "ms"), "statements": (5, "statements")}


def rounds(*times, unit="ms", yardsticks=None):
    each = yardsticks or [0.1] * len(times)
    return [Round("desk", y, {"a save": (t, unit)}) for t, y in zip(times, each, strict=True)]


def test_rounds_make_the_least_the_middle_and_the_most():
    found = together(rounds(4.0, 2.0, 3.0))["desk: a save"]
    assert (found["min"], found["median"], found["max"], found["rounds"]) == (2.0, 3.0, 4.0, 3)
    assert found["yardsticks"] == pytest.approx(0.03)


def test_what_is_worse_by_more_than_a_fifth_is_named():
    before, now = together(rounds(3.0)), together(rounds(3.5)) | together(rounds(3.7))
    [(name, times)] = regressions(now, before)
    assert name == "desk: a save"
    assert times == pytest.approx(3.7 / 3)
    assert regressions(together(rounds(3.5)), before) == []


def test_every_part_is_there_and_every_file_a_part():
    named = {*PARTS, *ASKED_FOR}
    for part in named:
        path = ROOT / "bench" / part.replace(".", "/")
        assert path.with_suffix(".py").exists() or (path / "__main__.py").exists()
    runs = {path.stem for path in (ROOT / "bench").glob("*.py") if "def main()" in path.read_text()}
    of_others = {"__main__", "sentence_splitters", "treebank_text"}
    assert runs - named - of_others == set()


def test_parts_have_their_turns_in_each_round_and_all_is_written(tmp_path, monkeypatch, capsys):
    asked, times = [], iter((3.0, 1.0, 5.0, 2.0))

    def turn(part, arguments):
        asked.append((part, arguments))
        return Round(part, 0.1, {"a save": (next(times), "ms")}), part != "live"

    known, out = tmp_path / "known.json", tmp_path / "bench.json"
    known.write_text(json.dumps({"commit": "abc", "figures": together(rounds(2.0))}))
    monkeypatch.setattr(measuring, "turn", turn)
    words = ["desk", "live", "--rounds", "2", "--with", "--judgments 10"]
    monkeypatch.setattr("sys.argv", ["bench", *words, "--out", str(out), "--baseline", str(known)])
    with pytest.raises(SystemExit, match="not to their end: live"):
        measuring.main()
    assert asked == [(part, ["--judgments", "10"]) for part in ("desk", "live", "desk", "live")]
    told = json.loads(out.read_text())
    assert told["figures"]["desk: a save"]["median"] == 4.0
    assert told["cores"] >= 1
    said = capsys.readouterr().out
    assert "1 worse by more than a fifth than at abc" in said
    assert "desk: a save: 2.00 times" in said
