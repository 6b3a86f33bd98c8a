"""What moves the answers of language models that judge."""

from typing import Annotated, Literal, TypedDict

from evaluation.reports.shape.number import BareNumber, Number
from evaluation.reports.shape.rules import Count, ItemKey, JudgeId, Share, Text, rule

VariedKey = Literal["choices", "passages", "padded", "system"]


class Tested(TypedDict):
    """A shift, and how likely it is by chance alone."""

    shift: Annotated[Number, rule(description="With less without.")]
    p: Share
    p_holm: Annotated[Share, rule(description="Corrected for all tests of this judge.")]
    reason: Annotated[str, rule(description="Why there is no p.")]


class VariantEffect(Tested):
    """The judge against itself with one thing varied."""

    varied: VariedKey
    units: Count
    changed: Annotated[Number, rule(description="The share of answers that are others.")]


class Repeats(TypedDict):
    """The judge against itself with nothing varied."""

    times: Annotated[int, rule(minimum=2, description="How often the same was asked.")]
    units: Count
    same: Annotated[Number, rule(description="The share of units with one answer every time.")]
    alpha: Number


class NamedSystem(Tested):
    """What it does to a system's answers that the judge is told its name."""

    system: Text
    own: Annotated[bool, rule(description="Whether it is of the judge's family.")]
    units: Count


class OwnFamily(Tested):
    """What the judge says more than others do, of its own family's systems less of other systems:
    `shift` is the difference of the two."""

    family: Text
    against: Literal["people", "judges"]
    own_units: Count
    other_units: Count
    own: BareNumber
    others: BareNumber


class ModelBiases(TypedDict):
    """One judge on one item."""

    judge: JudgeId
    item: ItemKey
    variants: list[VariantEffect]
    repeats: Repeats | None
    systems: list[NamedSystem]
    own_family: OwnFamily | None
    said: Annotated[list[Text], rule(description="Each finding in a sentence.")]
