"""A language model that answers the questions of a study's form, worded as for raters.

Attest's own. As with people, a question that depends on another's answer is asked only after that
answer. Questions about a claim that the model writes use the claim's words. Reasons and quoted
words of passages are stored with the answers.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from annotate.protocol.answers import named_values
from annotate.text.claim_from_words import text_of
from evaluation.judges.items import FormQuestion, Item, Verdict
from evaluation.judges.spec import Spec
from evaluation.language_models.asking.asker import ItemQuestion, ModelAsker, why_not
from evaluation.language_models.asking.prompts import Prompt
from evaluation.language_models.asking.replies import Answered
from evaluation.language_models.asking.scores import Outcome
from evaluation.language_models.asking.server_apis import Reply

VERSION = 2

Place = tuple[str, str, str]
"""An item, one of its units, and a dimension."""


class ModelJudge:
    """Answers the questions of a form about each item (`Item.asked`).

    `guidelines` names the version the model sees, `varied` what differs from the plain judge,
    `family` the model's family if it is known. `writes`: it judges claims of its own, not the
    parser's.
    """

    def __init__(
        self,
        model: ModelAsker,
        *,
        guidelines: str = "none",
        varied: Sequence[str] = (),
        family: str = "",
        writes: bool = False,
    ) -> None:
        self.asker = model
        self._guidelines = guidelines
        of_family = [f"family:{family}"] if family else []
        self._before = (*varied, *of_family, *(["claims:own"] if writes else []))

    @property
    def signature(self) -> str:
        """Name everything that could change a verdict, except the wordings, which each answer
        names."""
        parts = (
            "model",
            *self._before,
            *self.asker.examples.signature,
            self.asker.scorer.fingerprint,
            f"style:{self.asker.style.signature}",
            *self.asker.scoring.signature,
            f"guidelines:{self._guidelines}",
            f"v:{VERSION}",
        )
        return "|".join(parts)

    def count(self, items: Sequence[Item]) -> int:
        """Count the questions at most; return the approximate number of tokens."""
        return self.asker.count(ItemQuestion(item, one) for item in items for one in item.asked)

    def told(
        self, items: Sequence[Item], fingerprint: str
    ) -> list[tuple[FormQuestion, Prompt, Reply | None]]:
        """Return each question with its prompt, and the stored reply of the model with this
        fingerprint."""
        questions = [ItemQuestion(item, one) for item in items for one in item.asked]
        told = zip(questions, self.asker.told(questions, fingerprint), strict=True)
        return [(question.asked, prompt, reply) for question, (prompt, reply) in told]

    def judge(self, items: Iterable[Item]) -> list[Verdict]:
        """Return answers in the order of the form; none to questions that do not apply. Items are
        read lazily. Independent questions are asked as items come, the others afterwards."""
        order: list[Place] = []
        waiting: dict[Place, tuple[Item, FormQuestion]] = {}
        found: dict[Place, Outcome | None] = {}
        asked: list[Place] = []
        mirrored: dict[Place, bool | None] = {}
        sentences: dict[Place, str] = {}

        def at_once() -> Iterator[ItemQuestion]:
            for item in items:
                own = {_place(item, one): one for one in item.asked}
                order.extend(own)
                mirrored.update((place, one.mirrored) for place, one in own.items())
                sentences.update((place, one.text) for place, one in own.items() if one.marked)
                for place, one in own.items():
                    if any(need in own for need, _ in _needs(item, one)):
                        waiting[place] = (item, one)
                    else:
                        asked.append(place)
                        yield ItemQuestion(item, one)

        def then() -> Iterator[ItemQuestion]:
            ready = [
                place
                for place, (item, one) in waiting.items()
                if all(need not in waiting for need, _ in _needs(item, one))
            ]
            for place in ready:
                item, one = waiting.pop(place)
                found[place] = None
                if _is_asked(item, one, found):
                    asked.append(place)
                    yield ItemQuestion(item, _about_its_claim(item, one, found))

        questions = at_once()
        while True:
            outcomes = self.asker.answer(questions)
            found.update(zip(asked, outcomes, strict=True))
            asked.clear()
            if not waiting:
                break
            questions = then()
        outcomes_of = ((place, found[place]) for place in order)
        return [
            replace(
                _verdict(place, outcome),
                mirrored=mirrored[place],
                claim=_claim(sentences.get(place, ""), outcome),
            )
            for place, outcome in outcomes_of
            if outcome is not None
        ]


def _place(item: Item, one: FormQuestion) -> Place:
    return item.key, one.unit, one.dimension.key


def _needs(item: Item, one: FormQuestion) -> Iterator[tuple[Place, tuple[str, ...]]]:
    for unit, key, values in one.needs:
        yield (item.key, unit, key), values


def _is_asked(item: Item, one: FormQuestion, found: Mapping[Place, Outcome | None]) -> bool:
    """Return whether the answers that a question depends on apply. Questions outside the
    judge's form are ignored."""
    for need, values in _needs(item, one):
        if need not in found:
            continue
        answer = found[need]
        if not isinstance(answer, Answered) or named_values(answer.value).isdisjoint(values):
            return False
    return True


def _about_its_claim(
    item: Item, one: FormQuestion, found: Mapping[Place, Outcome | None]
) -> FormQuestion:
    """Return the question about the claim that the judge wrote, if it wrote one."""
    for need, _ in _needs(item, one):
        answer = found.get(need)
        if isinstance(answer, Answered) and answer.chosen:
            return replace(one, text=text_of(one.text, answer.chosen))
    return one


def _claim(sentence: str, outcome: Outcome) -> dict[str, Any]:
    if not isinstance(outcome, Answered) or not outcome.chosen:
        return {}
    spans = [[*run] for run in outcome.chosen]
    return {"text": text_of(sentence, outcome.chosen), "spans": spans, "proposal": ""}


def _verdict(place: Place, outcome: Outcome) -> Verdict:
    item, unit, key = place
    if not isinstance(outcome, Answered):
        return Verdict(item, unit, key, reason=why_not(outcome))
    quoted = tuple((one.passage, one.start, one.end) for one in outcome.quoted)
    value, reason = outcome.value, why_not(outcome)
    score = outcome.score if value else None
    return Verdict(item, unit, key, value, score, reason, outcome.reason, quoted)


SPEC = Spec(
    key="model",
    title="Language model",
    about="the study's questions, asked as raters are asked",
    judge=ModelJudge,
    of_forms=True,
    metrics=(),
)
