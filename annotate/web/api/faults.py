"""All that is wrong with a protocol file or a part of one, as an error for programs."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict

from rest_framework import status
from rest_framework.exceptions import APIException

from annotate.protocol.written import NotAProtocol


class FaultyError(APIException):
    """All that is wrong with a dimension or a file, by line and field."""

    status_code = status.HTTP_400_BAD_REQUEST
    default_code = "invalid"
    default_detail = "Some fields cannot be accepted."

    def __init__(self, error: NotAProtocol) -> None:
        super().__init__()
        self.details = [asdict(fault) for fault in error.faults]


@contextmanager
def faults_told() -> Iterator[None]:
    try:
        yield
    except NotAProtocol as error:
        raise FaultyError(error) from None
