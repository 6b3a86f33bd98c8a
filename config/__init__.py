"""The project: settings, addresses, queue and processes."""

import gc

gc.disable()  # until everything is loaded (`config/apps.py`), which makes each start a sixth faster

from config.celery import app as celery_app  # noqa: E402
