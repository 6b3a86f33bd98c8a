"""One test for one rule: a table of cases, of which every failing one is named."""

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import Any

import pytest
from django.db import connection, transaction

Test = Callable[..., None]


def each(
    names: str | Sequence[str], cases: Iterable[Any], *, ids: Any = None
) -> Callable[[Test], Test]:
    """Run a test with each case, like `pytest.mark.parametrize`, but as a single test.

    Every case starts from the same database. `ids` name the cases in messages.
    """
    wanted = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    known = list(cases)
    labels = list(map(ids, known)) if callable(ids) else list(ids or map(repr, known))

    def decorate(test: Test) -> Test:
        signature = inspect.signature(test)

        @wraps(test)
        def run(**fixtures: Any) -> None:
            failed: list[BaseException] = []
            for label, case in zip(labels, known, strict=True):
                values = (case,) if len(wanted) == 1 else case
                try:
                    with same_database():
                        test(**fixtures, **dict(zip(wanted, values, strict=True)))
                except (Exception, pytest.fail.Exception) as fault:  # noqa: BLE001 (reported below)
                    fault.add_note(f"Case: {str(label)[:500]}")
                    failed.append(fault)
            if failed:
                raise BaseExceptionGroup(f"{len(failed)} of {len(known)} cases fail", failed)

        fixtures = [one for name, one in signature.parameters.items() if name not in wanted]
        run.__signature__ = signature.replace(parameters=fixtures)  # type: ignore[attr-defined]
        return run

    return decorate


@contextmanager
def same_database() -> Iterator[None]:
    """Roll back what a case writes, in a test that runs within a transaction."""
    if not connection.in_atomic_block:
        yield
        return
    with transaction.atomic():
        yield
        transaction.set_rollback(True)
