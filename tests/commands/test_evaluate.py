"""evaluate: a file scored without a study, and without the database (no test here may use it)."""

import io
import json
import sys
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from annotate.text import splitters
from evaluation.claims.parsing import ParserError
from evaluation.judges import metrics_of
from evaluation.management.commands import evaluate as command
from evaluation.runs import judge_making
from tests.evaluation.entailment import tiny_models
from tests.evaluation.judges.items import HandMadeTrees, cases, needs

ROOT = Path(__file__).resolve().parents[2]
DEMO = ROOT / "fixtures" / "demo"

PASSAGES = [{"title": "Rain", "text": "Rain falls in spring."}, {"title": "Fog", "text": "Fog."}]
WORKED = [
    {
        "id": "q1",
        "question": "What falls?",
        "output": "Rain falls [1][2]. Fog falls [9].",
        "docs": PASSAGES,
        "qa_pairs": [{"question": "?", "short_answers": ["rain"]}],
    },
    {"id": "q2", "question": "And now?", "output": "", "docs": PASSAGES},
]


def run(path, *arguments):
    out, err = io.StringIO(), io.StringIO()
    call_command("evaluate", str(path), *map(str, arguments), stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def scored(path, *arguments):
    return json.loads(run(path, *arguments, "--json")[0])


@pytest.fixture
def worked(tmp_path):
    path = tmp_path / "worked.json"
    path.write_text(json.dumps({"args": {"model": "m/own", "seed": 7}, "data": WORKED}))
    return path


def test_a_table_by_its_mapping(tmp_path):
    rows = [{"ask": "What falls?", "says": "Rain falls [1].", "ctx": ["Rain falls in spring."]}]
    (tmp_path / "rows.json").write_text(json.dumps(rows))
    columns = {"ask": "question", "says": "output", "ctx": "passage"}
    how = {"attest_mapping": 1, "rows": "outputs", "columns": columns}
    (tmp_path / "how.json").write_text(json.dumps(how))
    asked = ("--judge", "alce", "--scorer", "containment", "--mapping", tmp_path / "how.json")
    found = scored(tmp_path / "rows.json", *asked)
    assert found["aggregate"]["citation_recall"] == 1.0
    (tmp_path / "how.json").write_text("{")
    with pytest.raises(CommandError, match="Expected a mapping as JSON"):
        scored(tmp_path / "rows.json", *asked)


def test_json_has_scores_reasons_and_signature(worked):
    found = scored(worked, "--judge", "alce", "--scorer", "containment")
    assert found["aggregate"] == {"citation_recall": 0.5, "citation_precision": 0.5}
    first, second = found["per_item"]
    assert first == {
        "place": "item data[0]",
        "question_id": "q1",
        "question": "What falls?",
        "system": "own",
        "run": "7",
        "citation_recall": 0.5,
        "citation_precision": 0.5,
    }
    assert second["citation_recall"] is None
    assert second["reasons"]["citation_recall"] == "empty output"
    assert found["signature"] == (
        "alce|containment:1|thr:0.5|cap:3|variant:released|v:1; "
        "statements:1|cleaning:1|splitter:rules:1|reading:repaired|mode:sentences|cap:none"
    )
    assert (found["responses"], found["judged"]["citation_recall"]) == (2, 1)
    assert found["pairs"]["joint"] == {"asked": 1, "different": 1, "cached": 0, "computed": 1}


def test_cap_limits_counted_citations(worked):
    options = ("--judge", "alce", "--scorer", "containment")
    assert "|cap:1|" in scored(worked, *options, "--cap", "1")["signature"]
    assert "|cap:none|" in scored(worked, *options, "--cap", "none")["signature"]
    assert scored(worked, *options, "--cap", "1")["aggregate"]["citation_precision"] == 1.0


def test_threshold_changes_scores_and_signature(worked):
    options = ("--judge", "alce", "--scorer", "containment", "--threshold")
    assert scored(worked, *options, "0")["aggregate"]["citation_recall"] == 0.5
    assert "|thr:0.25|" in scored(worked, *options, "0.25")["signature"]


THREE_LINES = {
    "question": "What falls?",
    "output": "Rain falls in spring [1].\nFog [2].\nSnow falls in May [1].",
    "docs": PASSAGES,
}


@pytest.mark.parametrize(
    ("options", "recall", "lines"),
    [
        (["--judge", "alce"], 1.0, "statements:1|cleaning:1"),
        (["--judge", "alce", "--lines", "flat"], 2 / 3, "lines:flat"),
        (["--judge", "alce", "--variant", "paper"], 2 / 3, "lines:all"),
        (["--judge", "aliice", "--level", "sentences"], 2 / 3, "lines:flat"),
        (["--judge", "aliice", "--level", "sentences", "--lines", "first"], 1.0, "cleaning:1"),
        (["--judge", "aliice", "--level", "sentences", "--variant", "paper"], 2 / 3, "lines:all"),
    ],
    ids=lambda each: "-".join(each).replace("--", "") if isinstance(each, list) else None,
)
def test_each_script_reads_the_lines_that_it_reads(tmp_path, options, recall, lines):
    """ALCE's script cuts an output at its first new line, ALiiCE's does not."""
    path = tmp_path / "three.json"
    path.write_text(json.dumps([THREE_LINES]))
    out, err = run(path, *options, "--scorer", "containment", "--json")
    found = json.loads(out)
    metric = "citation_recall" if "alce" in options else "aliice_recall"
    assert found["aggregate"][metric] == pytest.approx(recall)
    assert lines in found["signature"]
    said = "1 output has text after the first line, which is not read, 7 words of 12 (58.3 %)"
    assert (said in err) == (recall == 1.0)


BESIDE = {
    "question": {"text": "What falls?"},
    "system": "own",
    "output": "# Rain\n\nIt falls.\n\n---\n\n# Snow\n\nSo does it.",
    "citations": [
        {"start": 8, "end": 17, "passages": [1]},
        {"start": 32, "end": 43, "passages": [1]},
    ],
    "passages": [{"n": 1, "title": "", "text": "Rain and snow fall."}],
}


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("all", "own.jsonl: Not judged: 2 headings, 1 line across."),
        ("flat", "own.jsonl: 2 citations given as spans, which only --lines all reads"),
        ("first", "own.jsonl: 1 output has text after the first line, which is not read, 8 words"),
    ],
)
def test_what_is_not_read_or_not_judged_is_said(tmp_path, lines, said):
    path = tmp_path / "own.jsonl"
    path.write_text(json.dumps(BESIDE) + "\n")
    err = run(path, "--judge", "alce", "--scorer", "containment", "--lines", lines)[1]
    assert said in err
    assert ("spans" in err) == (lines != "all")


