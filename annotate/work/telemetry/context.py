"""What is being worked on, so that every line of the log says it: request, study, rating, work."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType

Context = Mapping[str, str]

_context: ContextVar[Context] = ContextVar("attest", default=MappingProxyType({}))


def known() -> Context:
    """What is known of what this thread works on."""
    return _context.get()


def begin(**names: object) -> None:
    """This thread begins something else."""
    _context.set({key: str(value) for key, value in names.items() if value})


def learn(**names: object) -> None:
    """Something became known of it, such as the study."""
    _context.set({**_context.get(), **{key: str(value) for key, value in names.items()}})


@contextmanager
def under(*, afresh: bool = False, **names: object) -> Iterator[None]:
    """Work that is told of under these names; what is learned meanwhile is forgotten after it.
    `afresh`: it has nothing to do with what the thread did before."""
    before = {} if afresh else _context.get()
    token = _context.set({**before, **{key: str(value) for key, value in names.items()}})
    try:
        yield
    finally:
        _context.reset(token)
