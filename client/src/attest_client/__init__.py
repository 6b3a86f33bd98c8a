"""The Python client of Attest."""

from attest_client.reports import Figure, Judgments, Report
from attest_client.sending import GUESS
from attest_client.study import Attest, Study
from attest_client.transport import AttestError, FailedError

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