def test_claims_by_spans_are_read_from_all_lines(tmp_path):
    path = tmp_path / "own.jsonl"
    path.write_text(json.dumps(BESIDE) + "\n")
    options = ["--judge", "aliice", "--level", "spans", "--scorer", "containment", "--json"]
    assert "lines:all" in json.loads(run(path, *options)[0])["signature"]


def test_a_language_of_outputs(tmp_path):
    path = tmp_path / "german.json"
    item = THREE_LINES | {"output": "Am 3. Mai fiel Regen [1]."}
    path.write_text(json.dumps([item]))
    options = ["--judge", "alce", "--variant", "paper", "--scorer", "containment", "--per-item"]
    assert "language:de|" in run(path, *options, "--language", "de")[0]
    with pytest.raises(CommandError, match="expected a code"):
        run(path, *options, "--language", "Klingon!")


def test_scores_are_listed_per_response(worked):
    out, _ = run(worked, "--judge", "alce", "--scorer", "containment", "--per-item")
    assert "item data[0], own: What falls?\n  Citation recall: 50.0 %\n" in out
    assert "item data[1], own: And now?\n  Citation recall: undefined (empty output)\n" in out


def test_demo_files_are_scored(subtests):
    for name, judge in [("alce-careful.json", "alce"), ("ais.jsonl", "autoais")]:
        with subtests.test(name=name, judge=judge):
            found = scored(DEMO / name, "--judge", judge, "--scorer", "containment")
            assert set(found["aggregate"]) <= {metric.key for metric in metrics_of(judge)}
            assert len(found["per_item"]) == found["responses"] >= 24
            for value in found["aggregate"].values():
                assert value is None or value >= 0


def test_aliice_with_a_parser(worked, monkeypatch):
    trees = [
        {"words": ["Rain", "falls"], "heads": [0, 0], "deps": ["ROOT", "x"]},
        {"words": ["Fog", "falls"], "heads": [1, 1], "deps": ["nsubj", "ROOT"]},
    ]
    monkeypatch.setattr(judge_making, "_parser", lambda name: HandMadeTrees(trees))
    found = scored(worked, "--judge", "aliice", "--scorer", "containment")
    assert found["aggregate"]["aliice_recall"] == 1.0
    assert set(found["aggregate"]) == {"aliice_recall", "aliice_precision", "aliice_f1", "cvcp"}
    assert "|parser:hand-made|" in found["signature"]


def test_without_a_parser_it_says_what_to_do(worked, monkeypatch):
    def none(name):
        raise ParserError("There is no parser for English here.")

    monkeypatch.setattr(judge_making, "_parser", none)
    with pytest.raises(CommandError, match=r"no parser .* Or score whole sentences: --level"):
        run(worked, "--judge", "aliice", "--scorer", "containment")
    found = scored(worked, "--judge", "aliice", "--scorer", "containment", "--level", "sentences")
    assert found["aggregate"]["aliice_recall"] == 1.0


def test_bad_records_are_named_and_nothing_is_scored(tmp_path):
    path = tmp_path / "bad.json"
    path.write_text(json.dumps([WORKED[0], {"question": "?", "output": 5, "docs": []}]))
    out, err = io.StringIO(), io.StringIO()
    with pytest.raises(CommandError, match="1 error; nothing was scored"):
        call_command("evaluate", str(path), "--judge", "alce", stdout=out, stderr=err)
    assert err.getvalue().startswith(
        "bad.json: item [1], field output: expected a text, found the number 5"
    )
    assert out.getvalue() == ""
    found, said = run(path, "--judge", "alce", "--scorer", "containment", "--keep-good", "--json")
    assert json.loads(found)["responses"] == 1
    assert "field output" in said


