"""Which judge is to judge and with which scorer, as commands, forms and stored runs say it."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from evaluation.claims.parsing import load_parser
from evaluation.entailment import Asker, Cache, load_scorer
from evaluation.judges import Judge, Variant, load_judge, takes

DEFAULT_SCORER = "coverage"
NO_CAP: Literal["none"] = "none"
SENTENCES = "sentences"

ON_A_GPU = frozenset({"classifier", "seq2seq", "trained"})
"""Scorers that a machine with a GPU computes much faster."""

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class JudgeSettings:
    """What makes a judge. Empty: as the judge, the scorer or the study has it."""

    judge: str
    scorer: str
    model: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    threshold: float | None = None
    variant: Variant = "released"
    cap: int | Literal["none"] | None = None
    level: str = ""
    parser: str = ""

    def as_json(self) -> dict[str, Any]:
        """As the database keeps them."""
        return asdict(self)

    @property
    def asks(self) -> bool:
        """Whether the judge asks an entailment scorer."""
        return "asker" in takes(self.judge)

    @property
    def wants_a_gpu(self) -> bool:
        """Whether its work belongs to machines that have one."""
        return self.asks and self.scorer in ON_A_GPU

    def asker(self, cache: Cache | None = None, *, progress: Progress | None = None) -> Asker:
        """The scorer that answers, wrapped so that nothing is asked twice."""
        options = dict(self.options)
        if self.model:
            options["model"] = self.model
        scorer = load_scorer(self.scorer, **options)
        return Asker(scorer, cache, threshold=self.threshold, progress=progress)

    def make(self, asker: Asker | None, *, splitter: str) -> Judge:
        """The judge itself; `splitter` is the study's."""
        known = takes(self.judge)
        chosen: dict[str, Any] = {"variant": self.variant}
        if self.cap is not None:
            chosen["cap"] = None if self.cap == NO_CAP else self.cap
        if self.level:
            chosen["level"] = self.level
        if "splitter" in known:
            chosen["splitter"] = splitter
        if "parser" in known and self.level != SENTENCES:
            chosen["parser"] = load_parser(self.parser)
        if "model" in known and self.model:
            chosen["model"] = self.model
        return load_judge(self.judge, asker=asker if "asker" in known else None, **chosen)
