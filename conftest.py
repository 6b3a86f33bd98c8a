"""What holds for every test: which ones touch the database, and where browsers may be missing."""

import gc
import os
import shutil
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from config.serving.processes import die_with_parent

# A machine that does other work besides is slow, and that is no fault of what is tested.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")

CHROMIUM = Path("/usr/bin/chromium")
WAITING = ("processes", "browser")
LAZILY = (10_000, 20, 10)
"""The collector looks less often than by default: each look walks through a library or two."""


DATABASE_FIXTURES = {
    "db",
    "transactional_db",
    "django_db_reset_sequences",
    "django_db_serialized_rollback",
    "live_server",
    "admin_client",
    "admin_user",
}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--pictures", metavar="FOLDER", help="where pictures of pages are kept")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests that use the database, and run a failed test of browsers or servers again.

    On a busy machine one of ten thousand such tests fails; the run names it (`tests/run.py`).
    """
    for item in items:
        if any(map(item.get_closest_marker, WAITING)):
            item.add_marker(pytest.mark.flaky(reruns=1))
        if item.get_closest_marker("browser"):
            continue
        fixtures = set(getattr(item, "fixturenames", ()))
        if item.get_closest_marker("django_db") or fixtures & DATABASE_FIXTURES:
            item.add_marker(pytest.mark.database)


class Spread:
    """Files that start processes or a browser are spread among the others, which compute while
    those wait; the last half has none of them, or one would wait for them alone at the end, when
    PostgreSQL's tests are over."""

    @pytest.hookimpl(trylast=True)  # pytest-django has sorted them by then
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        files = dict.fromkeys(item.path for item in items)
        slow = {item.path for item in items if any(map(item.get_closest_marker, WAITING))}
        places: dict[Path, float] = {}
        for some, share in (([f for f in files if f in slow], 1 / 2), (files.keys() - slow, 1)):
            ordered = sorted(some)
            places |= {file: share * n / len(ordered) for n, file in enumerate(ordered)}
        items.sort(key=lambda item: (places[item.path], item.path))


def pytest_configure(config: pytest.Config) -> None:
    """A worker of pytest-xdist ends with the pytest that started it."""
    if hasattr(config, "workerinput"):
        die_with_parent(os.getppid())
    config.pluginmanager.register(Spread())
    gc.disable()


def pytest_collection_finish(session: pytest.Session) -> None:
    gc.enable()
    gc.set_threshold(*LAZILY)
    keep_what_there_is()


def keep_what_there_is() -> None:
    """What was imported and collected stays to the end: the collector need not walk through it
    again and again, which took a second each time."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(
    item: pytest.Item, nextitem: pytest.Item | None
) -> Generator[None, object, object]:
    """Each file imports and keeps something more."""
    found = yield
    if nextitem is None or nextitem.path != item.path:
        keep_what_there_is()
    return found


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("browser") and not CHROMIUM.exists():
        reason = f"Chromium is not installed at {CHROMIUM}"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Removes the folder that tests/settings.py made."""
    folder = os.environ.get("ATTEST_DATA_DIR", "")
    if Path(folder).name.startswith("attest-tests-"):
        shutil.rmtree(folder, ignore_errors=True)
