"""Settings of a capture: those of the tests, with nothing in them that differs between two runs."""

import os

os.environ.pop("DATABASE_URL", None)  # always SQLite, in a data folder of its own

from tests.settings import *  # noqa: F403 - after the environment is set
from tests.settings import STORAGES

SECRET_KEY = "the-golden-files-hold-no-secret-and-need-the-same-signatures-each-time"
ATTEST_PARSER = "en_core_web_sm"

# Work for the queue is done at once, in the process that asks for it.
CELERY_TASK_ALWAYS_EAGER = True
CELERY_TASK_EAGER_PROPAGATES = True

# Static files go by their own names; pytest is not loaded here, which would also see to that.
STORAGES = {
    **STORAGES,
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
WHITENOISE_USE_FINDERS = WHITENOISE_AUTOREFRESH = True
