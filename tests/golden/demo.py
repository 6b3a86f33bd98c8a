"""The demo study as `make run` makes it at its first start, and what its researchers then do."""

from django.core.management import call_command

from tests.golden.doors import CITED, SHORT, STUDIES, Kept, Visitor, rows
from tests.golden.stillness import CLOCK

OWNER = "researcher"
JUDGES = ((CITED, "alce"), (CITED, "aliice"), (CITED, "correctness"), (SHORT, "autoais"),
          (SHORT, "correctness"))  # fmt: skip
CROWD = "By a link"
CITED_AFTERWARDS = "Terse, cited afterwards"


def build(kept: Kept) -> None:
    """Load the demo and have it judged, by the queue's tasks; one judge again in the foreground."""
    call_command("migrate", interactive=False, verbosity=0)
    kept.command("demo/load_demo", "load_demo")
    kept.command("demo/load_demo again", "load_demo")
    for study, judge in JUDGES:
        CLOCK.pass_minutes(5)
        kept.command(f"demo/run_judge {study} {judge}", "run_judge", study, judge, "--queue")
        if judge != "aliice":
            kept.command(f"demo/run_judge {study} {judge} again", "run_judge", study, judge)
    paper = ("alce", "--variant", "paper", "--cap", "none", "--threshold", 0.6)
    kept.command("demo/run_judge paper", "run_judge", CITED, *paper, "--systems", "Careful")
    kept.command("demo/make_claims", "make_claims", CITED)


def research(kept: Kept) -> None:
    """What the owner does once raters have begun: one thing of each kind."""
    owner = Visitor(kept, OWNER)
    _decide(owner)
    _exclude(owner)
    _flag_system(owner)
    _write_example(owner)
    _write_gold(owner)
    kept.command(
        "research/post_edit", "post_edit", CITED, "Terse", "postcite", "--name", CITED_AFTERWARDS
    )
    kept.command("research/run_judge missing", "run_judge", CITED, "alce", "--missing")
    _welcome_a_crowd(kept, owner)


def _decide(owner: Visitor) -> None:
    """Decide the first two disputes of each study, as their queue leads on; and take one back."""
    for slug in STUDIES:
        unit, dimension = _disputed(slug)
        path = f"/studies/{slug}/disputes/{unit}/{dimension}/"
        owner.get("research", path)
        owner.post(f"research/{slug}/decision without answer", path, {"note": "Hm."})
        chosen = {"value": "no", "note": "The passage says otherwise."}
        after, _ = owner.post(f"research/{slug}/decision", path, chosen)
        owner.get("research", after, called=f"/{slug}/next dispute")
        if "/disputes/" in after and dimension in after:
            owner.post(f"research/{slug}/second decision", after, chosen | {"value": "yes"})
        base = rows("Judgment").filter(unit=unit, dimension=dimension, judge__kind="adjudicated")
        if slug == SHORT:
            sent = {"take_back": "1", "base": base.get().edit}
            owner.post(f"research/{slug}/taken back", path, sent)


def _disputed(slug: str) -> tuple[int, str]:
    """A unit on whose support simulated raters disagree."""
    asked = "citation_recall" if slug == CITED else "attributable"
    votes = rows("Judgment").filter(
        unit__response__study__slug=slug, dimension=asked, judge__kind="simulated"
    )
    said: dict[int, set[str]] = {}
    for unit, value in votes.values_list("unit", "value"):
        said.setdefault(unit, set()).add(value)
    return next(unit for unit, values in said.items() if {"yes", "no"} <= values), asked


def _exclude(owner: Visitor) -> None:
    people = rows("Judge").filter(study__slug=CITED, kind="simulated").order_by("name")
    paths = [f"/studies/{CITED}/raters/{judge.pk}/standing/" for judge in people[:3]]
    owner.post("research/excluded without reason", paths[0], {"standing": "excluded"})
    for path, standing in zip(paths, ("excluded", "paused", "excluded"), strict=True):
        number = path.split("/")[-3]
        owner.post(
            f"research/{standing} {number}", path, {"standing": standing, "reason": "A trial."}
        )
    owner.post("research/readmitted", paths[2], {"standing": "active", "reason": "A mistake."})


def _flag_system(owner: Visitor) -> None:
    """One system has used the metric itself, so its automatic scores are outliers."""
    system = rows("System").get(study__slug=CITED, name="Generous")
    path = f"/studies/{CITED}/systems/{system.pk}/"
    sent = {"name": system.name, "description": "Chosen by AutoAIS.", "uses_autoais": "on"}
    owner.post("research/system", path, sent)


def _write_example(owner: Visitor) -> None:
    unit = rows("Unit").filter(response__study__slug=CITED, kind="statement").first()
    path = f"/studies/{CITED}/examples/new/?unit={unit.pk}&dimension=citation_recall"
    owner.get("research", path)
    owner.post("research/example without answer", path, {"explanation": "Look."})
    owner.post("research/example", path, {"value": "yes", "explanation": "All of it is said."})


def _write_gold(owner: Visitor) -> None:
    batch = rows("Batch").get(name="Demo: rate short answers")
    item = batch.items.filter(is_gold=True).order_by("pk").first()
    path = f"/studies/{SHORT}/batches/{batch.pk}/gold/{item.pk}/"
    task, _ = owner.post("research/gold", path, {})
    owner.get("research", task, called="/gold form")


def _welcome_a_crowd(kept: Kept, owner: Visitor) -> None:
    """A batch with a link, and somebody who comes by it and rates nothing yet."""
    kept.command(
        "research/create_batch", "create_batch", SHORT, CROWD, "--sample", 3, "--seed", 5,
        "--tasks-per-rater", 2, "--link", "--open",
    )  # fmt: skip
    kept.command(
        "research/create_batch --dry-run", "create_batch", CITED, "Not made", "--sample", 4,
        "--system", "Careful", "--system", "Inline", "--dimension", "utility", "--dry-run",
    )  # fmt: skip
    batch = rows("Batch").get(name=CROWD)
    page = owner.client.get(f"/studies/{SHORT}/batches/{batch.pk}/participants/").content.decode()
    link = "/rate/" + page.partition("/rate/")[2].partition('"')[0].partition("<")[0].strip()
    owner.get("research", link, called="/link as the owner sees it")
    guest = Visitor(kept)
    arrival = {"PROLIFIC_PID": "prolific-1", "SESSION_ID": "one", "STUDY_ID": "demo"}
    guest.get("research", f"{link}?PROLIFIC_PID=prolific-1", called="/link")
    desk, _ = guest.post("research/arrival", link, arrival)
    guest.get("research", desk, called="/guest's desk")
    task, _ = guest.post("research/guest's task", f"{desk}next/", {})
    guest.get("research", task, called="/guest's form")
    guest.get("research", f"{desk}done/", called="/guest's end")
