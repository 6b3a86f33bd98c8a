"""One response's page: chips, passages, statements, judgments; and text that tries to be code."""

import json
import re
from html import escape

import pytest
from django.urls import reverse

from annotate.content.judgments import judge_of, record_judgment
from annotate.models import Invitation, Membership, Role, System
from annotate.people import members
from annotate.studies.lifecycle import create_study, write_guidelines
from tests.annotate.loading import check, judgment, load, load_judgments, response
from tests.annotate.pages import policy_faults, reachable, visible
from tests.shared_rows import shared_rows


@pytest.fixture
def read(alice, signed_in):
    """The page of a study's latest response, as its owner sees it."""
    client = signed_in(alice)

    def page(study, row=None, **query):
        row = row or study.responses.latest("pk")
        return client.get(reverse("response", args=[study.slug, row.pk]), query)

    return page


def chips(html):
    return re.findall(r'<a class="chip[^>]*>|<span class="chip missing[^>]*>', answer_of(html))


def answer_of(html):
    (answer,) = re.findall(r'<p class="answer".*?</p>', html, re.DOTALL)
    return answer


def test_judgments_are_shown_by_unit(peaks, read):
    first = peaks.responses.order_by("pk").first()
    html = read(peaks, first).content.decode()
    text = visible(html)
    assert "1 × Yes" in text
    assert "“Plainly so.” — Simulated rater 7" in text
    assert "No (0.25)" in text
    assert 'title="autoais|scorer:tiny"' in html
    assert '<tr data-unit="s2.c1">' in html
    System.objects.filter(study=peaks, name="Vermilion").update(uses_autoais=True)
    html = read(peaks, first).content.decode()
    for automatic in ("autoais|scorer:tiny", "0.25", "entailment"):
        assert automatic not in html
    assert "1 × Yes" in visible(html)
    assert "uses AutoAIS, so automatic judgments are hidden" in visible(html)


def test_queries_do_not_grow_with_the_response(study, read, django_assert_max_num_queries):
    output = " ".join(f"Sentence {n} is here [1][2]." for n in range(40))
    passages = tuple((f"Title {n}", f"Text {n}.") for n in range(20))
    systems = [f"system {n}" for n in range(10)]
    load(study, [response(output, passages=passages, system=name) for name in systems])
    rows = [
        judgment(f"s{s}", "citation_recall", "yes", system="system 0", judge=f"judge {j}")
        for s in range(1, 41)
        for j in range(3)
    ]
    load_judgments(study, rows)
    first = study.responses.order_by("pk").first()
    with django_assert_max_num_queries(16):  # one of them tells that the votes were read
        html = read(study, first).content.decode()
    assert html.count("statement-row") == 40
    assert html.count("3 × Yes") == 40


# Text that tries to be code ---------------------------------------------------------------------

SCRIPT = "<script>alert('x')</script>"
BREAKOUT = "\"'><img src=x onerror=alert(1)>{{ 7|add:1 }}</title></pre></textarea>"
NASTY = f"{SCRIPT}{BREAKOUT}"


@shared_rows
def nasty_study(alice, bob, rita):
    """Every text that people or files bring is an attempt to run a script."""
    alice.name = bob.name = NASTY[:100]
    alice.save()
    bob.save()
    study = create_study(name=NASTY, slug="nasty", preset="alce", owner=alice, description=NASTY)
    Membership.objects.create(study=study, user=bob, role=Role.RESEARCHER)
    Membership.objects.create(study=study, user=rita, role=Role.RATER)
    write_guidelines(study, f"# {NASTY}\n\n{NASTY}\n\n[x](javascript:alert(1))\n\n`{NASTY}`", alice)
    Invitation.objects.create(
        study=study,
        role=Role.RATER,
        label=NASTY[:100],
        expires_at=members.invite(study, role=Role.RATER, author=alice).expires_at,
    )
    load(study, [nasty_line()])
    System.objects.update(description=NASTY)
    rows = [
        judgment(
            unit,
            dimension,
            "",
            system=NASTY,
            run=NASTY[:100],
            question_id=NASTY,
            judge=f"{NASTY} {kind}",
            judge_kind=kind,
            note=NASTY,
            skipped_reason=NASTY,
        )
        for unit, dimension in (("r", "utility"), ("s1.c1", "citation_support"))
        for kind in ("human", "automatic", "reference")
    ]
    load_judgments(study, rows)
    other = response(NASTY, system=f"2{NASTY}", question=NASTY, question_id="2")
    check(study, f"{NASTY}.jsonl", json.dumps(other))
    bad = {**response(NASTY), "output": [NASTY], NASTY: NASTY}
    check(study, "bad.jsonl", json.dumps(bad))
    return study


