"""One response's page: chips, passages, statements, judgments; and text that tries to be code."""

import json
import re
from html import escape

import pytest
from django.urls import reverse

from annotate.models import Invitation, Judge, Membership, Role, System
from annotate.services.judgments import judge_of, record_judgment
from annotate.services.people import members
from annotate.services.studies import create_study, write_guidelines
from tests.annotate.loading import (
    PASSAGES,
    ZUGSPITZE,
    check,
    judgment,
    load,
    load_judgments,
    response,
)
from tests.annotate.pages import policy_faults, reachable, visible
from tests.beginnings import beginning


@pytest.fixture
def read(alice, signed_in):
    """The page of a study's latest response, as its owner sees it."""
    client = signed_in(alice)

    def page(study, row=None, **query):
        row = row or study.responses.latest("pk")
        return client.get(reverse("response", args=[study.slug, row.pk]), query)

    return page


@pytest.fixture
def show(study, read):
    """Loads one response and gives its page."""

    def page(output, **more):
        load(study, [response(output, **more)])
        return read(study).content.decode()

    return page


def chips(html):
    return re.findall(r'<a class="chip[^>]*>|<span class="chip missing[^>]*>', answer_of(html))


def answer_of(html):
    (answer,) = re.findall(r'<p class="answer".*?</p>', html, re.DOTALL)
    return answer


def test_marks_are_chips_that_lead_to_passages(show):
    html = show("High [1]. It is [1][2].")
    answer = answer_of(html)
    assert re.findall(r'data-passage="(\d)" data-unit="([^"]*)"', answer) == [
        ("1", "s1.c1"),
        ("1", "s2.c1"),
        ("2", "s2.c2"),
    ]
    assert all(f'href="#p{n}"' in answer for n in (1, 2))
    assert re.findall(r'class="statement" data-unit="(s\d)" data-passages="([\d ]*)"', answer) == [
        ("s1", "1"),
        ("s2", "1 2"),
    ]
    assert "[1]" not in visible(answer)
    for n in (1, 2):
        assert re.search(rf'<article class="passage"\s+id="p{n}" data-passage="{n}"', html)
    assert "cited by s1, s2" in visible(html)


def test_page_lists_question_passages_and_statements(show):
    html = show("High [1]. No source. It is [1][7].")
    text = visible(html)
    assert ZUGSPITZE in text
    assert "At 2,962 m the Zugspitze is the highest peak of Germany." in text
    assert "not cited" in text
    assert "Nobody has judged this response yet." in text
    rows = re.findall(r'<li class="statement-row" data-unit="(s\d)" data-passages="([\d ]*)"', html)
    assert [key for key, _ in rows] == ["s1", "s2", "s3"]
    assert (rows[0][1], rows[1][1]) == ("1", "")
    assert "no citation" in text
    chip = chips(html)[-1]
    assert 'class="chip missing"' in chip
    assert "There is no passage 7" in chip
    assert "href" not in chip
    assert "1 mark without passage" in text


def test_marks_beyond_those_that_count(show, study, read):
    html = show("Blue [1][2][3][4].", passages=PASSAGES)
    assert ["over" in chip for chip in chips(html)] == [False, False, False, True]
    assert "Beyond the citations that count" in chips(html)[3]
    study.uploads.update(published_at=None)
    assert read(study).status_code == 404


def test_what_stands_after_a_new_line(study, show):
    study.lines = "first"
    study.save()
    html = show("High [1].\nAnd the rest of it [2].")
    assert "And the rest" not in answer_of(html)
    assert "Text after the first new line, which is not judged" in html
    assert "And the rest of it [2]." in visible(html)
    assert "cut at a new line" in visible(html)


def test_unusual_answers_are_shown(study, read):
    load(study, [response("", passages=()), response("[1] [2]", system="Marks only")])
    load(study, [response("Alps [1], Andes [2], Ural.", system="List", is_list=True)])
    empty, marks, listed = (
        read(study, row).content.decode() for row in study.responses.order_by("pk")
    )
    assert "The answer is empty." in visible(empty)
    assert "This response has no passages." in visible(empty)
    assert chips(empty) == []
    assert re.findall(r'data-unit="([^"]*)"', "".join(chips(marks))) == ["s1.c1", "s1.c2"]
    assert "(marks only)" in marks
    assert "list of entities" in visible(listed)
    assert len(re.findall("statement-row", listed)) == 3


def test_an_undivided_answer(alice, read):
    study = create_study(name="Short", slug="short", preset="ais", owner=alice)
    load(study, [response("2,962 m [1]\nabove the sea", passages=PASSAGES[:1])])
    html = read(study).content.decode()
    assert "2,962 m [1]" in visible(answer_of(html))
    assert "above the sea" in answer_of(html)
    assert "statement-row" not in html
    assert "not cited" not in visible(html)


