"""Every page, light and dark, wide and narrow: nothing serious found by axe, nothing overflows."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from annotate import uploads
from annotate.content.judgments import judge_of
from annotate.models import PEOPLE, Invitation, Judgment, Response, Role, Study, Upload, User
from annotate.people import crowd
from annotate.people.members import invitation_code, invite, revoke
from annotate.rating import assignments, inquiries, practice
from annotate.rating.batches import Selection, close_batch, create_batch, open_batch, systems_named
from annotate.rating.task_steps import steps_of
from annotate.studies.lifecycle import create_study, write_guidelines
from annotate.work import jobs
from evaluation.language_models.connections import save
from evaluation.models import Connection, Run
from evaluation.report_pages.lifecycle import draw_charts
from evaluation.report_pages.sharing import share
from evaluation.reports.filters import Filters
from evaluation.runs import lifecycle as runs
from tests.annotate.desk import WRONG, batch_of, do_item, do_next, practice_of
from tests.browser.conftest import a_rater, a_researcher, a_study
from tests.browser.faults import AXE, EVERY_LOOK, RUN, TOO_WIDE
from tests.browser.kept import Kept
from tests.evaluation.made_up import made_up_report
from tests.evaluation.runs.doing import finished, planned, started
from tests.uploads.files import alce, item, judged, judgments, lines, passage, response
from tests.uploads.steps import check, loaded, receive

pytestmark = pytest.mark.browser

LOADS_MORE = "[hx-trigger=load], [data-chart]"
"""Parts of pages that are not there when the page is."""

PAINTED = "() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))"

LONG = "Averylongwordwithoutanyplacetobreakitbecauseitissomekindofidentifier_" * 3


def fill() -> None:
    researcher, rater = a_researcher(), a_rater()
    write_everything(a_study(researcher, rater), researcher)


KEPT = Kept(fill)


@pytest.fixture
def world(transactional_db: None) -> Study:
    """A study with something of everything, and an empty one."""
    KEPT.put()
    return Study.objects.get(slug="things")


@pytest.fixture
def researcher(world: Study) -> User:
    return User.objects.get(name="Grace")


@pytest.fixture
def rater(world: Study) -> User:
    return User.objects.get(name="Ray")


def write_everything(study: Study, researcher: User) -> None:
    create_study(name="Empty", slug="empty", preset="ais", owner=researcher)
    study.description = f"About things. {LONG}"
    study.save()
    rows = [
        response(n, system=system, run="42", output=f"Thing {n} is round [1][2]. It says [7].")
        for n in range(1, 16)
        for system in ("Alpha", f"Beta {LONG[:100]}")
    ]
    odd = response(
        20,
        question={
            "id": LONG[:150],
            "text": f"What is {LONG}?",
            "references": {
                "answer": "An answer.",
                "qa_pairs": [{"question": "How?", "short_answers": ["so", LONG]}],
                "claims": ["It is."],
                "answers": [["a", "b"]],
                "annotations": [{"long_answer": "It is so."}],
            },
        },
        output=f"{LONG} [1][2][3][4], and [9]. Uncited.\nLeft out {LONG}",
        passages=[
            {"n": n, **passage(LONG), "id": LONG[:80], "url": f"https://example.org/{n}"}
            for n in range(1, 5)
        ],
        metadata={"deep": {LONG: [1, 2]}},
    )
    odd["passages"][1]["text"] = "A sentence of a very long passage. " * 200
    empty = response(21, output="", passages=[])
    loaded(study, lines(*rows, odd, empty), "outputs.jsonl")
    about = {"system": "Alpha", "run": "42"}
    loaded(
        study,
        judgments(
            judged(1, "r", "utility", "4", **about),
            judged(1, "s1", "citation_recall", "yes", note=f"Sure. {LONG}", **about),
            judged(1, "s1", "citation_recall", "no", judge="Bob", **about),
            judged(1, "s1.c1", "citation_support", "", skipped_reason="broken", **about),
            judged(
                1, "s1", "citation_recall", "yes", judge=f"autoais|{LONG}", score="0.93",
                judge_kind="automatic", **about,
            ),
        ),
        "judgments.csv",
    )  # fmt: skip
    changed = response(1, system="Alpha", run="42", output="Flat [1].")
    loaded(study, lines(changed), "changed.jsonl", replace=True)
    write_guidelines(study, "# Rules\n\nA [link](https://example.org), `code`, a | table.", None)
    open_link = invite(study, role=Role.RATER, author=researcher, label="Pilot", max_uses=3)
    revoke(invite(study, role=Role.RESEARCHER, author=researcher, label=LONG[:90]))
    assert open_link.pk
    _uploads_of_every_kind(study)
    _batches_of_every_kind(study)
    _runs_of_every_kind(study)
    _reports_of_every_kind(study)


def _reports_of_every_kind(study: Study) -> None:
    draw_charts(made_up_report(study).pk)
    made_up_report(study, Filters(seed=1, systems=("Alpha",)), state="failed", body="", error=LONG)


def _runs_of_every_kind(study: Study) -> None:
    """All but those that work, whose pages ask again and again."""
    finished(study, "correctness")
    way = save(Connection(name=LONG[:60], url=f"https://example.org/{LONG}", everybody=True))
    failed = planned(study, connection=way.name, scorer="http", options={"tries": 1})
    Run.objects.filter(pk=failed.pk).update(state="failed", error=f"Sorry. {LONG}")
    paused = started(study)
    runs.pause(paused)
    jobs.arrive(f"celery@{LONG[:60]}", ["default"])
    planned(study, "autoais")


def _batches_of_every_kind(study: Study) -> None:
    both = list(study.systems.order_by("name").values_list("name", flat=True)[:2])
    chosen = Selection(systems=systems_named(study, both))
    # Closed first: what nobody rated in it may be in other batches.
    close_batch(open_batch(create_batch(study, name="Closed", order="together", selection=chosen)))
    practice = create_batch(study, name="Practice", purpose="practice", selection=chosen)
    work = create_batch(
        study,
        name=f"By link {LONG[:80]}",
        audience="link",
        consent=f"You agree. {LONG}",
        completion_url="https://example.org/complete",
        qualification=practice,
        selection=chosen,
        dimensions=["utility"],
    )
    assert work.items.exists()
    parts = ["citation_recall", "citation_support"]
    unit_by_unit = create_batch(
        study, name="Open", granularity="unit", selection=chosen, dimensions=parts
    )
    open_batch(unit_by_unit)


def _uploads_of_every_kind(study: Study) -> None:
    many = alce(item(30, output="Nothing."), item(31, output=["A [9].", "B"]), item(32, output=""))
    check(study, many, f"{LONG[:60]}.json")
    again = lines(response(1, system="Alpha", run="42", output="Oval [1]."))
    check(study, again, "changed-again.jsonl")
    bad = alce(item(40), item(41, output=7), *({"question": LONG} for _ in range(20)))
    check(study, bad, "bad.json")
    failed = check(study, alce(item(50)), "failed.json")
    Path(failed.file.path).unlink()
    uploads.confirm(failed)
    uploads.cancel(receive(study, alce(item(60)), "cancelled.json"))
    uploads.discard(check(study, alce(item(61)), "discarded.json"))
    waiting = receive(study, alce(item(62)), "waiting.json")
    Upload.objects.filter(pk=waiting.pk).update(created_at="2020-01-01T00:00Z")
    states = set(study.uploads.values_list("state", flat=True))
    assert states == {"done", "ready", "invalid", "failed", "cancelled", "discarded", "received"}


def researcher_paths(study: Study) -> list[str]:
    home = f"/studies/{study.slug}/"
    replaced = Response.objects.get(live=None)
    judged_one = Judgment.objects.filter(unit__response=replaced)
    assert judged_one.exists()
    odd = Response.objects.get(question__text__startswith="What is Avery")
    empty = Response.objects.get(text="")
    beside = Response.objects.current().filter(question=odd.question).exclude(pk=odd.pk)[:1]
    system = study.systems.order_by("-name").first()
    assert system
    measured = study.batches.filter(name__in=["Open", "Practice"])
    return [
        "/studies/",
        "/studies/new/",
        "/account/",
        "/formats/",
        "/styles/",
        "/studies/empty/",
        "/studies/empty/responses/",
        "/studies/empty/systems/",
        "/studies/empty/uploads/",
        "/studies/empty/data/",
        home,
        f"{home}responses/",
        f"{home}responses/?q=nothing+like+this",
        *(f"{home}responses/{each.pk}/" for each in (replaced, odd, empty)),
        *(f"{home}responses/{odd.pk}/?beside={each.pk}" for each in beside),
        "/studies/empty/batches/",
        "/studies/empty/batches/new/",
        f"{home}batches/",
        f"{home}batches/new/",
        *(f"{home}batches/{batch.pk}/" for batch in study.batches.order_by("pk")),
        *(f"{home}batches/{batch.pk}/edit/" for batch in study.batches.exclude(state="closed")),
        *(f"{home}batches/{b.pk}/{part}/" for b in measured for part in ("monitor", "agreement")),
        *(f"/studies/empty/{part}/" for part in ("raters", "disputes", "inquiries", "examples")),
        f"{home}disputes/?state=all",
        f"{home}examples/",
        f"{home}raters/",
        *(f"{home}raters/{judge.pk}/" for judge in study.judges.filter(kind__in=PEOPLE)),
        f"{home}data/labels/",
        f"{home}systems/",
        f"{home}systems/{system.pk}/",
        f"{home}runs/",
        f"{home}runs/new/",
        *(f"{home}runs/{run.pk}/" for run in study.runs.all()),
        "/studies/empty/runs/",
        "/studies/empty/runs/new/",
        f"{home}uploads/",
        *(f"{home}uploads/{upload.pk}/" for upload in study.uploads.order_by("pk")),
        f"{home}guidelines/",
        f"{home}guidelines/?version=1&q=link",
        f"{home}guidelines/changes/",
        f"{home}own-work/",
        f"{home}guidelines/edit/",
        f"{home}members/",
        f"{home}data/",
        f"{home}dimensions/",
        f"{home}dimensions/take/",
        *(f"{home}{part}/" for part in ("settings", "copy", "delete")),
    ]


FEW_OF_A_KIND = """() => {
  const met = {};
  for (const one of document.querySelectorAll("details")) {
    met[one.className] = (met[one.className] ?? 0) + 1;
    if (met[one.className] > 20) one.remove();
    else one.open = true;
  }
}"""
"""Open what is folded. The API's page has hundreds of one kind, and is slow to look at."""


