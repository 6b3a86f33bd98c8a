"""Loading the demo studies, once."""

from pathlib import Path
from typing import NamedTuple

from django.conf import settings
from django.core.files import File

from annotate import uploads
from annotate.management.demo.batches import make_batches
from annotate.models import Study, Upload
from annotate.studies.lifecycle import create_study
from annotate.web.demo_accounts import join_demo, make_accounts

FIXTURES = Path(settings.BASE_DIR) / "fixtures" / "demo"


class DemoStudy(NamedTuple):
    slug: str
    name: str
    preset: str
    description: str
    files: tuple[str, ...]
    lines: str
    """How much of an answer is read: what its simulated raters read."""

    dimensions: tuple[str, ...] | None = None
    """What is asked, where that is not what the preset asks, with guidelines for it."""

    guidelines: str | None = None


DEMO_STUDIES = (
    DemoStudy(
        "demo-cited-answers",
        "Demo: answers with citations",
        "aliice",
        "Four made-up systems answer 24 questions with cited passages. Texts were written for "
        "this demo; the raters are simulated.",
        (
            "alce-careful.json",
            "alce-generous.json",
            "alce-terse.json",
            "alce-inline.json",
            "judgments.csv",
            "reference-labels.csv",
        ),
        "first",
        (
            "utility",
            "citation_recall",
            "citation_support",
            "claim_recall",
            "claim_support",
            "pf_utility",
        ),
        (Path(__file__).parent / "guidelines.md").read_text(encoding="utf-8"),
    ),
    DemoStudy(
        "demo-short-answers",
        "Demo: short answers with a source",
        "ais",
        "Three made-up systems answer 40 short questions from one source each. Texts were "
        "written for this demo; the raters are simulated.",
        ("ais.jsonl", "ais-judgments.csv", "ais-reference-labels.csv"),
        "all",
    ),
)


def load_demo() -> list[str]:
    """Make what is missing of the demo; returns the names of the studies that were loaded."""
    users = make_accounts()
    loaded = []
    for demo in DEMO_STUDIES:
        study = Study.objects.filter(slug=demo.slug, is_demo=True).first()
        if study is None:
            study = create_study(
                name=demo.name,
                slug=demo.slug,
                preset=demo.preset,
                lines=demo.lines,
                dimensions=demo.dimensions,
                guidelines=demo.guidelines,
                owner=users[0],
                description=demo.description,
                is_demo=True,
            )
            join_demo(study, users)
        if _load_files(study, demo.files):
            loaded.append(demo.name)
        make_batches(study)
    return loaded


def _load_files(study: Study, names: tuple[str, ...]) -> bool:
    unfinished = study.uploads.filter(created_by=None).exclude(
        state__in=[Upload.State.DONE, Upload.State.DISCARDED]
    )
    for upload in unfinished:
        uploads.give_up(upload)  # an earlier start was stopped; no worker runs yet
    done = set(study.uploads.filter(state=Upload.State.DONE).values_list("name", flat=True))
    for name in names:
        if name not in done:
            with (FIXTURES / name).open("rb") as handle:
                load_file(study, File(handle, name=name), name)
    return not done.issuperset(names)


def load_file(study: Study, file: File[bytes], name: str) -> None:
    """Take one file through every step; a demo file that does not load is an error of ours."""
    upload = uploads.receive(study, file, name=name, author=None)
    uploads.work(upload.pk)
    upload.refresh_from_db()
    if upload.state == Upload.State.READY:
        uploads.accept(upload)
        uploads.work(upload.pk)
        upload.refresh_from_db()
    if upload.state != Upload.State.DONE:
        problems = [problem["text"] for problem in upload.findings.get("problems", [])[:3]]
        raise RuntimeError(f"{name}: {upload.state} {upload.error} {problems}")
