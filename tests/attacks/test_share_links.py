"""Who has a share link, or would like one, and tries to see more than one report."""

import json
import re
from datetime import timedelta

import pytest
from django.core import serializers
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotate.exchange.deletion import delete_study, delete_system, put_back
from annotate.models import AuditEntry, Membership, Passage, Response, Role, Unit
from annotate.people import members
from annotate.web.errors import Refused
from evaluation.models import Report, ReportLink
from evaluation.report_pages import sharing
from evaluation.report_pages.data_state import data_state, key_of
from evaluation.report_pages.sharing import share
from evaluation.reports.filters import Filters
from evaluation.reports.numbers import dumps
from evaluation.reports.shape.report import VERSION
from tests.annotate.pages import reachable, visible
from tests.evaluation.made_up import draw, made_up_report
from tests.evaluation.reports.sample import RATERS, sample
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db

TOKEN = re.compile(rb"[A-Za-z0-9]{64}")


@shared_rows
def report(peaks):
    """One that shows a disagreement about a response that is there."""
    body = sample()
    told = {"system": "Vermilion", "question": "q1", "unit": "s1.c1", "item": "citation_support"}
    body["disagreements"] = [body["disagreements"][0] | told]
    made = made_up_report(peaks, body=dumps(body))
    draw(made.pk)
    return made


@pytest.fixture
def shared(report, alice):
    def made(filters=None, *, with_texts=False, days=30):
        chosen = filters or Filters()
        return share(report.study, chosen, by=alice, days=days, with_texts=with_texts)

    return made


def at(secret, name="report", *more):
    return Client().get(reverse(f"shared-{name}", args=[secret, *more]))


def content(answer):
    return (b"".join(answer.streaming_content) if answer.streaming else answer.content).decode(
        errors="replace"
    )


def everything_under(secret):
    """All that can be had by following a link, and every form of file; nothing keeps the secret."""
    page = reverse("shared-report", args=[secret])
    found = reachable(Client(), page)
    own = {path: content(a) for path, a in found.items() if path.startswith("/shared/")}
    for form in ("html", "json", "latex", "markdown"):
        own[form] = content(at(secret, "download", form))
    kept = serializers.serialize("json", [*ReportLink.objects.all(), *AuditEntry.objects.all()])
    assert secret not in kept
    return own


CRAWLED: dict[bool, dict[str, str]] = {}
"""What was found under a link, by whether it has texts: each test's study has the same."""


@pytest.fixture
def everything(shared):
    def found(*, with_texts=False):
        if with_texts not in CRAWLED:
            CRAWLED[with_texts] = everything_under(shared(with_texts=with_texts))
        return CRAWLED[with_texts]

    return found


def words_of(study):
    """Stretches of all that was judged, as they would stand in a page or a file."""
    texts = [response.text for response in Response.objects.filter(study=study)]
    texts += [response.question.text for response in Response.objects.filter(study=study)]
    texts += Unit.objects.filter(response__study=study).values_list("text", flat=True)
    texts += Passage.objects.filter(study=study).values_list("text", flat=True)
    return {text[:25] for text in texts if len(text) > 15}


def told_in(pages, words):
    together = " ".join(visible(text) + text for text in pages.values())
    return {word for word in words if word in together}


# What is given -----------------------------------------------------------------------------------


def test_whoever_has_it_reads_the_report_and_takes_its_files(everything, report):
    pages = everything()
    kinds = {path.split("/")[3] for path in pages if path.startswith("/shared/")} - {""}
    assert {"tables", "charts", "html", "json", "latex", "markdown"} <= kinds
    assert len(pages) > 40
    assert json.loads(pages["json"])["systems"] == json.loads(report.body)["systems"]


def test_folded_tables_are_fetched_when_they_are_opened(shared, report):
    """They need not stand in the page: crowds have hundreds."""
    secret = shared()
    page = at(secret).content.decode()
    begin = reverse("shared-rows", args=[secret, "key"]).removesuffix("key/")
    folded = {one.partition("/")[0] for one in page.split(f'hx-get="{begin}')[1:]}
    assert len(folded) > 3
    for key in folded:
        assert f'data-table="{key}"' not in page
        address = reverse("shared-rows", args=[secret, key])
        plain = Client().get(address)
        assert "<h1>" in plain.content.decode()
        assert plain["X-Robots-Tag"] == "noindex, nofollow"
        opened = Client().get(address, headers={"HX-Request": "true"}).content.decode()
        assert f'data-table="{key}"' in opened
        assert "<html" not in opened
        assert reverse("shared-table", args=[secret, key]) in opened


