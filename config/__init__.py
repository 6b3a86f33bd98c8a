"""How the parts are put together: settings, addresses, queue, processes."""

from config.celery import app as celery_app

__all__ = ["celery_app"]
