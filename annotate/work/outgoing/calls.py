"""One call to another machine: the only module that opens a connection.

A name is looked up once, what it leads to is checked, and exactly that is called: a name that leads
elsewhere a moment later leads nobody there. Redirects are answers like any other, and proxies that
the environment names are not used: either would call what nobody checked. A server can say
something for ever: a call ends when its time is over, or when too much came; and while it waits,
it looks whether anybody still wants it (`waiting`).
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
BESIDES = 1_000_000
"""Bytes that may come besides an answer's body: its headers, and how long its parts are."""

REACHED_IN = 10.0
"""Seconds in which a machine is reached, or not at all; nobody can look meanwhile."""


class NotAllowedError(Exception):
    """The address leads nowhere, or where no call may go: nothing was called. Which of the two is
    for the log alone, since it tells what names the network knows."""


class UnreachableError(Exception):
    """There is no answer; perhaps there is one later. The message is for the log."""


@dataclass(frozen=True, slots=True)
class ServerAnswer:
    """What a server said."""

    status: int
    headers: Message
    body: bytes


class CallTerms(TypedDict, total=False):
    """`timeout` is for all of a call, from the connection to the answer's end, whose body is cut
    one byte after the most that it may have. `allowed` are networks that may be called besides the
    public ones."""

    timeout: Required[float]
    most_bytes: Required[int]
    allowed: Networks


def post(
    url: str, body: bytes, headers: Mapping[str, str], **terms: Unpack[CallTerms]
) -> ServerAnswer:
    """Post to an address."""
    return _call("POST", url, body, headers, **terms)


def get(url: str, headers: Mapping[str, str], **terms: Unpack[CallTerms]) -> ServerAnswer:
    """Ask an address for what is there."""
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
        connection.auto_open = 0  # never by the name: only what was checked is called
        connection.sock = _dialled(host, port, ends, allowed)
        try:
            if parts.scheme == "https":
                connection.sock = _trust().wrap_socket(connection.sock, server_hostname=host)
            connection.sock.settimeout(_until(ends))
            connection.request(method, target, body, dict(headers))
            answer = http.client.HTTPResponse(connection.sock, method=method)
            answer.fp = io.BufferedReader(_Heard(connection.sock, ends, most_bytes + BESIDES))
            answer.begin()
            said = answer.read(most_bytes + 1)
            if answer.length and len(said) <= most_bytes:
                raise http.client.IncompleteRead(said, answer.length)
            return ServerAnswer(answer.status, answer.headers, said)
        finally:
            connection.close()
    except (OSError, http.client.HTTPException, ValueError) as problem:  # a chunk of length -5
        raise UnreachableError(str(problem) or type(problem).__name__) from None


class _Heard(io.RawIOBase):
    """What a server says, until a moment and up to so many bytes."""

    def __init__(self, server: socket.socket, ends: float, most: int) -> None:
        self._server = server
        self._ends = ends
        self._left = most

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int:
        if self._left <= 0:
            raise OSError("more was said than an answer may have")
        while True:
            look()
            self._server.settimeout(min(EVERY, _until(self._ends)))
            with suppress(TimeoutError):
                count = self._server.recv_into(buffer)
                self._left -= count
                return count


def _until(ends: float) -> float:
    """The seconds that are left, which are more than none."""
    left = ends - monotonic()
    if left <= 0:
        raise TimeoutError("it took too long")
    return left


def _dialled(host: str, port: int, ends: float, allowed: Networks) -> socket.socket:
    """A connection to what the name leads to now, if all of it may be called."""
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
            return socket.create_connection((place, port), min(REACHED_IN, _until(ends)))
        except OSError as problem:
            last = problem
    raise last


def _is_here(place: str) -> bool:
    """Whether an address is this machine's own, which calls it from there; nothing is sent."""
    family = socket.AF_INET6 if ":" in place else socket.AF_INET
    with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as asking:
        asking.connect((place, 9))
        return bool(asking.getsockname()[0] == place)
    return False


@cache
def _trust() -> ssl.SSLContext:
    return ssl.create_default_context()