def nasty_line():
    line = response(
        f"{NASTY} [1]. {NASTY} [9].\n{NASTY}",
        system=NASTY,
        question=f"{NASTY}?",
        question_id=NASTY,
        passages=((NASTY, NASTY), (NASTY, f"{NASTY}\n{NASTY}")),
        run=NASTY[:100],
        metadata={NASTY: NASTY},
    )
    line["question"]["references"] = {
        "answer": NASTY,
        "annotations": [{"long_answer": NASTY}],
        "qa_pairs": [{"question": NASTY, "short_answers": [NASTY]}],
        "answers": [[NASTY]],
        "claims": [NASTY],
    }
    for passage in line["passages"]:
        passage |= {"id": NASTY, "url": f"https://example.org/{NASTY}"}
    return line


def test_text_is_never_code_on_any_page(nasty_study, alice, rita, signed_in):
    """Every page that the owner, a rater or nobody in particular can reach."""
    owner = signed_in(alice)
    pages = reachable(owner, reverse("study", args=["nasty"]))
    row = nasty_study.responses.get()
    for address in ("responses", "systems", "uploads", "members", "guidelines", "data"):
        assert reverse(address, args=["nasty"]) in pages
    assert reverse("response", args=["nasty", row.pk]) in pages
    assert len([path for path in pages if "/uploads/" in path]) >= 4
    pages |= {f"rater: {p}": a for p, a in reachable(signed_in(rita), "/studies/").items()}
    link = members.invitation_code(Invitation.objects.all()[0])
    pages["join"] = owner.get(reverse("join", args=[link]))
    pages["refused"] = owner.post(reverse("study-settings", args=["nasty"]), {"name": NASTY})
    pages["token"] = owner.post(reverse("tokens"), {"label": NASTY[:100], "scopes": ["read"]})
    pages["filter"] = owner.get(reverse("responses", args=["nasty"]), {"q": NASTY})
    pages["sign-in"] = signed_in(alice).post(reverse("account_logout"), follow=True)
    seen = 0
    for path, answer in pages.items():
        if answer.streaming or not answer["Content-Type"].startswith("text/html"):
            continue
        html = answer.content.decode()
        assert policy_faults(html) == [], path
        assert "<img src=x" not in html, path
        assert SCRIPT not in html, path
        seen += escape("<script>alert(") in html
    assert seen >= 12


def test_the_scan_would_find_them():
    for html in (
        SCRIPT,
        "<p onclick='x()'>",
        '<p style="color:red">',
        "<style>p{}</style>",
        '<a href="java\nscript:x()">',
        "<iframe>",
        '<script src="//evil.example/x.js"></script>',
    ):
        assert len(policy_faults(html)) == 1, html


def test_source_link_sends_no_referrer_and_is_a_web_address(study, read):
    passage = {"n": 1, "title": "", "text": "t"}
    for url in ("javascript:alert(1)", "data:text/html,x", " https://e.org", "//e"):
        line = response("High [1].") | {"passages": [{**passage, "url": url}]}
        assert check(study, "x.jsonl", json.dumps(line)).state == "invalid", url
    url = "https://example.org/?a=1&b=<c>"
    load(study, [response("High [1].") | {"passages": [{**passage, "url": url}]}])
    assert (
        'href="https://example.org/?a=1&amp;b=&lt;c&gt;" rel="noopener noreferrer nofollow"'
        in read(study).content.decode()
    )


def test_the_response_page_shows_it_as_text(nasty_study, rita, read):
    first = nasty_study.responses.get()
    record_judgment(
        judge=judge_of(nasty_study, rita),
        unit=first.units.get(key="s1"),
        dimension="citation_recall",
        value="no",
        note=NASTY,
    )
    html = read(nasty_study).content.decode()
    assert policy_faults(html) == []
    text = visible(html)
    assert text.count(SCRIPT) >= 20
    assert "{{ 7|add:1 }}" in text
    assert f"“{NASTY}” — {NASTY} human" in text
    assert f"“{NASTY}” — rater-1" in text