def look(page: Page, name: str) -> list[str]:
    """Return the faults of the page, wide and narrow, light and dark.

    All looks but the first are at colours and sizes only: the rest is the same page.
    """
    found = []
    page.evaluate(FEW_OF_A_KIND)
    page.add_script_tag(path=str(AXE))
    for width, scheme in EVERY_LOOK:
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        page.evaluate(PAINTED)
        faults = page.evaluate(RUN, (width, scheme) != EVERY_LOOK[0]) + page.evaluate(TOO_WIDE)
        found += [f"{name} {width} {scheme}: {each}" for each in faults]
    return found


def look_at_all(page: Page, paths: list[str], **expected: Any) -> list[str]:
    found = []
    for path in paths:
        page.goto(path)
        if page.locator(LOADS_MORE).count():
            page.wait_for_load_state("networkidle")
        found += look(page, path)
    return found


@pytest.mark.parametrize("half", range(2))
def test_pages_of_a_researcher(visit, researcher, world, half, settings):
    settings.DEBUG = True  # for the design system
    page = visit(researcher, "/", bypass_csp=True)
    paths = [path for path in researcher_paths(world) if not _polls(path, world)]
    found = look_at_all(page, paths[half::2])
    assert found == [], "\n".join(found)


def test_pages_of_reports(visit, researcher, world):
    """One with everything, one that failed, filters that do not fit, nothing to report, and what a
    share link shows to anybody."""
    page = visit(researcher, "/", bypass_csp=True, refusals=(422,))
    home = "/studies/things/report/"
    paths = [home, f"{home}?seed=1&systems=Alpha", f"{home}?seed=-1", "/studies/empty/report/"]
    found = look_at_all(page, [*paths, f"{home}links/"])
    secret = share(world, Filters(), by=researcher, days=30, with_texts=True)
    found += look_at_all(visit(None, "/", bypass_csp=True), [f"/shared/{secret}/"])
    assert found == [], "\n".join(found)