def test_it_leads_nowhere_into_the_study(everything):
    for with_texts in (False, True):
        pages = everything(with_texts=with_texts)
        assert not [path for path, text in pages.items() if "/studies/peaks" in text]


def test_no_text_leaves_unless_allowed(everything, peaks):
    words = words_of(peaks)
    assert told_in(everything(), words) == set()
    assert told_in(everything(with_texts=True), words) != set()


@pytest.mark.parametrize("with_texts", [False, True])
def test_no_rater_is_named(everything, with_texts):
    text = " ".join(everything(with_texts=with_texts).values())
    assert not [name for name in RATERS if re.search(rf"\b{name}\b", text)]


def test_what_each_rater_said_is_not_given(shared):
    secret = shared(with_texts=True)
    assert at(secret, "download", "bundle").status_code == 404
    for form in ("svg", "png", "json"):
        assert at(secret, "chart", "kappas-utility", form).status_code == 404


def test_nothing_can_be_done_under_it(shared, report):
    before = serializers.serialize("json", Report.objects.all())
    secret = shared()
    for name, more in (("report", ()), ("download", ["json"]), ("table", ["systems"])):
        answer = Client().post(reverse(f"shared-{name}", args=[secret, *more]))
        assert answer.status_code == 405
    assert serializers.serialize("json", Report.objects.all()) == before


def test_a_visitor_does_not_have_reports_built(shared, report, peaks):
    """The last one is shown, however old; that a newer one is built, members see to."""
    secret = shared()
    Report.objects.update(key="of other data", data={})
    assert at(secret).status_code == 200
    assert Report.objects.count() == 1


def test_where_none_can_be_shown_it_is_built_once(shared, report, peaks):
    secret = shared()
    Report.objects.update(version=VERSION - 1, key="of before")
    answers = [at(secret).status_code for _ in range(3)]
    assert answers == [503] * 3
    assert Report.objects.filter(state="queued").count() == 1


def test_a_system_that_was_deleted_is_not_shown_on(shared, report, peaks):
    """Put back, it is; while there is no report without it, there is none."""
    secret = shared()
    Report.objects.update(data=data_state(peaks))
    assert at(secret).status_code == 200
    removal = delete_system(peaks.systems.order_by("pk")[0])
    assert [at(secret).status_code, at(secret, "download", "json").status_code] == [503] * 2
    assert Report.objects.filter(state="queued").count() == 1
    put_back(removal)
    assert at(secret).status_code == 200


# Another's report --------------------------------------------------------------------------------


def test_a_link_opens_its_own_filters_alone(shared, peaks, report):
    """No address under a link has a place for another report's number; what is said beside the
    secret chooses nothing."""
    one = Filters(resamples=50)
    of_one = made_up_report(peaks, one, key=key_of(peaks, one, {}))
    secret = shared(one)
    for query in ("", "?resamples=2000", f"?report={report.pk}", "?systems=Vermilion"):
        answer = Client().get(reverse("shared-download", args=[secret, "json"]) + query)
        assert answer.json()["filters"] == json.loads(of_one.body)["filters"]
    for other in (f"report/{report.pk}/json/", f"{report.pk}/json/", f"tables/../{report.pk}.csv"):
        assert Client().get(f"/shared/{secret}/{other}").status_code == 404
    assert at(secret, "table", "none-such").status_code == 404


def test_members_addresses_do_not_open_by_it(shared, report):
    client = Client()
    client.get(reverse("shared-report", args=[shared()]))
    for name, more in (("report", []), ("report-download", [report.pk, "json"]), ("study", [])):
        assert client.get(reverse(name, args=["peaks", *more])).status_code == 302


# A link that is none -----------------------------------------------------------------------------


def without_tokens(answer):
    return TOKEN.sub(b"", answer.content)


