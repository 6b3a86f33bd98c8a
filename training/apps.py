from django.apps import AppConfig


class TrainingConfig(AppConfig):
    name = "training"

    def ready(self) -> None:
        """A study's own scorer is among what can be made of it."""
        from training import offered  # noqa: F401
