"""Attest from Python."""

from attest_client._async.client import AsyncAttest
from attest_client._async.study import AsyncStudy
from attest_client._sync.client import Attest
from attest_client._sync.study import Study
from attest_client.errors import AttestError, FailedError
from attest_client.judgments import Judgments
from attest_client.reports import Figure, Report
from attest_client.sending import GUESS

__version__ = "0.1.0"

__all__ = [
    "GUESS",
    "AsyncAttest",
    "AsyncStudy",
    "Attest",
    "AttestError",
    "FailedError",
    "Figure",
    "Judgments",
    "Report",
    "Study",
    "__version__",
]
