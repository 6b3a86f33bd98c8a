import sys
from types import SimpleNamespace

import pytest

from evaluation.judges import summarise
from evaluation.judges.fluency import Fluency
from tests.evaluation.judges.items import item


@pytest.fixture
def mauve(monkeypatch):
    """Stands in for the package; keeps what it was asked."""
    asked = []

    def compute_mauve(**arguments):
        asked.append(arguments)
        return SimpleNamespace(mauve=0.25 * len(asked))

    monkeypatch.setitem(sys.modules, "mauve", SimpleNamespace(compute_mauve=compute_mauve))
    return asked


def answered(output, key, system="A", answer="It rains."):
    return item(
        output, key=key, question="What falls?", references={"answer": answer}, system=system
    )


def reasons(items, **options):
    return [verdict.reason for verdict in Fluency(**options).judge(items)]


def test_without_the_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "mauve", None)
    (reason,) = reasons([answered("Rain.", "1")], model="gpt2")
    assert "pip install mauve-text" in reason


def test_without_a_model():
    (reason,) = reasons([answered("Rain.", "1")])
    assert "needs a GPT-2-like model" in reason


def test_without_output_or_reference(mauve):
    found = reasons([answered(" ", "1"), answered("Rain.", "2", answer="")], model="m")
    assert found == ["empty output", "no reference: no long answer"]
    assert mauve == []


def test_one_figure_for_each_system(mauve):
    items = [answered(f"Rain {n} [1].", f"{s}{n}", system=s) for s in "AB" for n in (1, 2)]
    judge = Fluency(model="some/gpt2")
    verdicts = judge.judge(items)
    assert [v.score for v in verdicts] == [0.25, 0.25, 0.5, 0.5]
    assert mauve[0]["p_text"] == ["What falls? It rains"] * 2
    assert mauve[0]["q_text"] == ["What falls? Rain 1", "What falls? Rain 2"]
    assert mauve[0]["featurize_model_name"] == "some/gpt2"
    found = summarise("fluency", items[2:], verdicts, variant="released")
    assert found.aggregate["mauve"].value == 0.5


def test_a_model_that_cannot_be_loaded(mauve, monkeypatch):
    def fails(**_):
        raise OSError("no such\nfolder" + "!" * 300)

    monkeypatch.setattr(sys.modules["mauve"], "compute_mauve", fails)
    found = reasons([answered("Rain.", k) for k in "12"], model="m")
    assert found[0].startswith("MAUVE's model m cannot be used: no such folder!")
    assert found == [found[0]] * 2
    assert len(found[0]) == 200  # what the database takes


def test_the_signature_names_the_model_by_its_weights(tmp_path):
    folders = [tmp_path / place / "gpt2" for place in ("one", "other")]
    for folder in folders:
        folder.mkdir(parents=True)
        (folder / "config.json").write_text("{}")
        (folder / "model.safetensors").write_bytes(b"weights")
    one, other = (Fluency(model=str(folder)).signature for folder in folders)
    assert one == other
    assert one.startswith("fluency|model:gpt2|rev:sha256-")
    (folders[1] / "model.safetensors").write_bytes(b"Weights")
    assert Fluency(model=str(folders[1])).signature != one


def test_the_signature_of_a_model_that_is_not_there(tmp_path):
    missing = Fluency(model=str(tmp_path / "gpt2-large")).signature
    assert missing.startswith("fluency|model:gpt2-large|rev:unknown|")
    assert Fluency().signature.startswith("fluency|model:none|mauve:")
