"""The demo studies, judged by what ships with Attest: in the background, at the first start."""

from annotate.models import Judge, Study
from evaluation.entailment import DEFAULT_SCORER
from evaluation.judges.settings import JudgeSettings
from evaluation.models import Run
from evaluation.running import runs

JUDGES = {"aliice": ("alce", "aliice", "correctness"), "ais": ("autoais", "correctness")}
"""By the protocol of the demo study."""


def judge_demo() -> list[Run]:
    """Runs for the demo studies that no automatic judge has judged; a worker does them."""
    made = []
    for study in Study.objects.filter(is_demo=True).order_by("pk"):
        if study.runs.exists() or study.judges.filter(kind=Judge.Kind.AUTOMATIC).exists():
            continue
        for name in JUDGES.get(study.preset, ()):
            made.append(runs.create(study, JudgeSettings(name, DEFAULT_SCORER), starts_itself=True))
    return made
