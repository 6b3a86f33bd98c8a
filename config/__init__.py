"""How the parts are put together: settings, addresses, queue, processes."""

import gc

gc.disable()  # until all is loaded (`config/apps.py`): a sixth of each start went into looking

from config.celery import app as celery_app  # noqa: E402
