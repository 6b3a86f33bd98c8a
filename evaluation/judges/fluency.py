"""MAUVE: how close a system's outputs are, as a whole, to outputs that people wrote.

Pillutla et al. (2021), MAUVE, https://arxiv.org/abs/2102.01454, computed by the package mauve-text
from the features of a GPT-2-like model, as ALCE's released script does: question and answer
together, the first 100 words, without closing punctuation.

The figure is one for all of a system's responses, which each of them carries.
"""

import string
from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from evaluation.judges.correctness import long_answers
from evaluation.judges.entailment import ScorerError
from evaluation.judges.items import WHOLE, Item, Verdict
from evaluation.judges.judge import Variant, signed
from evaluation.judges.spec import Metric, Spec

VERSION = 2
WORDS = 100
LONGEST = 512
FEWEST = 2
LONGEST_REASON = 200

NO_PACKAGE = (
    "MAUVE needs the Python package mauve-text, which is not installed: pip install mauve-text"
)
NO_MODEL = "MAUVE needs a GPT-2-like model: name one, or its folder, with the option model"
EMPTY = "empty output"
NO_REFERENCE = "no reference: no long answer"
TOO_FEW = "fewer than two responses with an output and a reference"


class Fluency:
    """One figure for each system, given to each of its usable responses.

    `model` is a local folder or a name that mauve-text can load. It must contain “gpt2” (or
    “bert”), by which mauve-text selects the features. `device` is the number of a GPU, or -1 for
    the CPU.
    """

    def __init__(self, *, model: str = "", device: int = -1, variant: Variant = "released") -> None:
        self.model = model
        self.device = device
        self.variant = variant

    @property
    def signature(self) -> str:
        """Name everything that could change the figure."""
        try:
            package = version("mauve-text")
        except PackageNotFoundError:
            package = "missing"
        return signed(
            "fluency",
            asker=None,
            version=VERSION,
            **self._identity,
            mauve=package,
            words=WORDS,
            variant=self.variant,
        )

    @cached_property
    def _identity(self) -> dict[str, object]:
        """Name the model by its weights like the scorers do: two folders may have one name."""
        if not self.model:
            return {"model": "none"}
        from transformers import AutoModel

        from evaluation.judges.entailment.pretrained import Pretrained

        try:
            found = Pretrained(AutoModel, self.model, dtype="float32", device="cpu", threads=1)
            # mauve-text chooses the precision.
            return {name: value for name, value in found.identity() if name != "dtype"}
        except ScorerError:  # `judge` reports the error
            return {"model": Path(self.model).name, "rev": "unknown"}

    def judge(self, items: Sequence[Item]) -> list[Verdict]:
        """Return `mauve` for each response, equal within a system."""
        systems: dict[str, list[Item]] = {}
        for item in items:
            if not _unusable(item):
                systems.setdefault(item.system, []).append(item)
        figures = {system: self._figure(own) for system, own in systems.items()}
        verdicts = []
        for item in items:
            found = _unusable(item) or figures[item.system]
            if isinstance(found, str):
                verdicts.append(Verdict(item.key, WHOLE, "mauve", reason=found))
            else:
                verdicts.append(Verdict(item.key, WHOLE, "mauve", score=found))
        return verdicts

    def _figure(self, items: Sequence[Item]) -> float | str:
        """Return MAUVE of one system, or why it cannot be computed."""
        if not self.model:
            return NO_MODEL
        try:
            mauve: Any = import_module("mauve")
        except ImportError:
            return NO_PACKAGE
        if len(items) < FEWEST:
            return TOO_FEW
        try:
            result = mauve.compute_mauve(
                p_text=[text_of(item.question, reference(item.references)) for item in items],
                q_text=[text_of(item.question, item.plain) for item in items],
                featurize_model_name=self.model,
                max_text_length=LONGEST,
                device_id=self.device,
                verbose=False,
            )
        except (OSError, ValueError) as error:
            why = " ".join(str(error).split())
            return f"MAUVE's model {self.model} cannot be used: {why}"[:LONGEST_REASON]
        return min(1.0, float(result.mauve))  # rounding may exceed 1


def text_of(question: str, answer: str) -> str:
    """Return the first 100 words of question and answer, without closing punctuation."""
    words = f"{question} {answer.strip()}".split()[:WORDS]
    return " ".join(words).rstrip(string.punctuation)


def reference(references: Mapping[str, Any]) -> str:
    """Return a person's answer: `answer`, else the first annotated long answer."""
    answer = references.get("answer")
    if isinstance(answer, str) and answer.strip():
        return answer
    return next(iter(long_answers(references)), "")


def _unusable(item: Item) -> str:
    if not item.plain:
        return EMPTY
    return "" if reference(item.references) else NO_REFERENCE


SPEC = Spec(
    key="fluency",
    title="Fluency",
    released_lines="first",
    about="MAUVE of whole systems against reference answers",
    reads_references=True,
    cites=("https://arxiv.org/abs/2102.01454", "https://arxiv.org/abs/2305.14627"),
    judge=Fluency,
    metrics=(Metric("mauve", "MAUVE"),),
    of_whole_systems=True,
    reads_passages=False,
)
