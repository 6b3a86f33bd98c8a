"""One request after the other, tried again where that can do no harm."""

import os
from collections.abc import Callable, Iterator, Mapping
from time import sleep
from types import TracebackType
from typing import Any, Self
from uuid import uuid4

import httpx

from attest_client.errors import AttestError

TRIES = 5
LONGEST = 60.0
"""Seconds between two tries at most, whatever a server asks for."""

BUSY = {429, 502, 503, 504}


class Transport:
    """The way to one Attest, with a token."""

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
        """The answer, which is none of an error.

        What writes brings a key of its own, so that a second try is the same request again.
        """
        headers = {} if method == "GET" else {"Idempotency-Key": str(uuid4())}
        sending = {"params": query, "json": sent, "data": form, "files": files}
        return self._tried(lambda: self._client.request(method, path, headers=headers, **sending))

    def _tried(self, ask: Callable[[], httpx.Response]) -> httpx.Response:
        """The first answer that says what is so, and not that the server is busy."""
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
        """What a list holds under a name, page after page."""
        after: Any = None
        while True:
            asked = {**(query or {}), **({} if after is None else {"after": after})}
            told = self.ask("GET", path, query=asked).json()
            yield from told[name]
            after = told.get("after")
            if after is None:
                return

    def lines(self, path: str, query: Any = None) -> list[str]:
        """The lines of a file that is streamed. Where it breaks off, it is asked for once more."""
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
    """What an answer says is wrong."""
    try:
        told = answer.json()["error"]
        return AttestError(answer.status_code, told["code"], told["message"], told.get("details"))
    except (ValueError, KeyError, TypeError):
        said = f"{answer.request.url} answered {answer.status_code}: {answer.text[:200]}"
        return AttestError(answer.status_code, "server_error", said)
