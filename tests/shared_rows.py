"""Fixtures whose rows are written once for all tests of a file that start with the same ones.

A study costs more to make than most tests do with it. The rows of a fixture marked `shared_rows`
are written in a savepoint around the test's own transaction. They are kept for the next test if it
starts with the same fixtures. The test's own changes are rolled back, and each test gets copies of
the objects.

Such a fixture may only use other shared fixtures, only write rows, and return what can be copied.
Used in another way (by a test that commits, or with other fixtures), it is an ordinary fixture.
"""

import inspect
from collections.abc import Callable, Iterator
from copy import deepcopy
from itertools import count
from typing import Any

import pytest
from django.core.cache import caches
from django.db import connection, transaction

Maker = Callable[..., Any]
NUMBERS = count()


def dependencies(maker: Maker) -> list[str]:
    return list(inspect.signature(maker).parameters)


def shared_rows(maker: Maker) -> Any:
    """Use in place of `pytest.fixture`."""

    def fixture(db: None, shared_savepoints: "Savepoints", **others: Any) -> Any:
        given = shared_savepoints.given
        return given[maker] if maker in given else maker(**others)

    own = inspect.signature(maker)
    first = [
        inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        for name in ("db", "shared_savepoints")
    ]
    fixture.__signature__ = own.replace(  # type: ignore[attr-defined]
        parameters=[*first, *own.parameters.values()]
    )
    fixture.__name__ = maker.__name__
    fixture.__doc__ = maker.__doc__
    fixture.shared_rows = (next(NUMBERS), maker)  # type: ignore[attr-defined]
    return pytest.fixture(fixture)


class Savepoints:
    """The current shared fixtures, each in a savepoint within the one before."""

    def __init__(self) -> None:
        self.current: list[Maker] = []
        self.savepoints: list[transaction.Atomic] = []
        self.made: tuple[Any, ...] = ()
        self.given: dict[Maker, Any] = {}

    def start(self, wanted: dict[str, Maker]) -> None:
        """Keep the leading fixtures that are wanted again, roll back the others, make the rest."""
        alike = 0
        while list(wanted.values())[alike : alike + 1] == self.current[alike : alike + 1] != []:
            alike += 1
        self.roll_back_to(0 if connection.closed_in_transaction else alike)
        caches["process"].clear()  # rows that are gone had the same keys
        given = dict(zip(wanted, deepcopy(self.made), strict=False))
        for name, maker in list(wanted.items())[len(given) :]:
            self._savepoint()
            given[name] = maker(
                **{each: given[each] for each in inspect.signature(maker).parameters}
            )
            self.current.append(maker)
        if len(given) > len(self.made):
            self.made = deepcopy(tuple(given.values()))
        self.given = {maker: given[name] for name, maker in wanted.items()}

    def _savepoint(self) -> None:
        savepoint = transaction.atomic()
        savepoint._from_testcase = True  # type: ignore[attr-defined]
        savepoint.__enter__()
        self.savepoints.append(savepoint)

    def roll_back_to(self, number: int) -> None:
        while len(self.savepoints) > number:
            transaction.set_rollback(True)
            self.savepoints.pop().__exit__(None, None, None)
        del self.current[number:]
        self.made = self.made[:number]
        self.given = {}


@pytest.fixture(scope="module")
def shared_savepoints(django_db_setup: None, django_db_blocker: Any) -> Iterator[Savepoints]:
    savepoints = Savepoints()
    yield savepoints
    with django_db_blocker.unblock():
        savepoints.roll_back_to(0)


@pytest.fixture
def shared_rows_ready(
    request: pytest.FixtureRequest, shared_savepoints: Savepoints, django_db_blocker: Any
) -> None:
    with django_db_blocker.unblock():
        shared_savepoints.start({} if commits(request) else wanted(request))


@pytest.fixture
def _django_db_helper(shared_rows_ready: None, _django_db_helper: None) -> None:
    """Start the test's own transaction after the shared rows are written."""


def commits(request: pytest.FixtureRequest) -> bool:
    """Return whether the test commits its rows instead of rolling them back."""
    marker = request.node.get_closest_marker("django_db")
    return bool(
        (marker and (marker.args or marker.kwargs))
        or {"transactional_db", "live_server", "django_db_reset_sequences"}
        & {*request.fixturenames}
    )


def wanted(request: pytest.FixtureRequest) -> dict[str, Maker]:
    """Return the shared fixtures that the test uses, each after those it depends on."""
    fixtures = request.node._fixtureinfo.name2fixturedefs
    marked = {
        name: known[-1].func.shared_rows
        for name, known in fixtures.items()
        if hasattr(known[-1].func, "shared_rows")
    }
    found: dict[str, Maker] = {}

    def add(name: str) -> bool:
        if name in found:
            return True
        if name not in marked:
            return False
        maker = marked[name][1]
        if not all(each != name and add(each) for each in dependencies(maker)):
            return False
        found[name] = maker
        return True

    for name in sorted(marked, key=marked.__getitem__):
        add(name)
    return found
