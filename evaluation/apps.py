from django.apps import AppConfig


class EvaluationConfig(AppConfig):
    name = "evaluation"

    def ready(self) -> None:
        """What judges are called and which labels there are is made known, and what other packages
        bring is tried."""
        from annotate.content.responses_by_label import labels_by
        from annotate.protocol.signatures import register_titles
        from evaluation.generating import corpora  # noqa: F401
        from evaluation.generating.forms import making  # noqa: F401 (what can be made of a study)
        from evaluation.judges import JUDGES, METRICS
        from evaluation.judges.entailment import SCORERS
        from evaluation.labels import agreement_counts as agreement_counts
        from evaluation.labels import batch_agreement as batch_agreement  # registers its webhook
        from evaluation.labels import label_index as label_index
        from evaluation.labels import labelled_responses
        from evaluation.labels.export import tables as tables  # of a whole study
        from evaluation.language_models import connections  # noqa: F401 (forgotten with who leaves)
        from evaluation.report_pages import lifecycle  # noqa: F401 (each stops what is deleted)
        from evaluation.reports.sections.every import sections
        from evaluation.runs import judging as judging
        from evaluation.runs import lifecycle as run_lifecycle  # noqa: F401

        register_titles(JUDGES, SCORERS)
        labels_by(labelled_responses)
        SCORERS.check()
        JUDGES.check()
        if JUDGES.extensions():
            dict(METRICS)  # no two judges have one
        sections()  # each has its place
