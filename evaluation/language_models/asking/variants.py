"""Variants of a model judge, which differ in one thing that may change its verdicts.

A variant is a judge of its own, named in its signature after the judge's name. Only the prompt is
varied. Replies are read as answers to the original question, so values, quotes and marked words
keep their meaning and places.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from annotate.protocol.signatures import VARIED
from evaluation.language_models.asking.asker import ItemQuestion

CHOICES: Mapping[str, tuple[str, str]] = {
    "choices": ("as_written", "reversed"),
    "passages": ("as_given", "reversed"),
    "padded": ("no", "yes"),
    "system": ("hidden", "named"),
}
"""What can be varied: the usual value and the other one."""

MOST_REPEATS = 20

PADDING_VERSION = 1
PADDING = (
    "To sum up, the above is the answer to the question that was asked. It has been given in full, "
    "and it has been put as clearly as possible. It is hoped that the answer is of use. Should "
    "anything in it be unclear, it may be read once more from the beginning. With that, everything "
    "that there was to say in answer to the question has been said, and nothing needs to be added."
)
"""Words without content after an answer. Other words are another version."""


@dataclass(frozen=True, slots=True)
class Varied:
    """Differences from the plain judge. `repeat` is the number of the repetition."""

    choices: str = "as_written"
    passages: str = "as_given"
    padded: str = "no"
    system: str = "hidden"
    repeat: int = 0

    @property
    def parts(self) -> tuple[str, ...]:
        """Return the differences as signatures have them."""
        values = {key: getattr(self, key) for key, (usual, _) in CHOICES.items()}
        found = [
            f"{key}:{values[key]}" for key, (usual, _) in CHOICES.items() if values[key] != usual
        ]
        found = [f"padded:{PADDING_VERSION}" if one == "padded:yes" else one for one in found]
        return (*found, *([f"repeat:{self.repeat}"] if self.repeat else []))

    def __call__(self, question: ItemQuestion) -> ItemQuestion:
        """Return the question as this variant asks it."""
        item, asked = question.item, question.asked
        dimension = asked.dimension
        if self.choices == "reversed":
            dimension = replace(dimension, choices=dimension.choices[::-1])
        if self.passages == "reversed":
            asked = replace(asked, passages=asked.passages[::-1])
        if self.padded == "yes":
            item = replace(item, answer=f"{item.answer.strip()}\n\n{PADDING}")
        if self.system == "named":
            item = replace(item, answer=_named(item.system, item.answer))
            if (other := asked.beside) is not None:
                other = replace(other, answer=_named(other.system, other.answer))
                asked = replace(asked, beside=other)
        return ItemQuestion(item, replace(asked, dimension=dimension))


def _named(system: str, answer: str) -> str:
    return f"(The system “{system}” wrote:)\n\n{answer.strip()}"


def read_varied(said: Mapping[str, object]) -> Varied:
    """Read a variant from options, ignoring others; raise ValueError with the expected value."""
    given = {name: str(value) for name, value in said.items() if name in OPTIONS}
    repeat = given.pop("repeat", "0")
    for name, value in given.items():
        if value not in CHOICES[name]:
            raise ValueError(f"Expected {' or '.join(CHOICES[name])} as {name}; found “{value}”.")
    if not (repeat.isascii() and repeat.isdigit() and int(repeat[:9]) <= MOST_REPEATS):
        raise ValueError(
            f"Expected a whole number up to {MOST_REPEATS} as repeat; found “{repeat}”."
        )
    return Varied(**given, repeat=int(repeat))


OPTIONS = frozenset(VARIED)
