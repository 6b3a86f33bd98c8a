"""The formats that Attest reads. Each is registered by one line here, or by an entry point of the
group `attest.formats` in another package; all else stands in its `Format`."""

from typing import Final

from annotate.formats.format import Format
from annotate.protocol.registry import Registry

FORMATS: Final = Registry(
    "attest.formats",
    Format,
    {
        "judgments-jsonl": "annotate.formats.judgments_jsonl:FORMAT",
        "judgments": "annotate.formats.judgments:FORMAT",
        "references-jsonl": "annotate.formats.reference_rows:JSONL",
        "references": "annotate.formats.reference_rows:CSV",
        "trec-support": "annotate.formats.trec_judgments:SUPPORT_FORMAT",
        "trec-assignments": "annotate.formats.trec_judgments:ASSIGNMENTS",
        "trec-nuggets": "annotate.formats.trec_judgments:NUGGETS_FORMAT",
        "captures": "annotate.formats.captures:FORMAT",
        "questions": "annotate.formats.question_rows:OWN",
        "alce-questions": "annotate.formats.question_rows:ALCE",
        "answers": "annotate.formats.providers.answers:FORMAT",
        "attest": "annotate.formats.attest:FORMAT",
        "aqa-ratings": "annotate.formats.aqa_ratings:FORMAT",
        "aqa-predictions": "annotate.formats.aqa_predictions:FORMAT",
        "trec-biogen": "annotate.formats.trec_biogen:FORMAT",
        "trec-rag": "annotate.formats.trec_runs:FORMAT",
        "ragas": "annotate.formats.ragas:FORMAT",
        "deepeval": "annotate.formats.deepeval:FORMAT",
        "trulens": "annotate.formats.trulens:FORMAT",
        "llamaindex": "annotate.formats.llamaindex:FORMAT",
        "alce": "annotate.formats.alce:FORMAT",
        "alce-citations": "annotate.formats.alce_citations:FORMAT",
        "alce-utility": "annotate.formats.alce_utility:FORMAT",
        "table": "annotate.formats.tables.outputs:FORMAT",
        "table-judgments": "annotate.formats.tables.judgments:FORMAT",
    },
)
"""A file is in the first of these that takes it: what others would take as well stands above them.
"""


def formats_listed(*kinds: str) -> list[Format]:
    """Those of these kinds (of any, where none is named), as people are shown them."""
    found = [each for each in FORMATS.values() if not kinds or each.kind in kinds]
    return sorted(found, key=lambda each: each.key)
