from django.apps import AppConfig


class EvaluationConfig(AppConfig):
    name = "evaluation"

    def ready(self) -> None:
        """What judges are called is made known, and what other packages bring is tried."""
        from annotate.protocol.signatures import name_by
        from evaluation.entailment import SCORERS
        from evaluation.judges import JUDGES, METRICS
        from evaluation.reports.sections.every import sections

        name_by(JUDGES, SCORERS)
        SCORERS.check()
        JUDGES.check()
        if JUDGES.brought():
            dict(METRICS)  # no two judges have one
        sections()  # each has its place
