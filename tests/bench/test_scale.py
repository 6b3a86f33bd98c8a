"""The simulation of many raters, against what is known of it without simulating."""

from collections import deque
from functools import partial

import pytest

from bench.desk import SAVES
from bench.scale import PAUSE, Clock, Cost, Costs, Station, simulate

COSTS = Costs(save=Cost(0.010, 0.004), finish=Cost(0.020, 0.008), page=Cost(0.020, 0.008))


def test_what_waits_is_served_in_order_by_as_many_as_there_are_places():
    clock, ended = Clock(), []
    station = Station(clock, 2)
    for name in "abc":
        station.compute(1.0, partial(lambda one: ended.append((one, clock.now)), name))
    clock.run(10.0)
    assert ended == [("a", 1.0), ("b", 1.0), ("c", 2.0)]
    assert (station.places, station.waiting) == (2, deque())


def test_the_cores_are_as_busy_as_the_raters_ask():
    """Each rater makes a response in six pauses; with plenty of cores nobody waits."""
    found = simulate(400, COSTS, web_cores=40, database_cores=40, seed=1)
    a_second = 400 / (PAUSE * SAVES)
    assert found.web == pytest.approx(a_second * COSTS.response.web / 40, rel=0.1)
    assert found.database == pytest.approx(a_second * COSTS.response.database / 40, rel=0.1)
    assert found.median == pytest.approx(COSTS.save.web + COSTS.save.database, rel=0.15)


def test_too_few_cores_are_full_and_named():
    found = simulate(1_000, COSTS, web_cores=1, database_cores=20, seed=1)
    assert (found.full, round(found.web, 1)) == ("web", 1.0)
    assert found.late > 1.0
    found = simulate(2_000, COSTS, web_cores=60, database_cores=1, seed=1)
    assert (found.full, round(found.database, 1)) == ("database", 1.0)
