from django.apps import AppConfig
from django.core import checks


class EvaluationConfig(AppConfig):
    name = "evaluation"

    def ready(self) -> None:
        """What judges are called is made known, and what other packages bring is tried."""
        from annotate.protocol.signatures import name_by
        from evaluation.entailment import SCORERS
        from evaluation.judges import JUDGES, METRICS

        name_by(JUDGES, SCORERS)
        SCORERS.check()
        JUDGES.check()
        if JUDGES.brought():
            dict(METRICS)  # no two judges have one

        from evaluation.management.checks import sections_fit

        checks.register(sections_fit)
