from django.apps import AppConfig


class AnnotateConfig(AppConfig):
    name = "annotate"

    def ready(self) -> None:
        """Formats that other packages bring are tried."""
        from annotate.formats import FORMATS

        FORMATS.check()
