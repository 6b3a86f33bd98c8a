"""What ALiiCE calls a positional fine-grained citation."""

from annotate.text.types import Segmentation, Statement


def has_positional_citation(part: Segmentation | Statement) -> bool:
    """Whether some statement has a group that is not at its end, or two groups."""
    if isinstance(part, Segmentation):
        return any(has_positional_citation(statement) for statement in part.statements)
    return len(part.groups) > 1 or any(not group.at_end for group in part.groups)
