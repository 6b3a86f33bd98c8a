"""How much a report is about."""

import numpy as np

from evaluation.reports.data import KINDS
from evaluation.reports.sections.section import Section
from evaluation.reports.selection import Selected
from evaluation.reports.shape.study import Counts


def counts(selected: Selected) -> Counts:
    """Systems, questions, responses and units that were selected, and who judged them."""
    data = selected.data
    inside = selected.unit_question >= 0
    kinds = np.bincount(data.units.kind[inside], minlength=len(KINDS))
    return {
        "systems": len(selected.systems),
        "questions": len(selected.questions),
        "responses": len(selected.responses),
        "runs": len({data.responses.run[response] for response in selected.responses}),
        "raters": len(selected.raters),
        "ratings": sum(
            len(said)
            for item in selected.items()
            if not item.is_derived
            for said in selected.votes(item.key).values()
        ),
        "units": {kind: int(n) for kind, n in zip(KINDS, kinds, strict=True) if n},
        "judges": len(selected.judges),
        "excluded_raters": selected.left_out.excluded_raters,
        "excluded_answers": selected.left_out.excluded_answers,
        "unfinished_answers": selected.left_out.unfinished_answers,
        "flags": int(np.count_nonzero(inside[data.flags.unit])),
    }


SECTION = Section(key="counts", shape=Counts, panel=None, build=counts)