def test_only_some_of_many_errors_are_listed(tmp_path):
    path = tmp_path / "bad.json"
    path.write_text(json.dumps([{"question": f"{n}?", "output": 5, "docs": []} for n in range(30)]))
    err = io.StringIO()
    with pytest.raises(CommandError, match="nothing was scored"):
        call_command("evaluate", str(path), "--judge", "alce", stderr=err)
    lines = err.getvalue().splitlines()
    assert len(lines) == command.MOST_PROBLEMS + 1
    assert lines[-1].startswith("… and ")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("judgments.csv", None, "expected outputs, found judgments"),
        ("notes.txt", "Some notes.", "expected a file in one of the formats"),
        ("empty.json", "", "found an empty file"),
        ("none.json", None, "There is no file"),
    ],
)
def test_file_without_outputs_is_refused(tmp_path, name, content, message):
    path = DEMO / name if content is None else tmp_path / name
    if content is not None:
        path.write_text(content)
    with pytest.raises(CommandError, match=message):
        run(path, "--judge", "alce", "--scorer", "containment")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--judge", "autoais", "--cap", "3"), "“autoais” has no option “cap”"),
        (("--judge", "alce", "--option", "shoe=5"), "“containment” has no option “shoe”"),
        (("--judge", "alce", "--cap", "0"), "expected a number from 1 on, or none, found “0”"),
        (("--judge", "alce", "--threshold", "2"), "expected a number from 0 to 1, found “2”"),
        (("--judge", "alce", "--option", "shoe"), "expected name=value, found “shoe”"),
        (("--judge", "magic"), "invalid choice"),
        ((), "required: --judge"),
    ],
)
def test_unknown_option_is_refused(worked, options, message):
    with pytest.raises(CommandError, match=message):
        run(worked, *options, "--scorer", "containment")


def test_how_often_a_premise_was_too_long_is_said(tmp_path):
    path = tmp_path / "long.json"
    docs = [{"title": "Rain", "text": "Rain falls on the coast. " * 20}, PASSAGES[1]]
    output = "Rain falls [1]. Snow falls [2]."
    path.write_text(json.dumps([{"question": "?", "output": output, "docs": docs}]))
    options = ("--judge", "autoais", "--scorer", "classifier", "--mode", "sentences", "--model")
    out, _ = run(path, *options, tiny_models.bert(tmp_path / "bert"))
    assert "Longer than the model takes: 1 of " in out
    assert "Pairs that were known already are not counted." in out
    lengths = scored(path, *options, tmp_path / "bert")["lengths"]
    assert lengths.keys() == {"pairs", "windowed", "windows", "truncated"}
    assert (lengths["windowed"], lengths["truncated"]) == (1, 0)
    assert lengths["windows"] > 2
    cut = scored(path, *options, tmp_path / "bert", "--option", "long=truncate")["lengths"]
    assert (cut["pairs"], cut["windowed"], cut["truncated"]) == (lengths["pairs"], 0, 1)


def test_a_splitter_that_cannot_run_here_is_said_once(worked, monkeypatch):
    splitters._punkt.cache_clear()
    monkeypatch.setitem(sys.modules, "nltk.tokenize.punkt", None)
    err = io.StringIO()
    options = ("--judge", "alce", "--scorer", "containment", "--splitter", "punkt")
    with pytest.raises(CommandError, match=r"^The splitter 'punkt' needs the Python package nltk"):
        call_command("evaluate", str(worked), *options, "--keep-good", stderr=err)
    assert err.getvalue() == ""


@needs("alce.json")
def test_the_worked_cases_from_a_file(tmp_path):
    worked = cases("alce.json")
    path = tmp_path / "alce.json"
    path.write_text(json.dumps({"data": worked["items"]}))
    for judge, names in (
        ("alce", {"citation_recall": "citation_rec", "citation_precision": "citation_prec"}),
        ("correctness", {"em_recall": "str_em", "em_hit": "str_hit", "claim_recall": "claims_nli"}),
    ):
        found = scored(path, "--judge", judge, "--scorer", "containment", "--variant", "released")
        for key, name in names.items():
            expected = worked["aggregate_at_most_3"][name] / 100
            assert found["aggregate"][key] == pytest.approx(expected, abs=1e-9, rel=0)


@needs("qampari.json")
def test_the_worked_lists_from_a_file(tmp_path):
    worked = cases("qampari.json")
    path = tmp_path / "qampari.json"
    path.write_text(json.dumps(worked["items"]))
    found = scored(path, "--judge", "correctness", "--scorer", "containment")["aggregate"]
    assert found["qampari_f1_5"] == pytest.approx(
        worked["aggregate"]["qampari_f1_top5"] / 100, abs=1e-9, rel=0
    )