def test_pages_of_ones_own_connections(visit, researcher, settings):
    settings.ATTEST_OWN_CONNECTIONS = True
    page = visit(researcher, "/", bypass_csp=True)
    found = look_at_all(page, ["/account/connections/"])
    url = f"https://model.example.org/{LONG}"
    way = save(Connection(name=LONG[1:61], url=url, model=LONG[:200], owner=researcher), key="k")
    found += look_at_all(
        page, ["/account/", "/account/connections/", f"/account/connections/{way.pk}/"]
    )
    assert found == [], "\n".join(found)


def test_the_faults_of_one_scheme_are_found(visit, transactional_db):
    page = visit(None, "/sign-in/", bypass_csp=True)
    page.evaluate("document.body.style.color = 'light-dark(#111, #2a2a2a)'")
    found = look(page, "sign in")
    assert {line.split(": ")[0].split()[-1] for line in found} == {"dark"}
    assert any("color-contrast" in line for line in found)


def _polls(path: str, study: Study) -> bool:
    working = study.uploads.get(state="received")
    return path.endswith(f"/uploads/{working.pk}/")


def test_the_page_of_an_upload_that_waits(visit, researcher, world):
    waiting = world.uploads.get(state="received")
    page = visit(researcher, f"/studies/things/uploads/{waiting.pk}/", bypass_csp=True)
    assert look(page, "waiting upload") == []


