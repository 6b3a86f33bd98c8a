"""The protocols that ship beside those of the papers: three raters answer each in the form, and the
export and the report have their numbers."""

import csv
import io
import json
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from annotate.models import Unit, User
from annotate.protocol.dimensions import UnitKind
from annotate.protocol.presets import PRESETS, grouped
from annotate.protocol.shipped import PROTOCOLS
from annotate.studies.lifecycle import create_study
from tests.annotate.loading import load, response
from tests.annotate.rating import answer, at, finish, open_work, rater_in, take

VERMILION = "The Zugspitze is 2,962 m high [1]. It is in the Wetterstein [2]. It is lovely."
CYAN = "It is a high peak [2][1]."

# By protocol: the questions in the order of the form for Vermilion's answer, and for each, and for
# Cyan's, what three raters say; then each system's numbers, worked by hand from shares of votes.
FORMS: dict[str, Any] = {
    "trec": (
        {"s1:trec_support": "full full partial", "s2:trec_support": "none none partial"},
        {"s1:trec_support": "partial partial partial"},
        {
            "trec_support": ((1 + 1 / 3) / 2, 1),  # the votes for full and partial
            "trec_precision": ((1 + 0) / 2, 0.5),
            "trec_recall": ((1 + 0 + 0) / 3, 0.5),  # the last sentence cites nothing
        },
    ),
    "sources": (
        {
            "s1:stance": "supported supported silent",
            "s1.c1:source_reliability": "reliable reliable somewhat",
            "s2:stance": "contradicted contradicted supported",
            "s2.c1:source_reliability": "unreliable somewhat unreliable",
        },
        {
            "s1:stance": "supported supported partial",
            "s1.c1:source_reliability": "reliable reliable reliable",
            "s1.c2:source_reliability": "unreliable unreliable reliable",
        },
        {
            "stance": ((2 / 3 + 1 / 3) / 2, 2 / 3),
            "source_reliability": ((2 / 3 + 0) / 2, (1 + 1 / 3) / 2),
            "not_contradicted": ((1 + 1 / 3) / 2, 1),
            "well_sourced": ((2 / 3 + 0) / 2, 0),
        },
    ),
    "citeeval": (
        {
            "s1:citation_edits": "- - delete_redundant",
            "s1:citation_rating": "5 5 4",
            "s2:citation_edits": "delete_misleading|add_missing delete_misleading replace",
            "s2:citation_rating": "1 2 3",
        },
        {"s1:citation_edits": "- - -", "s1:citation_rating": "4 4 4"},
        {"citation_rating": ((14 / 3 + 2) / 2, 4)},  # the mean of the raters' degrees
    ),
    "error_spans": (
        {"r:error_spans": "18-25:contradicted:major 18-25:contradicted:critical -"},
        {"r:error_spans": "10-14:language:minor - -"},
        {
            "error_spans": (2 / 3, 1 / 3),  # how many there are
            "error_penalty": ((5 + 25) / 3, 1 / 3),
        },
    ),
    "claim_check": (
        {
            "s1.a1:claim_faithful": "yes yes no",
            "s1.a1:claim_complete": "yes no yes",
            "s2.a1:claim_faithful": "yes yes yes",
            "s2.a1:claim_complete": "no no yes",
        },
        {"s1.a1:claim_faithful": "no no no", "s1.a1:claim_complete": "yes yes yes"},
        {
            "claim_faithful": ((2 / 3 + 1) / 2, 0),
            "claim_complete": ((2 / 3 + 1 / 3) / 2, 1),
            "claim_sound": (1 / 3, 0),
        },
    ),
    "reference_claims": (
        {"k1:reference_said": "yes yes partial", "k2:reference_said": "none partial partial"},
        {"k1:reference_said": "none none none", "k2:reference_said": "partial partial none"},
        {"reference_said": ((2 / 3 + 0) / 2, 0)},
    ),
}
REFERENCES = {"claims": ["The Zugspitze is 2,962 m high.", "It is in Bavaria."]}


def test_every_protocol_that_is_no_papers_own_is_here():
    # See tests/annotate/test_pairs.py, test_pairs_report.py and test_reference_claims.py.
    others = {"pairwise", "reference_check"}
    assert FORMS.keys() | others == {key for key, file in PROTOCOLS.items() if not file.frozen}


def made(preset):
    owner = User.objects.create(username="alice", is_researcher=True)
    study = create_study(name="Peaks", slug="peaks", preset=preset, owner=owner)
    rows = [response(VERMILION), response(CYAN, system="Cyan")]
    for row in rows:
        row["question"]["references"] = REFERENCES
    load(study, rows)
    if preset == "claim_check":
        for statement in Unit.objects.filter(kind=UnitKind.STATEMENT, children__isnull=False):
            if not statement.children.filter(kind=UnitKind.CLAIM).exists():
                claim = Unit.objects.create(
                    response=statement.response, parent=statement, kind=UnitKind.CLAIM, ordinal=1,
                    key=f"{statement.key}.a1", text=statement.text,
                    start=statement.start, end=statement.end,
                )  # fmt: skip
                for cited in statement.children.filter(kind=UnitKind.CITATION):
                    Unit.objects.create(
                        response=statement.response, parent=claim, kind=UnitKind.CLAIM_CITATION,
                        ordinal=cited.ordinal, key=f"{claim.key}.c{cited.ordinal}",
                        number=cited.number, source=cited.source, start=cited.start, end=cited.end,
                    )  # fmt: skip
    return study


