"""The formats that Attest reads, each with the module that reads it."""

from dataclasses import dataclass
from typing import Literal

from annotate.formats.examples import EXAMPLES

Kind = Literal["outputs", "judgments"]


@dataclass(frozen=True, slots=True)
class Format:
    """One file format. `module` has a function `records` and is imported on first use."""

    key: str
    title: str
    extensions: tuple[str, ...]
    kind: Kind
    module: str
    description: str

    @property
    def example(self) -> str:
        """A small whole file, for the page that explains the format."""
        return EXAMPLES[self.key]


_ALL = (
    Format(
        "alce",
        "ALCE or ALiiCE result file",
        (".json",),
        "outputs",
        "annotate.formats.alce",
        "One system's outputs with the passages that it was given: an object with the list of "
        "items under data, or the bare list.",
    ),
    Format(
        "alce-citations",
        "ALCE human evaluation of citations",
        (".json",),
        "outputs",
        "annotate.formats.alce_citations",
        "Outputs divided into sentences, with people's and the metric's scores for each sentence "
        "and citation.",
    ),
    Format(
        "alce-utility",
        "ALCE human evaluation of utility",
        (".json",),
        "outputs",
        "annotate.formats.alce_utility",
        "Outputs with one mark from 1 to 5 each.",
    ),
    Format(
        "aqa-predictions",
        "Attributed QA predictions",
        (".csv",),
        "outputs",
        "annotate.formats.aqa_predictions",
        "One system's short answers, each attributed to a passage; the passages' texts stand in "
        "the file or in a passages file beside it.",
    ),
    Format(
        "aqa-ratings",
        "Attributed QA ratings",
        (".csv",),
        "outputs",
        "annotate.formats.aqa_ratings",
        "Short answers of many systems with the published human and automatic verdicts.",
    ),
    Format(
        "attest",
        "Attest responses",
        (".jsonl",),
        "outputs",
        "annotate.formats.attest",
        "One response a line, with its question and passages; has a JSON Schema.",
    ),
    Format(
        "judgments",
        "Judgments, long form (CSV)",
        (".csv",),
        "judgments",
        "annotate.formats.judgments",
        "One judgment a row, about responses that the study has already.",
    ),
    Format(
        "judgments-jsonl",
        "Judgments, long form (JSON Lines)",
        (".jsonl",),
        "judgments",
        "annotate.formats.judgments_jsonl",
        "The same, one JSON object a line.",
    ),
)

FORMATS: dict[str, Format] = {each.key: each for each in _ALL}
