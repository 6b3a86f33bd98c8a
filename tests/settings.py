"""Settings under test: Attest's own, in a folder that is thrown away afterwards.

The user's environment is set aside first, so that a test means the same on every machine; only
DATABASE_URL stays, which is how the suite is run again on PostgreSQL.
"""

import os
import tempfile

_OURS = ("ALLOWED_HOSTS", "CELERY_BROKER_URL", "CSRF_TRUSTED_ORIGINS", "DEBUG", "HOST", "LOG_LEVEL")
for _name in list(os.environ):
    if _name.startswith("ATTEST_") or _name in {*_OURS, "PORT", "SECRET_KEY", "TIME_ZONE"}:
        del os.environ[_name]
os.environ["ATTEST_DATA_DIR"] = tempfile.mkdtemp(prefix="attest-tests-")

from config.settings import *  # noqa: E402, F403 - after the environment is set

# A slow hash protects real passwords; here it would only cost minutes.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

# Nothing is asked of a test's database after a power cut, so no commit waits for the disk.
if DATABASES["default"]["ENGINE"].endswith("postgresql"):  # noqa: F405
    DATABASES["default"]["OPTIONS"]["options"] = "-c synchronous_commit=off"  # noqa: F405
