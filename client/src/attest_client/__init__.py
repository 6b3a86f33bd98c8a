"""Attest from Python."""

from attest_client.client import Attest
from attest_client.errors import AttestError, FailedError
from attest_client.judgments import Judgments
from attest_client.reports import Figure, Report
from attest_client.sending import GUESS
from attest_client.study import Study

__version__ = "0.1.0"

__all__ = [
    "GUESS",
    "Attest",
    "AttestError",
    "FailedError",
    "Figure",
    "Judgments",
    "Report",
    "Study",
    "__version__",
]
