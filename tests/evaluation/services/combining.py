"""A study with three judges of which a jury can be made."""

from annotate.models import Judge
from evaluation.runs.juries import form_jury
from tests.annotate.loading import load
from tests.evaluation.services.test_thresholds import answers, give, own_units

NAMES = tuple(f"model|connection:{one}|model:{one}|style:direct:1.ab|v:2" for one in "abc")
WRONG = ({3, 5}, {7, 11}, {13, 17})
"""Which of every twenty answers each judge gets wrong."""


def judged(study, count=40):
    load(study, answers(count))
    study.dimensions = ["attributable"]
    study.save()
    rita = Judge.objects.create(study=study, kind="simulated", name="rita")
    made = [Judge.objects.create(study=study, kind="automatic", name=name) for name in NAMES]
    for n, unit in enumerate(own_units("r")):
        yes = n % 3 > 0
        give(rita, unit, "yes" if yes else "no")
        for judge, wrong in zip(made, WRONG, strict=True):
            give(judge, unit, "yes" if yes != (n % 20 in wrong) else "no")
    return study


def judges(study):
    return list(Judge.objects.filter(study=study, name__in=NAMES).order_by("name"))


def made_of(study, method="majority", **more):
    return form_jury(study, judges(study), ["attributable"], method, **more)
