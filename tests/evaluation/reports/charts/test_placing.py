"""No label covers another or a point, at any width between the narrow and the wide one."""

from itertools import combinations, product
from random import Random

from evaluation.reports.charts.placing import DOT, HEIGHT, LINE, NARROW, SIGN, WIDE, places


def boxes(points, labels, found, width):
    for (x, y), label, place in zip(points, labels, found, strict=True):
        across, down = x * width + place.dx, (1 - y) * HEIGHT + place.dy
        half = len(label) * SIGN / 2
        yield across - half, across + half, down - LINE / 2, down + LINE / 2


def meet(one, other):
    slack = 0.2  # places are rounded
    return (
        one[0] < other[1] - slack
        and other[0] < one[1] - slack
        and one[2] < other[3] - slack
        and other[2] < one[3] - slack
    )


def test_labels_are_apart_at_every_width(subtests):
    for seed in range(8):
        with subtests.test(seed=seed):
            drawn = Random(seed)
            points = [(drawn.uniform(0.1, 0.9), drawn.uniform(0.1, 0.9)) for _ in range(16)]
            labels = [str(n) for n in range(1, 17)]
            found = places(points, labels)
            assert found is not None
            for width in (NARROW, 260, 301, 377, 444, WIDE):
                here = list(boxes(points, labels, found, width))
                assert not any(meet(one, other) for one, other in combinations(here, 2))
                dots = [(x * width, (1 - y) * HEIGHT) for x, y in points]
                for (x, y), box in product(dots, here):
                    assert not meet((x - DOT, x + DOT, y - DOT, y + DOT), box)
                assert all(box[0] >= -1 and box[1] <= width + 1 for box in here)


def test_where_there_is_no_room_there_are_no_places():
    assert places([(0.5, 0.5)], ["x" * 200]) is None
    assert places([(0.5, 0.5)] * 60, ["17"] * 60) is None


def test_one_point_has_its_name_beside_it():
    [place] = places([(0.2, 0.5)], ["Amber"]) or []
    assert (place.dx > 0, place.dy) == (True, -9)
