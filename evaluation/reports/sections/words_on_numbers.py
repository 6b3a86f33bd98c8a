"""Notes of the method on numbers derived from answers."""

from annotate.protocol.shipped import PUBLISHED_NUMBERS
from evaluation.reports.selection import Selected


def on_precision(selected: Selected) -> str:
    """Explain citation precision as the papers define it."""
    keys = {item.key for item in selected.items()}
    parts = []
    if keys & {"citation_precision", "claim_precision"}:
        parts.append(
            "A citation is precise if its statement (or claim) is supported and the citation "
            "itself supports it fully or partially; of automatic judges, if it is needed. "
            "Each rater's is made of that rater's two answers, and its label of their labels."
        )
    if "citation_precision_e" in keys:
        parts.append(
            "By appendix E of ALCE a citation is precise if it supports fully. It is also precise "
            "if all cited passages together do, it supports partially, and none of them fully."
        )
    return " ".join(parts)


def on_formulas(selected: Selected) -> str:
    """Give the formulas of derived items, except the papers' numbers."""
    return " ".join(
        f"“{item.title}” is yes where {item.derived.formula}."
        for item in selected.items()
        if item.derived is not None and item.derived.formula
        if not (item.is_whether or item.key in PUBLISHED_NUMBERS)
    )


def on_weights(selected: Selected) -> str:
    parts = []
    for item in selected.items():
        if item.derived is None or not item.weights:
            continue
        each = ", ".join(f"{item.label(value)} {w:g}" for value, w in item.weights.items())
        of = "what the votes count" if item.is_choice else "the sum of what is named counts"
        text = f"“{item.title}” is the mean of {of}: {each}"
        if item.derived.uncited is not None:
            text += f"; a statement without a citation that counts, {item.derived.uncited:g}"
        parts.append(f"{text}.")
    return " ".join(parts)
