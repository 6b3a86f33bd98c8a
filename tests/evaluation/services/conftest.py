"""Studies with judges."""

from tests.evaluation.services.combining import judged
from tests.shared_rows import shared_rows


@shared_rows
def heard(peaks):
    """Forty questions that people labelled and three models judged, who never err together."""
    return judged(peaks)
