"""The one order: whatever the rows' order was."""

from dataclasses import replace

import numpy as np

from evaluation.reports.ordering import canonical, place_of
from tests.evaluation.reports.studies import differences, made_study, study


def shuffled(data, seed):
    """The same data with every list and every table in another order."""
    draw = np.random.default_rng(seed)

    def mixed(size):
        """New order of old places, and the new place of each old one (-1 stays)."""
        order = draw.permutation(size)
        new = np.full(size + 1, -1, dtype=np.int32)
        new[order] = np.arange(size, dtype=np.int32)
        return order, new

    def taken(names, order):
        return tuple(names[place] for place in order)

    systems, to_system = mixed(len(data.systems))
    questions, to_question = mixed(len(data.questions))
    judges, to_judge = mixed(len(data.judges))
    batches, to_batch = mixed(len(data.batches))
    reasons, to_reason = mixed(len(data.reasons))
    names, to_name = mixed(len(data.measure_names))
    responses, to_response = mixed(len(data.responses))
    units, to_unit = mixed(len(data.units))
    ways = {
        "system": to_system, "question": to_question, "judge": to_judge, "batch": to_batch,
        "reason": to_reason, "name": to_name, "response": to_response, "unit": to_unit,
        "parent": to_unit,
    }  # fmt: skip

    def table(rows, order):
        columns = {}
        for name in rows.__dataclass_fields__:
            column = getattr(rows, name)
            if isinstance(column, tuple):
                columns[name] = taken(column, order)
            else:
                columns[name] = ways[name][column[order]] if name in ways else column[order]
        return type(rows)(**columns)

    def any_order(rows):
        return table(
            rows, draw.permutation(len(rows.judge if hasattr(rows, "judge") else rows.unit))
        )

    return replace(
        data,
        systems=taken(data.systems, systems),
        questions=taken(data.questions, questions),
        judges=taken(data.judges, judges),
        batches=taken(data.batches, batches),
        reasons=taken(data.reasons, reasons),
        measure_names=taken(data.measure_names, names),
        responses=table(data.responses, responses),
        units=table(data.units, units),
        judgments=any_order(data.judgments),
        measures=any_order(data.measures),
        flags=any_order(data.flags),
        items=any_order(data.items),
        tasks=any_order(data.tasks),
        trained_on=any_order(data.trained_on),
    )


def test_any_order_becomes_the_one_order(subtests):
    for seed in range(5):
        with subtests.test(seed=seed):
            data = made_study(3, 5, seed=seed)
            other = shuffled(data, seed)
            assert differences(data, other)
            assert not differences(data, canonical(other))


def test_places_of_keys():
    keys = ["s10", "s2.a1.c1", "s1", "s2", "r", "s2.c2", "s2.a1", "s2.c10"]
    assert sorted(keys, key=place_of) == [
        "r", "s1", "s2", "s2.c2", "s2.c10", "s2.a1", "s2.a1.c1", "s10",
    ]  # fmt: skip


def test_names_that_no_row_is_about_are_left_out():
    data = study(votes={"utility": {"A/q1:r": "3 4"}}, systems=["Silent"], kinds={"mute": "human"})
    assert [system.name for system in data.systems] == ["A"]
    assert [judge.name for judge in data.judges] == ["rater-1", "rater-2"]
