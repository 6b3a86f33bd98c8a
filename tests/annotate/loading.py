"""Studies made in tests, through the services that pages and commands use."""

import csv
import io
import json
from typing import Any

from django.core.files.base import ContentFile

from annotate import uploads
from annotate.formats.judgment_fields import COLUMNS
from annotate.models import Study, Upload

ZUGSPITZE = "How high is the Zugspitze?"
SKY = "Why is the sky blue?"
PASSAGES = (
    ("Zugspitze", "At 2,962 m the Zugspitze is the highest peak of Germany."),
    ("Wetterstein", "The Wetterstein mountains include the Zugspitze."),
    ("Rayleigh", "Air scatters short waves more than long ones."),
    ("Ozone", "Ozone takes a little of the orange light away."),
)


def response(
    output: str,
    *,
    system: str = "Vermilion",
    question: str = ZUGSPITZE,
    question_id: str = "q1",
    passages: tuple[tuple[str, str], ...] = PASSAGES[:2],
    **more: Any,
) -> dict[str, Any]:
    """One line of Attest's own format."""
    return {
        "question": {"id": question_id, "text": question},
        "system": system,
        "output": output,
        "passages": [{"n": n, "title": a, "text": b} for n, (a, b) in enumerate(passages, 1)],
        **more,
    }


def judgment(unit: str, dimension: str, value: str, **more: Any) -> dict[str, Any]:
    """One row of the long form."""
    row = dict.fromkeys(COLUMNS, "") | {
        "system": "Vermilion",
        "question_id": "q1",
        "unit": unit,
        "dimension": dimension,
        "value": value,
        "judge": "Simulated rater 7",
        "judge_kind": "simulated",
    }
    return row | more


def load(study: Study, responses: list[dict[str, Any]], **options: Any) -> Upload:
    """Load responses, all of them or the test fails."""
    content = "".join(json.dumps(line) + "\n" for line in responses)
    return _load(study, "outputs.jsonl", content, **options)


def load_judgments(study: Study, rows: list[dict[str, Any]], **options: Any) -> Upload:
    handle = io.StringIO()
    writer = csv.DictWriter(handle, COLUMNS)
    writer.writeheader()
    writer.writerows(rows)
    return _load(study, "judgments.csv", handle.getvalue(), **options)


def load_questions(study: Study, *questions: str) -> Upload:
    """Questions by themselves, each with the same ranked passages."""
    passages = [{"n": n, "title": a, "text": b} for n, (a, b) in enumerate(PASSAGES, 1)]
    lines = [{"question": {"text": text}, "passages": passages} for text in questions]
    content = "".join(json.dumps(line) + "\n" for line in lines)
    return _load(study, "questions.jsonl", content)


def receive(study: Study, name: str, content: str) -> Upload:
    return uploads.receive(study, ContentFile(content.encode(), name), name=name, author=None)


def check(study: Study, name: str, content: str) -> Upload:
    """The first step of an upload: received and checked, not loaded."""
    upload = receive(study, name, content)
    uploads.work(upload.pk)
    upload.refresh_from_db()
    return upload


def _load(study: Study, name: str, content: str, *, replace: bool = False) -> Upload:
    upload = receive(study, name, content)
    # As if it had been checked and accepted: loading refuses what is wrong, too, and nearly every
    # test begins here.
    Upload.objects.filter(pk=upload.pk).update(state=Upload.State.QUEUED, replace=replace)
    uploads.work(upload.pk)
    upload.refresh_from_db()
    assert upload.state == Upload.State.DONE, upload.error
    return upload


def load_peaks(study: Study) -> None:
    """Two systems, two questions, and one of everything that a page must show.

    Vermilion cites well, then cites more than counts. Quokka-9B cites a passage that is not
    there, says something without citing, goes on after a new line, and once says nothing.
    """
    study.lines = Study.Lines.FIRST
    study.save(update_fields=["lines"])
    load(
        study,
        [
            response("The Zugspitze is 2,962 metres high [1]. No peak is higher [1][2]."),
            response(
                "Air scatters blue light [1][2][3][4].",
                question=SKY,
                question_id="q2",
                passages=PASSAGES,
            ),
            response("It is high [7]. Nobody cites this.\nThis stands after.", system="Quokka-9B"),
            response("", system="Quokka-9B", question=SKY, question_id="q2", passages=()),
        ],
    )
    load_judgments(
        study,
        [
            judgment("s1", "citation_recall", "yes", note="Plainly so."),
            judgment(
                "s1",
                "citation_recall",
                "no",
                judge="autoais|scorer:tiny",
                judge_kind="automatic",
                score="0.25",
                note="entailment 0.25",
            ),
            judgment("s2.c1", "citation_support", "partial"),
        ],
    )
