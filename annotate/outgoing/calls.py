"""One call to another machine: the only module that opens a connection.

A name is looked up once, what it leads to is checked, and exactly that is called: a name that leads
elsewhere a moment later leads nobody there. Redirects are answers like any other, and proxies that
the environment names are not used: either would call what nobody checked.
"""

import http.client
import logging
import socket
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from email.message import Message
from functools import cache
from urllib.parse import urlsplit

from annotate.outgoing.networks import Networks, may_be_called

log = logging.getLogger(__name__)

PORTS = {"http": 80, "https": 443}


class NotAllowedError(Exception):
    """The address leads nowhere, or where no call may go: nothing was called. Which of the two is
    for the log alone, since it tells what names the network knows."""


class UnreachableError(Exception):
    """There is no answer; perhaps there is one later. The message is for the log."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server said."""

    status: int
    headers: Message
    body: bytes


def post(
    url: str,
    body: bytes,
    headers: Mapping[str, str],
    *,
    timeout: float,
    most_bytes: int,
    allowed: Networks = (),
) -> Answer:
    """Post to an address; the answer's body is cut one byte after the most that it may have.

    `allowed` are networks that may be called besides the public ones.
    """
    parts = urlsplit(url)
    host, port = parts.hostname or "", parts.port or PORTS[parts.scheme]
    target = f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}"
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    try:
        connection = kind(host, port, timeout=timeout)
        connection.auto_open = 0  # never by the name: only what was checked is called
        connection.sock = _dialled(host, port, timeout, allowed)
        try:
            if parts.scheme == "https":
                connection.sock = _trust().wrap_socket(connection.sock, server_hostname=host)
            connection.request("POST", target, body, dict(headers))
            answer = connection.getresponse()
            return Answer(answer.status, answer.headers, answer.read(most_bytes + 1))
        finally:
            connection.close()
    except (OSError, http.client.HTTPException) as problem:
        raise UnreachableError(str(problem) or type(problem).__name__) from None


def _dialled(host: str, port: int, timeout: float, allowed: Networks) -> socket.socket:
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
        if not may_be_called(place, allowed):
            log.warning("“%s” leads to %s, which may not be called", host, place)
            raise NotAllowedError
    last: OSError = OSError("the name leads to no address")
    for place in places:
        try:
            return socket.create_connection((place, port), timeout)
        except OSError as problem:
            last = problem
    raise last


@cache
def _trust() -> ssl.SSLContext:
    return ssl.create_default_context()