def test_pages_of_a_rater(visit, rater, world):
    page = visit(rater, "/", bypass_csp=True, refusals=(403, 404))
    paths = ["/studies/", "/studies/things/", "/studies/things/guidelines/", "/account/"]
    paths += ["/studies/things/desk/questions/", "/studies/things/responses/", "/studies/nowhere/"]
    found = look_at_all(page, paths)
    assert found == [], "\n".join(found)


def test_pages_of_anybody(visit, world, settings):
    settings.ATTEST_OPEN_SIGN_UP = True
    links = {i.label: f"/join/{invitation_code(i)}/" for i in Invitation.objects.all()}
    page = visit(None, "/", bypass_csp=True, refusals=(404, 410))
    help_pages = ["/help/", "/help/studies/", "/help/?q=gold", "/api/"]
    paths = ["/sign-in/", "/sign-up/", "/formats/", "/nowhere/", *help_pages, *links.values()]
    found = look_at_all(page, paths)
    assert found == [], "\n".join(found)


def test_forms_with_errors(visit, researcher, world, settings):
    settings.ATTEST_MAX_UPLOAD_BYTES = 50
    page = visit(researcher, "/studies/new/", bypass_csp=True, refusals=(422,))
    found = []
    page.get_by_label("Name").fill(" ")
    page.get_by_role("button", name="Create study").click()
    page.wait_for_selector(".error")
    found += look(page, "new study with an error")

    page.goto("/studies/things/uploads/")
    page.locator("#id_file").set_input_files(
        {"name": f"{LONG}.json", "mimeType": "application/json", "buffer": alce(item(1))}
    )
    found += look(page, "too large a file")

    settings.ATTEST_MAX_UPLOAD_BYTES = 5_000
    page.goto("/studies/things/uploads/")
    page.locator("#id_file").set_input_files(
        {"name": "notes.txt", "mimeType": "text/plain", "buffer": b"words"}
    )
    page.get_by_role("button", name="Check file").click()
    page.wait_for_selector("#id_file_error")
    found += look(page, "a file that is no data")

    page.goto("/account/password/change/")
    page.get_by_label("Current Password").fill("wrong")
    page.get_by_label("New Password", exact=True).fill("short")
    page.get_by_label("New Password (again)").fill("other")
    page.get_by_role("button", name="Change password").click()
    page.wait_for_selector(".error")
    found += look(page, "password with errors")

    page.goto("/account/tokens/")
    page.get_by_label("Purpose").fill("my script")
    page.get_by_role("button", name="Create token").click()
    page.wait_for_load_state()
    found += look(page, "a new token")

    page.goto("/studies/things/delete/")
    page.locator("#id_slug").fill("another")
    page.locator("main button").first.click()
    page.wait_for_selector(".error")
    found += look(page, "delete with an error")
    assert found == [], "\n".join(found)


