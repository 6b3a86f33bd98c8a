"""Training a study's own scorer as work for a worker, asked for on a page or by a program.

What trains is imported by the worker alone: web processes need no library of models.
"""

from dataclasses import replace
from typing import Any

from django import forms
from django.conf import settings

from annotate.access import Access
from annotate.services.errors import Refused
from evaluation.claims.parsing import load_parser
from evaluation.running.claims import remembered_parser
from evaluation.running.making import Made, Maker, MakingWork

FOLDS = range(2, 11)


class TrainingForm(forms.Form):
    """From where chance comes, how it is tried, and whether it must be better."""

    seed = forms.IntegerField(
        initial=1,
        min_value=0,
        max_value=2**31 - 1,
        help_text="The same labels, seed and machine give the same weights.",
    )
    folds = forms.TypedChoiceField(
        label="Parts that are held out in turn",
        choices=[(number, str(number)) for number in FOLDS],
        coerce=int,
        initial=5,
        help_text="So many trainings say whether it is worth it, before the one that counts.",
    )
    anyway = forms.BooleanField(
        label="Make it even where it is no better than what it begins with",
        required=False,
    )

    groups = (("The training", ("seed", "folds", "anyway")),)

    def __init__(self, access: Access, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)

    def kept(self) -> dict[str, Any]:
        return {name: self.cleaned_data[name] for name in ("seed", "folds", "anyway")}


def train(work: MakingWork) -> Made:
    """As `train_scorer --from-study`; what broke off goes on where it was, in the same folder."""
    from evaluation.entailment.base import base_folder
    from evaluation.entailment.trained import Trained
    from training.from_study import study_pairs, train_on_study
    from training.scorer.checkpoint import CheckpointError
    from training.scorer.fitting import StepReport
    from training.scorer.pairs import PairsError, data_digest
    from training.scorer.recipe import FROM_STUDY

    making = work.making
    study, asked = making.study, making.options
    began = 0

    def tell(report: StepReport) -> None:
        nonlocal began
        began += report.step == 1 or not began
        work.tell(f"Training {began} of {asked['folds'] + 1}", report.step, report.steps)

    work.tell("Reading what people said")
    parser = remembered_parser(study)
    judged = study_pairs(study, parser=load_parser(parser) if parser else None)
    work.tell("Loading the weights that it begins with")
    data = data_digest(one.pair for one in judged)
    folder = settings.DATA_DIR / "scorers" / f"{study.slug}-{making.pk}-{data[:8]}"
    try:
        kept, _ = train_on_study(
            study,
            judged,
            Trained(""),
            base=base_folder(""),
            others=[],
            recipe=replace(FROM_STUDY, seed=asked["seed"], data=data),
            folder=folder,
            tell=tell,
            folds=asked["folds"],
            anyway=asked["anyway"],
        )
    except (CheckpointError, PairsError) as problem:
        raise Refused(str(problem)) from None
    said = f"{kept.units.count():,} units may not be used to evaluate it."
    return Made([kept.agreement["gate"]["said"], f"Weights: {folder}", said], kept.pk)


Maker(
    key="scorer",
    title="Train a scorer",
    about="An entailment scorer that learns from what people said in this study. It is made only "
    "where it is better on questions that were held out. It needs judgments of some hundred "
    "statements about dozens of questions, and some hours.",
    document="scorer#training-with-your-own-judgments",
    form=TrainingForm,
    make=train,
    page="scorers",
)
