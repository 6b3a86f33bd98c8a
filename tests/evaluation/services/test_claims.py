"""A study and the parser of its claims, through the commands."""

import io
import shutil

import pytest
import spacy
from django.core.management import CommandError, call_command

from annotate.models import Judgment, Unit
from annotate.studies.lifecycle import create_study
from annotate.web.errors import Refused
from evaluation.claims import parsing
from evaluation.runs import judge_making
from evaluation.runs.parsed_claims import make_claims
from tests.annotate.cups import GLASS as WRITTEN_GLASS
from tests.annotate.cups import says, task_of
from tests.annotate.loading import load, response
from tests.annotate.rating import open_work
from tests.evaluation.claims.pipelines import by_hand, trained
from tests.evaluation.claims.trees import CUPS
from tests.evaluation.services.test_judging import Flat
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db

OTHER_CUPS = "Cups can be made of glass or plastic[1]."


@pytest.fixture(scope="module")
def parsers(tmp_path_factory):
    """Two parsers: one knows trees by hand, the other has learned a little."""
    folder = tmp_path_factory.mktemp("parsers")
    for name, nlp in (("core_web_sm", by_hand()), ("core_web_md", trained())):
        nlp.meta |= {"name": name, "version": "1.0"}
        nlp.to_disk(folder / name)
    return folder


@pytest.fixture
def installed(parsers, tmp_path, monkeypatch):
    """`en_core_web_sm` in the place of the package; `en_core_web_md` lies in a folder."""
    shutil.copytree(parsers, tmp_path, dirs_exist_ok=True)
    load_from = spacy.load

    def load_named(name, **options):
        if name == parsing.SMALL_PACKAGE:
            return load_from(tmp_path / "core_web_sm", **options)
        if spacy.util.is_package(name):
            return load_from(tmp_path / name.removeprefix("en_"), **options)
        return load_from(name, **options)

    monkeypatch.setattr(spacy.util, "is_package", lambda name: False)
    monkeypatch.setattr(spacy, "load", load_named)
    judge_making._parser.cache_clear()
    yield tmp_path
    judge_making._parser.cache_clear()


@shared_rows
def cups(study):
    load(study, [response(CUPS)])
    return study


def run(*arguments):
    out = io.StringIO()
    call_command(*map(str, arguments), stdout=out)
    return out.getvalue()


def claims():
    return list(Unit.objects.filter(kind="claim").order_by("pk").values_list("text", flat=True))


GLASS, PLASTIC = "Cups can be made of glass", "Cups can be made of plastic"


def test_the_parser_is_said(cups, installed):
    said = run("make_claims", cups.slug, "--parser", "en_core_web_sm")
    assert said.splitlines()[0] == "Parser: en_core_web_sm 1.0"
    assert claims() == [GLASS, PLASTIC]


def test_sentences_whose_trees_are_stored_are_not_parsed_again(cups, installed, monkeypatch):
    parsed = []
    parse = parsing.SpacyParser.parse

    def counted(parser, texts):
        parsed.extend(texts)
        return parse(parser, texts)

    monkeypatch.setattr(parsing.SpacyParser, "parse", counted)
    run("make_claims", cups.slug)
    assert len(parsed) == 1
    run("run_judge", cups.slug, "aliice", "--scorer", "containment")
    assert len(parsed) == 1
    load(cups, [response(OTHER_CUPS, system="Umber")])
    run("run_judge", cups.slug, "aliice", "--scorer", "containment")
    assert len(parsed) == 2  # where its claims are written


def test_not_once_they_were_judged(cups, installed):
    run("make_claims", cups.slug)
    run("run_judge", cups.slug, "aliice", "--scorer", "containment")
    given = Judgment.objects.count()
    with pytest.raises(CommandError, match=r"judges and raters gave \d+ answers about them"):
        run("make_claims", cups.slug, "--remake", "--parser", installed / "core_web_md")
    assert claims() == [GLASS, PLASTIC]
    assert Judgment.objects.count() == given


def test_not_while_raters_are_asked_about_them(cups, installed):
    run("make_claims", cups.slug)
    cups.batches.create(
        name="Monday", dimensions=["claim_recall"], raters_per_item=1, lease_minutes=30
    )
    with pytest.raises(Refused, match="raters are asked about them in “Monday”"):
        make_claims(cups, Flat(), again=True)
    assert claims() == [GLASS, PLASTIC]


def test_claims_that_people_write_stay_where_the_parsers_are_made_again(alice, installed):
    made = create_study(name="Cups", slug="cups", preset="aliice", owner=alice)
    load(made, [response(CUPS)])
    task = task_of(open_work(made))
    says(task, "s1.g1:claim_words", words=WRITTEN_GLASS)
    run("make_claims", made.slug)
    before = {*Unit.objects.values_list("key", flat=True)}
    assert {"s1.a1", "s1.a2", "s1.g1", "s1.g2.c2"} <= before
    run("make_claims", made.slug, "--remake", "--parser", installed / "core_web_md")
    assert {key for key in before if ".g" in key} <= {*Unit.objects.values_list("key", flat=True)}
    assert Judgment.objects.get().claim["text"] == GLASS


def test_the_parser_of_a_study_that_is_gone(cups, installed):
    run("make_claims", cups.slug, "--parser", installed / "core_web_md")
    with pytest.raises(
        CommandError, match=r"claims were made by the parser “en_core_web_md”\. .* use --parser"
    ):
        run("make_claims", cups.slug)
    said = run("make_claims", cups.slug, "--parser", installed / "core_web_md")
    assert "1 response had theirs" in said


def test_the_setting_names_the_parser_of_new_claims(cups, installed, settings):
    settings.ATTEST_PARSER = str(installed / "core_web_md")
    assert "Parser: en_core_web_md 1.0" in run("make_claims", cups.slug)
    settings.ATTEST_PARSER = ""
    assert run("claims", CUPS) == f"[1] {GLASS}\n[2][3] {PLASTIC}\n"
    settings.ATTEST_PARSER = "no_such"
    with pytest.raises(CommandError, match="“no_such” could not be loaded"):
        run("claims", CUPS)