def test_references_and_what_was_uploaded(study, read):
    references = {
        "answers": [["2,962 m", "2962 metres"]],
        "claims": ["It is high."],
        "qa_pairs": [{"question": "How high?", "short_answers": ["2,962 m"]}],
        "answer": "Quite high.",
        "annotations": [{"long_answer": "It is very high indeed."}],
    }
    line = response("High [1].", metadata={"temperature": 0.5}, run="42")
    line["question"]["references"] = references
    load(study, [line])
    text = visible(read(study).content.decode())
    for words in ("2,962 m / 2962 metres", "It is high.", "How high?", "Quite high.", "indeed"):
        assert words in text
    assert '"temperature": 0.5' in text
    assert "run 42" in text
    assert "From outputs.jsonl" in text


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
    assert "uses AutoAIS: automatic judgments are hidden" in visible(html)


def test_caveat_of_a_judge_is_shown_once(peaks, read):
    caveat = "it cannot see contradiction."
    first = peaks.responses.order_by("pk").first()
    assert caveat not in visible(read(peaks, first).content.decode())
    Judge.objects.filter(kind="automatic").update(name="autoais|coverage:2|thr:0.5|v:1")
    other = {"judge": "alce|coverage:2|v:1", "judge_kind": "automatic"}
    load_judgments(peaks, [judgment("s1", "citation_recall", "no", **other)])
    assert visible(read(peaks, first).content.decode()).count(caveat) == 1


def test_other_answers_to_the_question(peaks, read):
    vermilion = peaks.responses.order_by("pk").first()
    html = read(peaks, vermilion).content.decode()
    other = peaks.responses.get(system__name="Quokka-9B", question__external_id="q1")
    assert reverse("response", args=["peaks", other.pk]) in html
    peaks.responses.filter(system__name="Quokka-9B").update(live=None)
    assert "No other system answered it." in read(peaks, vermilion).content.decode()


def test_a_replaced_response_says_so(peaks, read):
    old = peaks.responses.order_by("pk").first()
    load(peaks, [response("Another text [1].")], replace=True)
    text = visible(read(peaks, old).content.decode())
    assert "This response was replaced on" in text
    assert "2,962 metres" in text
    assert "1 × Yes" in text
    new = peaks.responses.get(system=old.system, question=old.question, live=True)
    text = visible(read(peaks, new).content.decode())
    assert "This response was replaced on" not in text
    assert "Another text" in text
    assert "Nobody has judged this response yet." in text


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


@beginning
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


def test_two_answers_of_one_question_stand_beside_one_another(study, rita, read):
    load(study, [response("It is high [1].", system="One"), response("Low.", system="Two")])
    load(study, [response("Air.", system="Three", question_id="q2", question="Why?")])
    one, two, three = study.responses.order_by("pk")
    judge = judge_of(study, rita)
    for row, value in ((one, "5"), (two, "1")):
        record_judgment(judge=judge, unit=row.units.get(key="r"), dimension="utility", value=value)
    assert f"?beside={two.pk}#beside" in read(study, one).content.decode()
    page = read(study, one, beside=two.pk)
    assert [column["response"] for column in page.context["pair"]] == [one, two]
    labels = [column["tallies"][0].people for column in page.context["pair"]]
    assert labels == [(("Strongly agree", 1),), (("Strongly disagree", 1),)]
    html = page.content.decode()
    assert "It is high" in html
    assert "Low." in html
    for other in (three.pk, one.pk, "x"):
        assert read(study, one, beside=other).context["pair"] == []


def test_beside_one_another_stand_the_verdicts_of_judges_too(study, read):
    load(study, [response("It is high [1].", system="One"), response("Low [1].", system="Two")])
    automatic = {"judge": "autoais|scorer:tiny", "judge_kind": "automatic"}
    load_judgments(
        study,
        [
            judgment("s1", "citation_recall", value, system=system, score=score, **automatic)
            for system, value, score in (("One", "yes", "0.8"), ("Two", "no", "0.3"))
        ],
    )
    one, two = study.responses.order_by("pk")
    text = visible(read(study, one, beside=two.pk).content.decode().split('id="beside"')[1])
    assert text.index("Yes (0.80)") < text.index("No (0.30)")
    System.objects.filter(name="Two").update(uses_autoais=True)
    page = read(study, one, beside=two.pk)
    assert [len(column["tallies"]) for column in page.context["pair"]] == [1, 0]
    assert "uses AutoAIS: automatic judgments are hidden" in visible(page.content.decode())
