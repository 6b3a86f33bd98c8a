from django.apps import AppConfig


class EvaluationConfig(AppConfig):
    name = "evaluation"

    def ready(self) -> None:
        """Register titles of judges and labels, and check the extensions of other packages."""
        from annotate.content.responses_by_label import labels_by
        from annotate.protocol.signatures import register_titles
        from evaluation.generating import corpora  # noqa: F401
        from evaluation.generating.forms import making  # noqa: F401 (registers the tools)
        from evaluation.judges import JUDGES, METRICS
        from evaluation.judges.entailment import SCORERS
        from evaluation.labels import agreement_counts as agreement_counts
        from evaluation.labels import batch_agreement as batch_agreement  # registers its webhook
        from evaluation.labels import label_index as label_index
        from evaluation.labels import labelled_responses
        from evaluation.labels.export import tables as tables  # of a whole study
        from evaluation.language_models import connections  # noqa: F401 (deleted with their owner)
        from evaluation.report_pages import lifecycle  # noqa: F401 (stops the jobs of deleted studies)
        from evaluation.reports.sections.every import sections
        from evaluation.runs import judging as judging
        from evaluation.runs import lifecycle as run_lifecycle  # noqa: F401

        register_titles(JUDGES, SCORERS)
        labels_by(labelled_responses)
        SCORERS.check()
        JUDGES.check()
        if JUDGES.extensions():
            dict(METRICS)  # raises if two judges have the same metric
        sections()  # raises if a section has no place
