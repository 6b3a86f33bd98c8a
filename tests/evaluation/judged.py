"""A judge's work on a study, without a run around it: any judge object will do."""

from collections.abc import Sequence

from django.db import transaction

from annotate.exchange.streams import records_by_key
from annotate.models import Response, Study, System
from evaluation.judges import JUDGES, AutomaticJudge
from evaluation.runs.judging import (
    Outcome,
    item_of_response,
    prepare_claims,
    refuse_undivided,
    systems_to_judge,
    write,
)


def judge_study(study: Study, judge: AutomaticJudge, *, systems: Sequence[System] = ()) -> Outcome:
    name = judge.signature.partition("|")[0]
    chosen, _ = systems_to_judge(study, name, [system.pk for system in systems])
    refuse_undivided(study, name, chosen)
    rows = Response.objects.current().filter(study=study, system__in=chosen)
    keys = list(rows.order_by("pk").values_list("pk", flat=True))
    prepare_claims(study, judge, keys)
    alone = name in JUDGES and JUDGES[name].of_whole_systems
    items = [
        item_of_response(study, *each, text_alone=alone) for each in records_by_key(study, keys)
    ]
    with transaction.atomic():
        return write(study, judge.signature, items, judge.judge(items))
