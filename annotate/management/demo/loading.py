"""Load the demo studies and create their batches."""

from pathlib import Path
from typing import NamedTuple

from django.conf import settings
from django.core.files import File
from django.db import transaction

from annotate import uploads
from annotate.models import Batch, Judge, Study, Upload
from annotate.rating.batches import Selection, adopt_ratings, create_batch, open_batch
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
    """The lines of an answer that are read, as its simulated raters read them."""

    dimensions: tuple[str, ...] | None = None
    """The dimensions, if they differ from the preset's, with `guidelines` for them."""

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
    """Create missing parts of the demo and return the names of loaded studies."""
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
        uploads.give_up(upload)  # left by an interrupted start; no worker runs yet
    done = set(study.uploads.filter(state=Upload.State.DONE).values_list("name", flat=True))
    for name in names:
        if name not in done:
            with (FIXTURES / name).open("rb") as handle:
                load_file(study, File(handle, name=name), name)
    return not done.issuperset(names)


def load_file(study: Study, file: File[bytes], name: str) -> None:
    """Load one file through all steps. A demo file that does not load is our error."""
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


SEED = 7
MOST_SIMULATED = 5
"""The most simulated raters of a response in the demo."""


def make_batches(study: Study) -> None:
    """Create the batches of a demo study without any. A deleted batch is not created again."""
    with transaction.atomic():
        Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        if study.batches.exists():
            return
        if study.slug == "demo-short-answers":
            _short_answers(study)
        else:
            _cited_answers(study)


def _reference(study: Study) -> Judge:
    return study.judges.get(kind=Judge.Kind.REFERENCE)


def _cited_answers(study: Study) -> None:
    simulated = create_batch(
        study,
        name="Demo: simulated round",
        raters_per_item=MOST_SIMULATED,
        seed=SEED,
    )
    adopt_ratings(simulated, list(study.judges.filter(kind=Judge.Kind.SIMULATED)))
    practice = create_batch(
        study,
        name="Demo: practice",
        purpose=Batch.Purpose.PRACTICE,
        selection=Selection(questions="sample", sample_size=1),
        gold=_reference(study),
        seed=SEED,
    )
    open_batch(practice)
    rating = create_batch(
        study,
        name="Demo: try the rating form",
        selection=Selection(questions="sample", sample_size=2, apart_from=(practice.pk,)),
        raters_per_item=3,
        seed=SEED,
    )
    open_batch(rating)


def _short_answers(study: Study) -> None:
    rating = create_batch(
        study,
        name="Demo: rate short answers",
        selection=Selection(questions="sample", sample_size=8, gold_count=2),
        gold=_reference(study),
        gold_percent=10,
        seed=SEED,
    )
    open_batch(rating)