def test_what_is_over_looks_like_what_never_was(shared, peaks, alice, bob, report):
    expired, revoked, orphaned, of_deleted = shared(), shared(), shared(), shared()
    keys = ReportLink.objects.order_by("pk").values_list("pk", flat=True)
    ReportLink.objects.filter(pk=keys[0]).update(expires_at=timezone.now() - timedelta(seconds=1))
    sharing.end(ReportLink.objects.get(pk=keys[1]))
    never = at("x" * 43)
    answers = [at(expired), at(revoked)]
    members.change_role(Membership.objects.get(study=peaks, user=bob), Role.OWNER)
    members.remove_member(Membership.objects.get(study=peaks, user=alice))
    answers.append(at(orphaned))
    delete_study(peaks, by=bob)
    answers += [at(of_deleted), at(of_deleted, "download", "json")]
    assert never.status_code == 404
    assert "Ask who sent it" in visible(never.content.decode())
    assert {answer.status_code for answer in answers} == {404}
    assert {without_tokens(answer) for answer in answers} == {without_tokens(never)}
    names = ("Cache-Control", "Referrer-Policy", "X-Robots-Tag")
    assert {tuple(a[n] for n in names) for a in answers} == {tuple(never[n] for n in names)}


@pytest.mark.parametrize("change", ["viewer", "rater", "deactivated", "account removed"])
def test_it_ends_with_the_right_to_make_it(shared, peaks, alice, bob, change):
    secret = shared()
    assert at(secret).status_code == 200
    members.change_role(Membership.objects.get(study=peaks, user=bob), Role.OWNER)
    if change in {"viewer", "rater"}:
        members.change_role(Membership.objects.get(study=peaks, user=alice), Role(change))
    elif change == "deactivated":
        alice.is_active = False
        alice.save()
    else:
        alice.delete()
    assert at(secret).status_code == 404


def test_guessing_is_slowed_and_opens_nothing(shared):
    secret = shared()
    guesses = [secret[:-1] + ("A" if secret[-1] != "A" else "B"), secret.swapcase(), secret + "x"]
    guesses += [f"{number:043d}" for number in range(70)]
    answers = [at(guess).status_code for guess in guesses]
    assert set(answers) == {404, 429}
    assert answers[:60] == [404] * 60
    assert answers[60:] == [429] * 13
    assert at(secret).status_code == 200, "who has a link is not slowed by a neighbour who has none"


# How it is told ----------------------------------------------------------------------------------


def test_nothing_of_it_is_kept_or_told_on(shared):
    secret = shared()
    places = [at(secret), at(secret, "download", "html"), at(secret, "table", "none-such")]
    places += [at(secret, "chart", "answers-utility", "json")]
    for answer in places:
        assert "no-store" in answer["Cache-Control"]
        assert answer["Referrer-Policy"] == "no-referrer"
        assert "noindex" in answer["X-Robots-Tag"]


def test_making_opening_taking_and_ending_are_written_down(peaks, report, signed_in, bob):
    client = signed_in(bob)
    page = client.post(reverse("report-links", args=["peaks"]), {"days": 7, "purpose": "reviewers"})
    [secret, *_] = re.findall(r"/shared/([\w-]{43})/", page.content.decode())
    at(secret)
    at(secret, "download", "json")
    link = ReportLink.objects.get()
    client.post(reverse("report-link-end", args=["peaks", link.pk]))
    told = AuditEntry.objects.filter(study_id=peaks.pk, details__link=link.pk).order_by("pk")
    assert [(entry.act, entry.user_id) for entry in told] == [
        ("report-shared", bob.pk),
        ("report-opened", None),
        ("exported", None),
        ("report-unshared", bob.pk),
    ]
    assert told[1].address
    link.refresh_from_db()
    assert (link.uses, link.purpose, link.with_texts) == (1, "reviewers", False)
    assert link.last_used_at is not None
    assert link.expires_at - link.created_at == pytest.approx(
        timedelta(7), abs=timedelta(minutes=1)
    )


def test_a_new_link_is_listed_at_once(peaks, report, signed_in, bob):
    page = signed_in(bob).post(
        reverse("report-links", args=["peaks"]), {"days": 7, "purpose": "reviewers"}
    )
    assert [row.link.purpose for row in page.context["rows"]] == ["reviewers"]


def test_the_secret_is_shown_once(peaks, report, signed_in, bob):
    client, place = signed_in(bob), reverse("report-links", args=["peaks"])
    assert "/shared/" in client.post(place, {"days": 7}).content.decode()
    later = client.get(place).content.decode()
    assert "/shared/" not in later
    assert "opened 0 times" in visible(later)


def test_filters_of_the_address_go_into_the_link(peaks, report, signed_in, bob):
    place = reverse("report-links", args=["peaks"])
    signed_in(bob).post(f"{place}?systems=Vermilion", {"days": 7, "with_texts": "on"})
    link = ReportLink.objects.get()
    assert Filters.from_json(link.filters) == Filters(systems=("Vermilion",))
    assert link.with_texts


