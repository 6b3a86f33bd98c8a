"""Send requests, with safe retries, and raise errors."""

import os
from collections.abc import Callable, Iterator, Mapping
from time import sleep
from types import TracebackType
from typing import Any, Self
from uuid import uuid4

import httpx

TRIES = 5
LONGEST = 60.0
"""The most seconds between two attempts, even if a server requests more."""

BUSY = {429, 502, 503, 504}


class AttestError(Exception):
    """An error of Attest, with the reason and what to do.

    The API's documentation lists the values of `code`. `details` may have more, such as the faults
    of each field.
    """

    def __init__(self, status: int, code: str, message: str, details: Any = None) -> None:
        super().__init__(message)
        self.status, self.code, self.message, self.details = status, code, message, details

    def __str__(self) -> str:
        return f"{self.message} {self.details}" if self.details else self.message


class FailedError(AttestError):
    """A job that ended without a result."""

    def __init__(self, message: str) -> None:
        super().__init__(0, "failed", message)


class Transport:
    """A connection to one Attest with a token."""

    def __init__(
        self,
        address: str = "",
        token: str = "",
        *,
        timeout: float = 60.0,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        address = address or os.environ.get("ATTEST_URL", "")
        token = token or os.environ.get("ATTEST_TOKEN", "")
        if not address or not token:
            raise ValueError(
                "Say where Attest is and bring a token: Attest(address, token), or the variables "
                "ATTEST_URL and ATTEST_TOKEN. A token is made on the page “Your account”."
            )
        self._client = httpx.Client(
            base_url=f"{address.rstrip('/')}/api/",
            headers={"Authorization": f"Bearer {token}"},
            timeout=timeout,
            transport=transport,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def ask(
        self,
        method: str,
        path: str,
        *,
        query: Any = None,
        sent: Any = None,
        form: Mapping[str, Any] | None = None,
        files: Mapping[str, Any] | None = None,
    ) -> httpx.Response:
        """Send a request and return the response; raise `AttestError`.

        Writing requests have an idempotency key, so that retries are safe.
        """
        headers = {} if method == "GET" else {"Idempotency-Key": str(uuid4())}
        sending = {"params": query, "json": sent, "data": form, "files": files}
        return self._tried(lambda: self._client.request(method, path, headers=headers, **sending))

    def _tried(self, ask: Callable[[], httpx.Response]) -> httpx.Response:
        """Return the first response that does not say that the server is busy."""
        for tried in range(1, TRIES + 1):
            try:
                answer = ask()
            except httpx.TransportError:
                if tried == TRIES:
                    raise
                sleep(min(2.0**tried / 4, LONGEST))
                continue
            if answer.status_code not in BUSY or tried == TRIES:
                break
            sleep(_wait_of(answer, tried))
        if answer.is_error:
            raise error_of(answer)
        return answer

    def every(self, path: str, name: str, query: Any = None) -> Iterator[Any]:
        """Yield the objects of a list in the field `name`, page by page."""
        after: Any = None
        while True:
            query = {**(query or {}), **({} if after is None else {"after": after})}
            page = self.ask("GET", path, query=query).json()
            yield from page[name]
            after = page.get("after")
            if after is None:
                return

    def lines(self, path: str, query: Any = None) -> list[str]:
        """Return the lines of a streamed file. An interrupted download is repeated."""
        found: list[str] = []

        def read() -> httpx.Response:
            found.clear()
            with self._client.stream("GET", path, params=query) as answer:
                if answer.is_error:
                    answer.read()
                else:
                    found.extend(answer.iter_lines())
            return answer

        self._tried(read)
        return found


def _wait_of(answer: httpx.Response, tried: int) -> float:
    asked = answer.headers.get("Retry-After", "")
    return min(float(asked) if asked.isdigit() else 2.0**tried / 4, LONGEST)


def error_of(answer: httpx.Response) -> AttestError:
    """Return the error of a response."""
    try:
        error = answer.json()["error"]
        return AttestError(
            answer.status_code, error["code"], error["message"], error.get("details")
        )
    except (ValueError, KeyError, TypeError):
        message = f"{answer.request.url} answered {answer.status_code}: {answer.text[:200]}"
        return AttestError(answer.status_code, "server_error", message)
