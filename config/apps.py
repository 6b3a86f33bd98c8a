import gc

from django.apps import AppConfig


class ConfigConfig(AppConfig):
    name = "config"

    def ready(self) -> None:
        from config.observing import tasks, traces  # noqa: F401

        traces.begin()
        gc.freeze()  # loaded modules stay; forked processes share their memory
        gc.enable()
