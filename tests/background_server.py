"""Servers in background threads, for requests that tests send to other services."""

from collections.abc import Iterator
from contextlib import contextmanager
from socketserver import BaseServer
from threading import Thread
from typing import TypeVar

Server = TypeVar("Server", bound=BaseServer)


@contextmanager
def in_background(server: Server) -> Iterator[Server]:
    """Run the server in a thread until the block ends."""
    thread = Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
