"""Several requests at the same moment."""

import threading
from collections.abc import Callable, Sequence
from typing import Any

from django.db import connection


def at_once(actions: Sequence[Callable[[], Any]]) -> list[Any]:
    """What each action returned or raised, all begun together, each with its own connection.

    For tests with `django_db(transaction=True)`: others keep their rows to themselves.
    """
    barrier = threading.Barrier(len(actions))
    outcomes: list[Any] = []

    def run(action: Callable[[], Any]) -> None:
        barrier.wait()
        try:
            outcomes.append(action())
        except Exception as error:  # noqa: BLE001 - the test looks at it
            outcomes.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(action,)) for action in actions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcomes
