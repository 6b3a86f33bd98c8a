from django.apps import AppConfig


class AnnotateConfig(AppConfig):
    name = "annotate"

    def ready(self) -> None:
        """Formats that other packages bring are tried, and what is swept, or sealed anew, is made
        known."""
        from annotate.formats import FORMATS
        from annotate.services.people import admission as admission
        from annotate.services.people import audited as audited
        from annotate.services.people import forgetting as forgetting
        from annotate.services.people import second_factor as second_factor

        FORMATS.check()
