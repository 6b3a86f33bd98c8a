"""One call to another machine. Only this module opens connections.

A name is resolved once, its addresses are checked, and exactly these are called. The name may then
lead elsewhere without effect. Redirects are not followed and proxies of the environment are not
used, since either would call unchecked addresses. A call ends at its timeout or its limit of bytes.
While it waits, it checks whether its result is still wanted (`waiting`).
"""

import http.client
import io
import logging
import socket
import ssl
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from email.message import Message
from functools import cache
from time import monotonic
from typing import TYPE_CHECKING, Required, TypedDict, Unpack
from urllib.parse import urlsplit

from annotate.work.outgoing.networks import Networks, may_be_called
from annotate.work.outgoing.waiting import EVERY, look

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

log = logging.getLogger(__name__)

PORTS = {"http": 80, "https": 443}
OVERHEAD_BYTES = 1_000_000
"""Bytes allowed in addition to the body: headers and chunk lengths."""

CONNECT_SECONDS = 10.0
"""Seconds to connect, in which nothing else is checked."""


class NotAllowedError(Exception):
    """The address leads nowhere or may not be called. Nothing was called.

    Only the log says which, because that reveals names of the internal network.
    """


class UnreachableError(Exception):
    """There is no answer now. The message is for the log."""


@dataclass(frozen=True, slots=True)
class ServerAnswer:
    status: int
    headers: Message
    body: bytes


class CallTerms(TypedDict, total=False):
    """`timeout` covers the whole call. The body is cut one byte after `most_bytes`.

    `allowed` are networks that may be called in addition to public addresses.
    """

    timeout: Required[float]
    most_bytes: Required[int]
    allowed: Networks


def post(
    url: str, body: bytes, headers: Mapping[str, str], **terms: Unpack[CallTerms]
) -> ServerAnswer:
    return _call("POST", url, body, headers, **terms)


def get(url: str, headers: Mapping[str, str], **terms: Unpack[CallTerms]) -> ServerAnswer:
    return _call("GET", url, None, headers, **terms)


def _call(
    method: str,
    url: str,
    body: bytes | None,
    headers: Mapping[str, str],
    *,
    timeout: float,
    most_bytes: int,
    allowed: Networks = (),
) -> ServerAnswer:
    parts = urlsplit(url)
    host, port = parts.hostname or "", parts.port or PORTS[parts.scheme]
    target = f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}"
    ends = monotonic() + timeout
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    try:
        connection = kind(host, port, timeout=timeout)
        connection.auto_open = 0  # only checked addresses are called, never the name
        connection.sock = _connect(host, port, ends, allowed)
        try:
            if parts.scheme == "https":
                connection.sock = _trust().wrap_socket(connection.sock, server_hostname=host)
            connection.sock.settimeout(_seconds_left(ends))
            connection.request(method, target, body, dict(headers))
            answer = http.client.HTTPResponse(connection.sock, method=method)
            answer.fp = io.BufferedReader(
                _LimitedReader(connection.sock, ends, most_bytes + OVERHEAD_BYTES)
            )
            answer.begin()
            body_read = answer.read(most_bytes + 1)
            if answer.length and len(body_read) <= most_bytes:
                raise http.client.IncompleteRead(body_read, answer.length)
            return ServerAnswer(answer.status, answer.headers, body_read)
        finally:
            connection.close()
    except (OSError, http.client.HTTPException, ValueError) as problem:  # a chunk of length -5
        raise UnreachableError(str(problem) or type(problem).__name__) from None


class _LimitedReader(io.RawIOBase):
    """A server's answer, up to a deadline and a number of bytes."""

    def __init__(self, server: socket.socket, ends: float, most: int) -> None:
        self._server = server
        self._ends = ends
        self._left = most

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int:
        if self._left <= 0:
            raise OSError("the answer is larger than allowed")
        while True:
            look()
            self._server.settimeout(min(EVERY, _seconds_left(self._ends)))
            with suppress(TimeoutError):
                count = self._server.recv_into(buffer)
                self._left -= count
                return count


def _seconds_left(ends: float) -> float:
    """Return the seconds left, or raise `TimeoutError`."""
    left = ends - monotonic()
    if left <= 0:
        raise TimeoutError("it took too long")
    return left


def _connect(host: str, port: int, ends: float, allowed: Networks) -> socket.socket:
    """Connect to the name's current addresses, if all of them may be called."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except socket.gaierror as problem:
        if problem.errno == socket.EAI_AGAIN:
            raise
        log.warning("“%s” leads nowhere: %s", host, problem)
        raise NotAllowedError from None
    except UnicodeError:
        raise NotAllowedError from None
    places = list(dict.fromkeys(str(place[0]) for *_, place in found))
    for place in places:
        if not may_be_called(place, allowed, here=_is_here(place)):
            log.warning("“%s” leads to %s, which may not be called", host, place)
            raise NotAllowedError
    last: OSError = OSError("the name leads to no address")
    for place in places:
        try:
            return socket.create_connection(
                (place, port), min(CONNECT_SECONDS, _seconds_left(ends))
            )
        except OSError as problem:
            last = problem
    raise last


def _is_here(place: str) -> bool:
    """Whether an address is this machine's own. Nothing is sent."""
    family = socket.AF_INET6 if ":" in place else socket.AF_INET
    with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as asking:
        asking.connect((place, 9))
        return bool(asking.getsockname()[0] == place)
    return False


@cache
def _trust() -> ssl.SSLContext:
    return ssl.create_default_context()
