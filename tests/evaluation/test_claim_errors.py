"""How well statements were divided, whether that matters, and what rewriting changes."""

import json
from decimal import Decimal
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotate.models import Response
from evaluation.claims import divide
from evaluation.claims.sentences import kept, restored
from evaluation.judges.claim_errors import DividedStatement, claim_errors
from evaluation.judges.entailment import Asker, load_scorer
from evaluation.judges.items import Cited, ItemPassage, ItemStatement
from evaluation.models import ClaimDivision, Making
from evaluation.runs.parsed_claims import make_claims
from tests.annotate.loading import load, response
from tests.annotate.pages import visible
from tests.evaluation.asking.fake import serving
from tests.evaluation.claims.test_rewriting import claim_in, rewriting
from tests.evaluation.claims.trees import CUPS, ByHand
from tests.evaluation.runs.doing import worked
from tests.shared_rows import shared_rows

# Sound; without verb, the second without subject; a whole sentence that cites what is not there.
OUTPUT = (
    f"{CUPS} "
    "Some brands [4], such as Export As, come in packs of 25 [5], while standard packs typically "
    "contain 20 cigarettes. "
    "Some brands, such as Export As, come [5] in packs of 25, while standard packs typically "
    "contain 20 cigarettes [9]."
)
PASSAGES = (
    ("", "Cups can be made of glass."),
    ("", "Cups can be made of plastic."),
    ("", "Plastic is light."),
    ("", "Export As come in packs."),
    ("", "Packs of 25 in shops."),
)
REWRITTEN = {
    "Some brands , such as Export As ,": "Export As come in packs.",
    "in packs of 25": "Some brands come in packs of 25.",
}


def answering(answer):
    """A server of a language model that answers each claim by a rule."""
    return serving(lambda told, schema: answer(claim_in(told)))


@shared_rows
def cups(study):
    load(study, [response(OUTPUT, passages=PASSAGES)])
    return study


def run(*words):
    out = StringIO()
    call_command("claim_errors", "peaks", "--scorer", "containment", *words, stdout=out)
    return out.getvalue()


def data(*words):
    return json.loads(run("--json", *words))


def kind(claims, supported, out_of_range=0):
    share = supported / claims if claims else None
    return {"claims": claims, "supported": supported, "share": share, "out_of_range": out_of_range}


@pytest.mark.django_db
def test_claims_are_counted_by_what_is_wrong_with_them(cups):
    make_claims(cups, ByHand())
    found = data()
    assert found["kinds"] == {
        "all": kind(5, 3, 1),
        "sound": kind(2, 2),
        "faulty": kind(3, 1, 1),
        "long": kind(0, 0),
        "root": kind(1, 0, 1),
        "roots": kind(0, 0),
        "lost_verb": kind(2, 1),
        "lost_subject": kind(1, 1),
    }
    assert "rewriting" not in found
    assert (found["responses"], found["without_claims"], found["left_out"]) == (1, 0, [])
    assert found["signature"].startswith("claim_errors|containment:1|thr:0.5|claims:claims:2|")
    assert "|parser:by-hand|" in found["signature"]


@pytest.mark.django_db
def test_rewriting_shows_which_decisions_change_and_how(cups, lab):
    make_claims(cups, ByHand())
    with answering(REWRITTEN.get) as server:
        lab(server, price_asked=1, price_written=1)
        found = data("--rewriter", "lab")
        said = run("--rewriter", "lab")
        assert len(server.calls) == 2  # what it wrote is kept, and not asked again
    rewriting = found["rewriting"]
    (gained,), (lost,) = rewriting.pop("gained"), rewriting.pop("lost")
    assert rewriting == {
        "asked": 2,
        "refused": {},
        "same": 0,
        "changed": 1.0,
        "supported_before": 1,
        "supported_after": 1,
    }
    assert gained["claim_key"] == "s2.a1"
    assert gained["rewritten"] == "Export As come in packs."
    assert (gained["score_before"], gained["score_after"]) == (0, 1)
    assert gained["response"] == str(Response.objects.get().pk)
    assert (lost["claim_key"], lost["claim"]) == ("s2.a2", "in packs of 25")
    assert "|rewritten:faulty|" in found["signature"]
    assert "|model:m-1" in found["signature"]
    assert "Decisions that change: 2 of 2 (100.0%); supported before 1, after 1." in said
    assert "s2.a2  1.00 → 0.00  in packs of 25  →  Some brands come in packs of 25." in said


