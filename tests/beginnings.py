"""What tests begin with: rows that are made once for as many tests of a file as begin alike.

Making a study costs more than most tests do with it. What a fixture marked `beginning` writes
stands in a savepoint around the test's own, and stays for the next test where that begins with the
same. What the test itself did is rolled back as ever, and each test has copies of the objects.

So such a fixture asks for other beginnings alone, writes rows alone and returns what can be copied.
Where it is asked for in another way (by a test that commits, or with a fixture that is no
beginning), it is a fixture like others.
"""

import inspect
from collections.abc import Callable, Iterator
from copy import deepcopy
from itertools import count
from typing import Any

import pytest
from django.core.cache import caches
from django.db import connection, transaction

Making = Callable[..., Any]
NUMBERS = count()


def asks(making: Making) -> list[str]:
    return list(inspect.signature(making).parameters)


def beginning(making: Making) -> Any:
    """In place of `pytest.fixture`."""

    def asked_for(db: None, beginnings: "Beginnings", **others: Any) -> Any:
        given = beginnings.given
        return given[making] if making in given else making(**others)

    own = inspect.signature(making)
    first = [
        inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        for name in ("db", "beginnings")
    ]
    asked_for.__signature__ = own.replace(  # type: ignore[attr-defined]
        parameters=[*first, *own.parameters.values()]
    )
    asked_for.__name__ = making.__name__
    asked_for.__doc__ = making.__doc__
    asked_for.beginning = (next(NUMBERS), making)  # type: ignore[attr-defined]
    return pytest.fixture(asked_for)


class Beginnings:
    """Those that stand at the moment, each in a savepoint within the one before."""

    def __init__(self) -> None:
        self.standing: list[Making] = []
        self.savepoints: list[transaction.Atomic] = []
        self.made: tuple[Any, ...] = ()
        self.given: dict[Making, Any] = {}

    def begin(self, wanted: dict[str, Making]) -> None:
        """Keeps what stands as far as it is what is wanted, and makes the rest."""
        alike = 0
        while list(wanted.values())[alike : alike + 1] == self.standing[alike : alike + 1] != []:
            alike += 1
        self.back_to(0 if connection.closed_in_transaction else alike)
        caches["process"].clear()  # rows that are gone had the same keys
        given = dict(zip(wanted, deepcopy(self.made), strict=False))
        for name, making in list(wanted.items())[len(given) :]:
            self._savepoint()
            given[name] = making(
                **{each: given[each] for each in inspect.signature(making).parameters}
            )
            self.standing.append(making)
        if len(given) > len(self.made):
            self.made = deepcopy(tuple(given.values()))
        self.given = {making: given[name] for name, making in wanted.items()}

    def _savepoint(self) -> None:
        savepoint = transaction.atomic()
        savepoint._from_testcase = True  # type: ignore[attr-defined]
        savepoint.__enter__()
        self.savepoints.append(savepoint)

    def back_to(self, number: int) -> None:
        while len(self.savepoints) > number:
            transaction.set_rollback(True)
            self.savepoints.pop().__exit__(None, None, None)
        del self.standing[number:]
        self.made = self.made[:number]
        self.given = {}


@pytest.fixture(scope="module")
def beginnings(django_db_setup: None, django_db_blocker: Any) -> Iterator[Beginnings]:
    found = Beginnings()
    yield found
    with django_db_blocker.unblock():
        found.back_to(0)


@pytest.fixture
def begun(request: pytest.FixtureRequest, beginnings: Beginnings, django_db_blocker: Any) -> None:
    with django_db_blocker.unblock():
        beginnings.begin({} if commits(request) else wanted(request))


@pytest.fixture
def _django_db_helper(begun: None, _django_db_helper: None) -> None:
    """The test's own transaction begins when what it begins with is there."""


def commits(request: pytest.FixtureRequest) -> bool:
    """Its rows are seen by others, and it has no transaction."""
    marker = request.node.get_closest_marker("django_db")
    return bool(
        (marker and (marker.args or marker.kwargs))
        or {"transactional_db", "live_server", "django_db_reset_sequences"}
        & {*request.fixturenames}
    )


def wanted(request: pytest.FixtureRequest) -> dict[str, Making]:
    """The beginnings that the test asks for, each after those that it asks for itself."""
    fixtures = request.node._fixtureinfo.name2fixturedefs
    marked = {
        name: known[-1].func.beginning
        for name, known in fixtures.items()
        if hasattr(known[-1].func, "beginning")
    }
    found: dict[str, Making] = {}

    def add(name: str) -> bool:
        if name in found:
            return True
        if name not in marked:
            return False
        making = marked[name][1]
        if not all(each != name and add(each) for each in asks(making)):
            return False
        found[name] = making
        return True

    for name in sorted(marked, key=marked.__getitem__):
        add(name)
    return found
