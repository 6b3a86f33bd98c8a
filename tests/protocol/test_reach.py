"""A question that nobody could ever be asked is a fault."""

from dataclasses import replace

from annotate.protocol.dimensions import Condition, UnitKind
from annotate.protocol.protocol import Protocol
from tests.annotate.test_wordings import FLUENCY
from tests.cases import each

FIRST = FLUENCY
SECOND = replace(FLUENCY, key="second", shown_when=(Condition("fluency", ("good",)),))
BOTH = (Condition("second", ("good",)), Condition("fluency", ("poor",)))


def faults(*dimensions):
    return [(key, fault.field, fault.found) for key, fault in Protocol(dimensions).faults()]


@each("order", [BOTH, BOTH[::-1]])
def test_answers_that_exclude_each_other(order):
    never = replace(FLUENCY, key="third", shown_when=order)
    [(key, field, found)] = faults(FIRST, SECOND, never)
    assert (key, field) == ("third", "shown_when")
    assert found.startswith("fluency both ")


def test_two_conditions_on_one_dimension_must_overlap():
    one = (Condition("fluency", ("good", "fair")), Condition("fluency", ("fair", "poor")))
    assert faults(FIRST, replace(SECOND, shown_when=one)) == []
    two = (Condition("fluency", ("good",)), Condition("fluency", ("poor",)))
    assert len(faults(FIRST, replace(SECOND, shown_when=two))) == 1


def test_conditions_on_parent_and_response_must_agree():
    part = replace(
        FLUENCY,
        key="part",
        unit_kind=UnitKind.STATEMENT,
        shown_when=(
            Condition("second", ("good",), "parent"),
            Condition("fluency", ("good",), "response"),
        ),
    )
    assert faults(FIRST, SECOND, part) == []
    never = replace(
        part, shown_when=(part.shown_when[0], Condition("fluency", ("fair",), "parent"))
    )
    assert len(faults(FIRST, SECOND, never)) == 1
