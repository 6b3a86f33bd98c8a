"""The demo studies, judged by what ships with Attest: in the background, at the first start."""

from django.db import transaction

from annotate.models import Judge, Study
from evaluation.entailment import DEFAULT_SCORER
from evaluation.judges.settings import JudgeSettings
from evaluation.models import Run
from evaluation.running import generations, runs
from evaluation.running.generation_settings import GenerationSettings
from evaluation.running.simulated import simulate

JUDGES = {"aliice": ("alce", "aliice", "correctness"), "ais": ("autoais", "correctness")}
"""By the protocol of the demo study."""

WITH_A_MODEL = "aliice"
"""The protocol of the one that a made-up language model judges, too."""


GENERATED = "VANILLA (simulated)"
"""The system of that study which is made here, by rule and without a model."""


def judge_demo() -> list[Run]:
    """Runs for the demo studies that no automatic judge has judged; a worker does them."""
    made = []
    for study in Study.objects.filter(is_demo=True).order_by("pk"):
        if study.runs.exists() or study.judges.filter(kind=Judge.Kind.AUTOMATIC).exists():
            continue
        with transaction.atomic():  # all of it or none: a start that breaks off is made up for
            if study.preset == WITH_A_MODEL:
                simulate(study)
                made_up = GenerationSettings("vanilla", simulated=True)
                generations.create(study, GENERATED, made_up)
            for name in JUDGES.get(study.preset, ()):
                settings = JudgeSettings(name, DEFAULT_SCORER)
                made.append(runs.create(study, settings, starts_itself=True))
    return made
