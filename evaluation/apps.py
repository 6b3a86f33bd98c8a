from django.apps import AppConfig
from django.core import checks


class EvaluationConfig(AppConfig):
    name = "evaluation"

    def ready(self) -> None:
        from evaluation.checks import sections_fit

        checks.register(sections_fit)