def rate(study, forms):
    """Three raters do all tasks; returns the questions of Vermilion's form in its order."""
    batch = open_work(study, raters_per_item=3)
    order = []
    for number, name in enumerate(("ann", "ben", "cas")):
        browser = Client()
        browser.force_login(rater_in(study, name))
        for _ in range(2):
            task = take(browser, batch)
            said = forms[task.item.response.system.name]
            page = browser.get(at(task, "task")).content.decode()
            asked = sorted(said, key=lambda step: page.index(f'data-step="{step}"'))
            assert page.count("data-step=") == len(said)
            if task.item.response.system.name == "Vermilion":
                order = asked
            for step in asked:
                assert answer(browser, task, step, said[step].split()[number]).status_code == 200
            assert finish(browser, task).status_code == 200
    return order


def said(*words):
    out = io.StringIO()
    call_command(*words, stdout=out, stderr=io.StringIO())
    return out.getvalue()


@pytest.mark.django_db
@pytest.mark.parametrize("preset", FORMS)
def test_three_raters_answer_it_and_the_report_has_its_numbers(preset):
    vermilion, cyan, numbers = FORMS[preset]
    study = made(preset)
    assert study.raters_per_unit == PROTOCOLS[preset].raters
    assert rate(study, {"Vermilion": vermilion, "Cyan": cyan}) == list(vermilion)

    rows = list(csv.DictReader(io.StringIO(said("export_judgments", "peaks"))))
    exported = {
        (row["system"], f"{row['unit']}:{row['dimension']}", row["judge"]): row["value"]
        for row in rows
    }
    assert exported == {
        (system, step, name): value
        for system, steps in (("Vermilion", vermilion), ("Cyan", cyan))
        for step, values in steps.items()
        for name, value in zip(("rater-1", "rater-2", "rater-3"), values.split(), strict=True)
    }

    report = json.loads(said("report", "peaks", "--json", "--resamples", "50"))
    found = {row["system"]: row["people"] for row in report["systems"]["rows"]}
    assert {key: found["Vermilion"][key]["value"] for key in numbers} == pytest.approx(
        {key: one for key, (one, _) in numbers.items()}, abs=1e-6
    )
    assert {key: found["Cyan"][key]["value"] for key in numbers} == pytest.approx(
        {key: other for key, (_, other) in numbers.items()}, abs=1e-6
    )
    # Agreement is told of answers, and not again of what only weighs them.
    protocol = PROTOCOLS[preset].protocol
    weighted = {k for k, one in protocol.derived.items() if one.weights}
    open_ones = {key for key, one in protocol.items() if not one.is_choice}
    named = {row["item"] for row in report["people"] if "." in row["item"]}
    assert {name.partition(".")[0] for name in named} <= {
        key for key in open_ones if protocol[key].answer in {"several", "spans"}
    }
    asked = {row["item"] for row in report["people"]} - open_ones - named
    assert asked == numbers.keys() - weighted - open_ones
    [note] = [note["text"] for note in report["method"] if note["key"] == "questions"]
    assert f"“{PROTOCOLS[preset].title}” ({PROTOCOLS[preset].name})" in note
    assert any(note["key"] == "weights" for note in report["method"]) == bool(weighted)

    text = said("report", "peaks", "--resamples", "50")
    for key in numbers:
        item = next(each for each in report["items"] if each["key"] == key)
        assert item["title"] in text


@pytest.mark.django_db
def test_the_first_citation_alone_is_shown_and_one_that_leads_nowhere_supports_nothing():
    owner = User.objects.create(username="alice", is_researcher=True)
    study = create_study(name="Peaks", slug="peaks", preset="trec", owner=owner)
    assert study.citation_cap == 1
    load(study, [response("High [2][1]. Deep [9][1].")])
    browser = Client()
    browser.force_login(rater_in(study, "ann"))
    task = take(browser, open_work(study))
    page = browser.get(at(task, "task")).content.decode()
    # Of “Deep [9][1]” the first citation leads nowhere, so that nobody is asked about it.
    assert page.count('data-step="s1:trec_support"') == page.count("data-step=") == 1
    assert answer(browser, task, "s1:trec_support", "full").status_code == 200
    finish(browser, task)
    report = json.loads(said("report", "peaks", "--json", "--resamples", "20"))
    [row] = report["systems"]["rows"]
    assert row["people"]["trec_precision"]["value"] == 1
    assert row["people"]["trec_recall"]["value"] == 1 / 2


@pytest.mark.django_db
def test_the_page_of_a_new_study_offers_them_in_groups(alice, signed_in):
    page = signed_in(alice).get("/studies/new/").content.decode()
    places = [page.index(f">{group}<".replace("'", "&#x27;")) for group in grouped()]
    assert places == sorted(places)
    for key in PRESETS:
        assert page.count(f'name="preset" value="{key}"') == 1