@pytest.mark.django_db
def test_refused_answers_change_nothing_and_are_counted(cups, lab):
    make_claims(cups, ByHand())
    answers = {"in packs of 25": "…", "Some brands , such as Export As ,": "Export As come [1]."}
    with answering(answers.get) as server:
        lab(server)
        found = data("--rewriter", "lab")["rewriting"]
    assert found["refused"] == {"empty": 1, "marked": 1}
    assert (found["same"], found["gained"], found["lost"]) == (0, [], [])
    assert found["supported_before"] == found["supported_after"] == 1


@pytest.mark.django_db
def test_systems_without_claims_or_that_used_the_metric_are_said(cups):
    make_claims(cups, ByHand())
    load(cups, [response(CUPS, system="Quokka-9B", passages=PASSAGES)])
    assert "1 more has no claims yet: manage.py make_claims peaks" in run()
    make_claims(cups, ByHand())
    assert data()["kinds"]["all"]["claims"] == 7
    assert data("--systems", "Quokka-9B")["kinds"]["all"]["claims"] == 2
    cups.systems.filter(name="Quokka-9B").update(uses_autoais=True)
    assert "used the metric themselves: Quokka-9B" in run()
    assert data()["kinds"]["all"]["claims"] == 5


@pytest.mark.django_db
def test_a_tree_of_a_statement_that_is_not_there_is_said(cups):
    make_claims(cups, ByHand())
    division = ClaimDivision.objects.get()
    division.trees[0]["key"] = "s9"
    division.save()
    with pytest.raises(CommandError, match="has no statement s9"):
        run()


@pytest.mark.django_db
def test_missing_claims_and_invalid_options_are_refused(cups):
    with pytest.raises(CommandError, match=r"manage\.py make_claims peaks"):
        run()
    make_claims(cups, ByHand())
    for words, expected in (
        (("--systems", "Umber"), "There is no system “Umber”"),
        (("--rewrite-all",), "needs --rewriter"),
        (("--rewriter", "nobody"), "There is no connection “nobody”"),
    ):
        with pytest.raises(CommandError, match=expected):
            run(*words)


def statement(marked, *numbers):
    cited = tuple(
        Cited(f"s1.c{place}", number, ItemPassage(number, "", PASSAGES[number - 1][1]))
        for place, number in enumerate(numbers, 1)
    )
    return ItemStatement("s1", "", marked, cited)


def test_statements_without_a_word_are_counted_apart():
    (empty,) = divide(["[1]."], ByHand())
    asker = Asker(load_scorer("containment"))
    one = statement("[1].", 1)
    both = [
        DividedStatement("x", one, empty),
        DividedStatement("x", one, restored(kept("s1", empty))),
    ]
    report = claim_errors(both, asker, claims="claims:1")
    assert (report.rows["all"].claims, report.wordless) == (0, 2)


def test_a_rewriter_that_is_given_nothing_asks_nobody():
    nobody, model = rewriting(lambda claim: claim)
    asker = Asker(load_scorer("containment"))
    report = claim_errors([], asker, claims="claims:1", rewriter=nobody)
    assert report.rewriting is not None
    assert report.rewriting.asked == 0
    assert report.rewriting.changed.reason == "no claim was rewritten"
    assert model.asked == []


def ordered(browser, **sent):
    """What a researcher asks for on the page."""
    given = {"scorer": "containment", **sent}
    answer = browser.post(reverse("making-new", args=["peaks", "claim-errors"]), given)
    assert answer.status_code == 302, visible(answer.content.decode())
    return Making.objects.latest("pk")


def shown(browser, made):
    return visible(browser.get(reverse("making", args=["peaks", made.pk])).content.decode())


@pytest.mark.django_db
def test_without_a_model_no_claim_is_rewritten(cups, signed_in, bob):
    make_claims(cups, ByHand())
    made = worked(ordered(signed_in(bob)))
    assert (made.state, made.queue) == ("done", "default"), made.error
    assert "Rewritten" not in shown(signed_in(bob), made)


@pytest.mark.django_db
def test_a_spent_budget_ends_it_and_a_higher_one_goes_on(cups, lab, signed_in, bob):
    make_claims(cups, ByHand())
    browser = signed_in(bob)
    with answering(REWRITTEN.get) as server:
        lab(server, price_asked=1, price_written=1)
        made = ordered(browser, model_connection="lab", budget="0.01", asking="at_once=1")
        Making.objects.filter(pk=made.pk).update(budget=Decimal("0.00"))
        assert worked(made).state == "failed"
        assert "It has spent its budget." in shown(browser, made)
        again = reverse("making-retry", args=["peaks", made.pk])
        browser.post(again)
        made.refresh_from_db()
        assert made.state == "failed"
        browser.post(again, {"budget": "3"})
        assert worked(made).state == "done", made.error
        assert len(server.calls) == made.calls == 2
