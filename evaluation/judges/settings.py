"""Settings of a judge and its scorer, as commands, forms and stored runs have them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from evaluation.claims import Parser
from evaluation.judges import VARIANTS, AutomaticJudge, Spec, Variant, load_judge, spec_of
from evaluation.judges.entailment import (
    Asker,
    Cache,
    Door,
    Scorer,
    check_options,
    load_scorer,
    option_from_text,
    scorer_spec,
)

NO_CAP: Literal["none"] = "none"

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class ScorerSettings:
    scorer: str
    model: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    threshold: float | None = None

    def asker(self, cache: Cache | None = None, *, progress: Progress | None = None) -> Asker:
        """Return an asker of the scorer, which asks each pair once."""
        return Asker(self.load(), cache, threshold=self.threshold, progress=progress)

    def load(self, door: Door | None = None) -> Scorer:
        """Return the scorer, which reaches a server through `door`."""
        return load_scorer(self.scorer, door, **self._options())

    def check(self) -> None:
        """Refuse invalid options without loading the scorer.

        Options of scorers that load a model are left to the worker, since checking them imports the
        model's library. A connection provides the address of scorers that ask a server.
        """
        spec = scorer_spec(self.scorer)
        if not spec.loads_model:
            address = {"url": ""} if spec.connects else {}
            check_options(self.scorer, address | self._options())

    def _options(self) -> dict[str, Any]:
        """Return the options, with texts converted to the types that the scorer takes."""
        options = {
            key: option_from_text(self.scorer, key, value) if isinstance(value, str) else value
            for key, value in self.options.items()
        }
        if self.model is not None:
            options["model"] = self.model
        return options


@dataclass(frozen=True, slots=True)
class JudgeSettings:
    """Settings of a judge. Empty ones default to the judge's, the scorer's or the study's."""

    judge: str
    scorer: str
    model: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    threshold: float | None = None
    variant: Variant = "released"
    cap: int | Literal["none"] | None = None
    level: str = ""
    parser: str = ""
    connection: str = ""
    style: str = ""
    dimensions: Sequence[str] = ()
    """Of a language model: prompt style (empty: the plain one) and dimensions (empty: all that
    people are asked)."""

    examples: int | None = None
    guideline_examples: bool | None = None
    shown: str = ""
    """Of a language model: the number of drawn examples, whether the guidelines' examples are
    shown, and the digest of a run's examples."""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @property
    def spec(self) -> Spec:
        return spec_of(self.judge)

    @property
    def asks(self) -> bool:
        """Return whether the judge uses a scorer."""
        return self.spec.asks

    @property
    def asked(self) -> ScorerSettings:
        return ScorerSettings(self.scorer, self.model, self.options, self.threshold)

    @property
    def wants_a_gpu(self) -> bool:
        """Return whether the work belongs to machines with a GPU."""
        return self.asks and scorer_spec(self.scorer).wants_gpu

    @property
    def calls_outside(self) -> bool:
        """Return whether it asks another machine, which may be silent for long."""
        return self.spec.of_forms or (self.asks and scorer_spec(self.scorer).connects)

    @property
    def called(self) -> str:
        """Return what asks the other machine: the scorer, or the judge itself."""
        judge = f"The judge “{self.judge}”"
        return judge if self.spec.of_forms else f"The scorer “{self.scorer}”"

    def check_options(self) -> None:
        """Refuse options that the scorer would refuse."""
        if self.asks:
            self.asked.check()

    def make(
        self, asker: Asker | None, *, splitter: str, parser: Callable[[str], Parser]
    ) -> AutomaticJudge:
        """Return the judge; `splitter` is the study's, `parser` loads the parser asked for."""
        known = self.spec.takes
        chosen: dict[str, Any] = {}
        if "variant" in known or self.variant != VARIANTS[0]:
            chosen["variant"] = self.variant
        if self.cap is not None:
            chosen["cap"] = None if self.cap == NO_CAP else self.cap
        if self.level:
            chosen["level"] = self.level
        if "splitter" in known:
            chosen["splitter"] = splitter
        if "parser" in known and self.level in ("", "claims"):
            chosen["parser"] = parser(self.parser)
        if "model" in known and self.model:
            chosen["model"] = self.model
        return load_judge(self.judge, asker=asker if self.asks else None, **chosen)
