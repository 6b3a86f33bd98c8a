"""The number of ratings of each system, and its numbers by labels."""

import numpy as np

from evaluation.reports.sections.scores import people_items
from evaluation.reports.sections.section import Section, Tables
from evaluation.reports.sections.systems import cells, people_numbers
from evaluation.reports.selection import Selected
from evaluation.reports.shape.systems import RatingsRow
from evaluation.reports.tables import ratings as tables


def ratings(selected: Selected) -> list[RatingsRow]:
    """Return a row for each item and system."""
    items = people_items(selected)
    labelled = [people_numbers(selected, item.key, by_label=True) for item in items]
    numbers = cells(selected, labelled) if labelled else []
    found: list[RatingsRow] = []
    for place, item in enumerate(items):
        if item.is_derived:
            votes = selected.votes(item.key)
            units = np.fromiter(votes, dtype=np.int64, count=len(votes))
            times = np.fromiter(map(len, votes.values()), dtype=np.int64, count=len(votes))
        else:
            units, times = np.unique(selected.columns(item.key).unit, return_counts=True)
        system, response = selected.unit_system[units], selected.unit_response[units]
        for one, row in zip(selected.systems, numbers, strict=True):
            own = system == one
            made: RatingsRow = {
                "item": item.key,
                "system": selected.data.systems[one].name,
                "responses": len(np.unique(response[own])),
                "units": int(np.count_nonzero(own)),
                "ratings": int(times[own].sum()),
            }
            if not item.is_mean:
                made["by_label"] = row[place]
            found.append(made)
    return found


SECTION = Section(
    key="ratings",
    shape=list[RatingsRow],
    build=ratings,
    panel="systems",
    order=5,
    tables=tables.ratings,
    kinds=(Tables("ratings", folded="Ratings of each system"),),
)