def test_pages_with_something_lit(visit, researcher, world):
    first = Response.objects.filter(live=True, citation_count__gte=3).order_by("pk").first()
    assert first
    page = visit(researcher, f"/studies/things/responses/{first.pk}/", bypass_csp=True)
    page.locator(".answer a.chip").first.focus()
    page.wait_for_selector(".lit")
    assert look(page, "a lit response") == []


@pytest.fixture
def rated(world: Study, rater: User) -> dict[str, str]:
    """Practice, gold and a crowd, with their pages by name."""
    few = Response.objects.filter(live=True, study=world, citation_count__gt=1).order_by("-pk")
    few = Response.objects.filter(pk__in=list(few.values_list("pk", flat=True)[:2]))
    me = judge_of(world, rater)
    practice_batch = practice_of(world, name="Exercise", responses=few, max_rounds=2)
    trainee = practice.begin(practice_batch, me).trainee
    first = do_next(practice_batch, trainee, WRONG)
    last = do_next(practice_batch, trainee)
    asked = steps_of(last.batch, last.item)
    inquiry = inquiries.ask(last, asked[0], text=LONG, author=rater).inquiry
    inquiries.answer(inquiry, text=LONG, author=rater, shared=True)
    inquiries.ask(last, asked[1], text=LONG, author=rater)  # waits, so that tabs and batch say so
    gold_batch = batch_of(
        world, "With gold inside", gold_items=list(few), responses=few, gold=practice_batch.gold
    )
    do_item(gold_batch.items.get(response=few[0]), me)
    terms = {"audience": "link", "completion_code": "C0DE", "consent": f"# Consent {LONG}"}
    by_link = batch_of(world, f"By link {LONG}"[:200], responses=few, raters_per_item=5, **terms)
    came = crowd.arrive(by_link, platform="mturk", external_id=LONG[:190], consented=True)
    do_next(by_link, crowd.judge_behind(came))
    assignments.next_task(by_link, crowd.judge_behind(came))
    done = crowd.arrive(by_link, platform="prolific", external_id="77aa", consented=True)
    do_next(by_link, crowd.judge_behind(done))
    crowd.finish(done)
    closed = batch_of(world, "Over by link", responses=few, audience="link", state="closed")
    home = f"/studies/{world.slug}"
    return {
        "feedback": f"{home}/desk/tasks/{first.pk}/feedback/",
        "result": f"{home}/desk/tasks/{last.pk}/feedback/",
        "own inquiries": f"{home}/desk/questions/",
        "inquiry": f"{home}/inquiries/{inquiry.pk}/",
        "inquiries": f"{home}/inquiries/?state=all",
        "batch": f"{home}/batches/{practice_batch.pk}/",
        "known": f"{home}/batches/{practice_batch.pk}/gold/",
        "gold": f"{home}/batches/{gold_batch.pk}/gold/",
        "participants": f"{home}/batches/{by_link.pk}/participants/",
        "done": f"{home}/desk/{by_link.pk}/done/",
        "link": f"/rate/{crowd.batch_code(by_link)}/",
        "closed": f"/rate/{crowd.batch_code(closed)}/",
    }


def test_pages_of_practice(visit, rater, rated):
    page = visit(rater, "/", bypass_csp=True)
    found = look_at_all(page, [rated["feedback"], rated["result"], rated["own inquiries"]])
    assert found == [], "\n".join(found)


def test_pages_of_known_answers_and_participants(visit, researcher, rated):
    page = visit(researcher, "/", bypass_csp=True)
    paths = [rated[name] for name in ("known", "gold", "participants", "link")]
    paths += [rated[name] for name in ("inquiry", "inquiries", "batch")]
    found = look_at_all(page, [*paths, "/studies/things/members/"])
    assert found == [], "\n".join(found)


def test_pages_of_the_crowd(visit, rated):
    page = visit(None, "/", bypass_csp=True, refusals=(410,))
    found = look_at_all(
        page, [rated["link"], f"{rated['link']}?PROLIFIC_PID={LONG}"[:220], rated["closed"]]
    )
    page.goto(f"{rated['link']}?PROLIFIC_PID=5z3a")
    page.get_by_role("button", name="I agree: start").click()
    page.wait_for_url("**/desk/**")
    found += look(page, "the desk of somebody from the crowd")
    found += look_at_all(page, [rated["done"]])
    assert found == [], "\n".join(found)
