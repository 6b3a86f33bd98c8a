"""A study from which tests of batches draw."""

from annotate.models import Judge
from annotate.rating.batches import Selection
from tests.annotate.loading import judgment, load, load_judgments, response
from tests.shared_rows import shared_rows

SYSTEMS = ("Amber", "Bronze", "Carmine")
KEY = "Answer key"


def rows(questions=8, systems=SYSTEMS, runs=("",)):
    return [
        response(
            f"Height {n} is known [1]. It is high [1][2].",
            system=system,
            question_id=f"q{n}",
            question=f"How high is peak {n}?",
            run=run,
        )
        for n in range(1, questions + 1)
        for system in systems
        for run in runs
    ]


@shared_rows
def peaks(study):
    """Eight questions, each answered by three systems."""
    load(study, rows())
    return study


@shared_rows
def key(peaks):
    """Known answers about Amber's and Bronze's first statement on q1 to q4."""
    load_judgments(
        peaks,
        [
            judgment(
                "s1", "citation_recall", "yes", judge=KEY, judge_kind="reference",
                system=system, question_id=f"q{n}",
            )
            for n in range(1, 5)
            for system in ("Amber", "Bronze")
        ],
    )  # fmt: skip
    return Judge.objects.get(study=peaks, name=KEY)


def sample(n, seed=1, **more):
    return {"selection": Selection(questions="sample", sample_size=n, **more), "seed": seed}
