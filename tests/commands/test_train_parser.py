"""`manage.py train_parser`, from end to end on a small treebank."""

import io
import json
import re
import shutil
from itertools import product

import pytest
from django.core.management import CommandError, call_command

from evaluation.claims.manifest import check_manifest
from evaluation.claims.parsing import load_parser
from tests.evaluation.claims.trees import claims_of_sentence

SLEEPS = """\
1\t{name}\t{name}\tPROPN\tNNP\t_\t2\tnsubj\t_\t_
2\tsleeps\tsleep\tVERB\tVBZ\t_\t0\troot\t_\t_
3\tin\tin\tADP\tIN\t_\t4\tcase\t_\t_
4\t{place}\t{place}\tNOUN\tNNS\t_\t2\tobl\t_\t_
5\tor\tor\tCCONJ\tCC\t_\t6\tcc\t_\t_
6\tfields\tfield\tNOUN\tNNS\t_\t4\tconj\t_\t_
7\tat\tat\tADP\tIN\t_\t8\tcase\t_\t_
8\tnight\tnight\tNOUN\tNN\t_\t2\tobl\t_\tSpaceAfter=No
9\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\t_

"""
NAMES = ("Anna", "Bob", "Carla", "Dora", "Emil", "Frieda")
PLACES = ("parks", "woods", "caves", "barns", "tents", "boats")


@pytest.fixture(scope="module")
def treebank(tmp_path_factory):
    folder = tmp_path_factory.mktemp("treebank")
    for portion, names in (("train", NAMES), ("dev", NAMES[:2])):
        text = "".join(SLEEPS.format(name=n, place=p) for n, p in product(names, PLACES))
        (folder / f"en_naps-ud-{portion}.conllu").write_text(text, encoding="utf-8")
    return folder


def train(treebank, out, *options):
    return said("train_parser", "--treebank", treebank, "--out", out, *options)


def said(name, *arguments):
    out = io.StringIO()
    call_command(name, *map(str, arguments), stdout=out)
    return out.getvalue()


@pytest.fixture(scope="module")
def trained(treebank, tmp_path_factory):
    out = tmp_path_factory.mktemp("trained") / "pipeline"
    return out, train(treebank, out, "--steps", 28)


def test_what_is_said(trained):
    out, said = trained
    lines = said.splitlines()
    assert lines[:3] == [
        "train: 36 sentences, 324 words, 0 left out",
        "dev: 12 sentences, 108 words, 0 left out",
        lines[2],
    ]
    assert re.fullmatch(r"\d+ texts to learn from, \d+ to try the pipeline on", lines[2])
    assert re.fullmatch(r"Step 0 of 28, \d+ s: UAS .*, LAS .*, tags .*, the best so far", lines[3])
    assert any(line.startswith("Step 28 of 28, ") for line in lines)
    assert lines[-1] == f"The pipeline and its card are in {out}"


def test_from_treebank_to_claims(trained):
    parser = load_parser(str(trained[0]))
    claims = claims_of_sentence("Zora sleeps in huts[1] or fields[2] at night.", parser)
    assert [claim.citations for claim in claims] == [(1,), (2,)]


def test_what_lies_beside_the_weights(treebank, trained):
    out, _ = trained
    meta = json.loads((out / "meta.json").read_text(encoding="utf-8"))
    assert (meta["training"]["seed"], meta["training"]["steps"]) == (1, 28)
    assert 0 < meta["performance"]["passages"]["las"] <= meta["performance"]["passages"]["uas"] <= 1
    assert str(treebank) not in (out / "config.cfg").read_text(encoding="utf-8")
    card = (out / "README.md").read_text(encoding="utf-8")
    assert "with seed 1 and 28 steps" in card
    assert "name its sources and licences here" in card
    check_manifest(out)


def test_finishing_what_was_interrupted(treebank, trained, tmp_path):
    out = tmp_path / "pipeline"
    shutil.copytree(trained[0], out)
    (out / "README.md").unlink()
    (out / "manifest.json").unlink()
    assert "Step" not in train(treebank, out, "--finish")
    assert load_parser(str(out)).fingerprint == load_parser(str(trained[0])).fingerprint
    assert (out / "README.md").is_file()


def test_too_little_to_learn_from(treebank, tmp_path):
    with pytest.raises(CommandError, match=r"at least 30 prepositions .* found 20\. Give a larger"):
        train(treebank, tmp_path / "new", "--sentences", 5)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("option", ["--steps", "--sentences"])
def test_numbers_that_are_none(treebank, tmp_path, option):
    with pytest.raises(CommandError, match=rf"{option}: expected a number from 1 on, found 0"):
        train(treebank, tmp_path / "new", option, 0)


def test_without_a_treebank(tmp_path):
    with pytest.raises(CommandError, match=r"found none that ends in train\.conllu"):
        train(tmp_path, tmp_path / "new")


def test_a_folder_with_other_things_is_let_be(treebank, tmp_path):
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "anna.txt").write_text("Dear Anna", encoding="utf-8")
    with pytest.raises(CommandError, match=r"letters is there already and is no pipeline"):
        train(treebank, tmp_path / "letters")
    assert (tmp_path / "letters" / "anna.txt").exists()


def test_nothing_to_finish(treebank, tmp_path):
    with pytest.raises(CommandError, match=r"Expected a pipeline in .*; there is no meta\.json"):
        train(treebank, tmp_path / "new", "--finish")