@pytest.mark.parametrize("days", ["", "0", "366", "many"])
def test_a_link_without_an_end_is_not_made(peaks, report, signed_in, bob, days):
    answer = signed_in(bob).post(reverse("report-links", args=["peaks"]), {"days": days})
    assert answer.status_code == 422
    assert not ReportLink.objects.exists()


def test_there_are_so_many_at_a_time(shared, monkeypatch):
    monkeypatch.setattr(sharing, "MOST", 2)
    shared()
    shared()
    with pytest.raises(Refused, match="2 links"):
        shared()
    sharing.end(ReportLink.objects.latest("pk"))
    shared()


# What its filters name is gone, or unknown -------------------------------------------------------

UNKNOWN = {"questions": ["q1"], "resamples": 50}
"""As a later version may have written them, of which a backup was restored."""


def links_page(client, **query):
    return client.get(reverse("report-links", args=["peaks"]), query)


def test_filters_that_are_not_known_are_told_and_break_no_page(shared, peaks, signed_in, bob):
    secret = shared()
    ReportLink.objects.update(filters=UNKNOWN)
    for answer in (at(secret), at(secret, "download", "json")):
        assert answer.status_code == 410
        assert "not known to this version of Attest" in visible(answer.content.decode())
        assert "no-store" in answer["Cache-Control"]
    page = links_page(signed_in(bob))
    assert page.status_code == 200
    assert "shows nothing" in visible(page.content.decode())
    assert "questions: expected one of the fields" in visible(page.content.decode())


@pytest.mark.parametrize("name", ["report-rows", "report-table", "report-table-latex"])
def test_a_kept_report_with_filters_that_are_not_known(report, signed_in, bob, name):
    Report.objects.update(filters=UNKNOWN)
    client = signed_in(bob)
    assert client.get(reverse(name, args=["peaks", report.pk, "systems"])).status_code == 200
    Report.objects.update(version=VERSION - 1)
    answer = client.get(reverse(name, args=["peaks", report.pk, "systems"]))
    assert answer.url == reverse("report", args=["peaks"])


@pytest.mark.parametrize("what", ["bundle", "threshold"])
def test_what_is_made_by_filters_that_are_not_known_is_refused(report, signed_in, bob, what):
    Report.objects.update(filters=UNKNOWN)
    client, row = signed_in(bob), json.loads(report.body)["thresholds"][0]
    key = f"{row['judge']}-{row['item']}"
    place = (
        reverse("report-download", args=["peaks", report.pk, "bundle"])
        if what == "bundle"
        else reverse("report-threshold", args=["peaks", report.pk, key])
    )
    answer = client.get(place, follow=True)
    assert answer.redirect_chain == [(reverse("report", args=["peaks"]), 302)]
    assert "not known to this version of Attest" in visible(answer.content.decode())


@pytest.mark.parametrize("gone", ["system", "judge", "batch", "slice"])
def test_a_link_to_what_is_gone_says_so(shared, report, peaks, signed_in, bob, gone):
    filters = {
        "system": Filters(systems=("Vermilion", "Quokka-9B")),
        "judge": Filters(primary="alce|none|v:1"),
        "batch": Filters(batch=10**6),
        "slice": Filters(slices=("dataset=none",)),
    }[gone]
    secret, fitting = shared(filters), shared(Filters(systems=("Quokka-9B",)))
    if gone == "system":
        assert at(secret).status_code == 503
        removal = delete_system(peaks.systems.get(name="Vermilion"))
        Report.objects.exclude(pk=report.pk).delete()
    answers = [at(secret), at(secret, "table", "systems")]
    assert [answer.status_code for answer in answers] == [410, 410]
    assert "was deleted from its study" in visible(answers[0].content.decode())
    assert "Vermilion" not in answers[0].content.decode()
    assert not Report.objects.filter(filters_digest=filters.digest).exists(), "nothing is built"
    page = visible(links_page(signed_in(bob)).content.decode())
    assert page.count("shows nothing") == 1
    assert {"system": "System: Vermilion", "judge": "Primary judge", "batch": "Batch: 1000000",
            "slice": "Slice: dataset=none"}[gone] in page  # fmt: skip
    assert at(fitting).status_code == 503
    if gone == "system":
        put_back(removal)
        assert at(secret).status_code == 503
        assert "shows nothing" not in visible(links_page(signed_in(bob)).content.decode())
