"""Every system with every edit and number of shots, asked of a server that answers by rule: what it
asks and what comes out is what the same rules make in this process."""

from collections import Counter

import pytest

from annotate.models import Response, System
from evaluation.asking.prompts import Prompt
from evaluation.asking.speech import SPEECHES
from evaluation.generating import simulated
from evaluation.generating.options import SHOTS
from evaluation.generating.room import Room
from evaluation.generating.simulated import RuleModel
from evaluation.generating.systems import SYSTEMS
from evaluation.generating.wording import BARE
from evaluation.generating.writing import ResponseWriter
from evaluation.models import Generation, ModelCall
from evaluation.running.generating import editing_of
from evaluation.running.generation_settings import GenerationSettings
from evaluation.running.subjects import Subjects
from tests.annotate.loading import load, response
from tests.evaluation.asking.fake import serving
from tests.evaluation.generating.talking import CHEESE, ENGINEER, SUBJECT, TOWER, caller
from tests.evaluation.runs.test_generations import lab, made, worked

__all__ = ["lab"]
MODES = list(SPEECHES)
TASKS = (*simulated._RULES, BARE)


@pytest.fixture
def tower(study):
    """A study whose one question has three passages and two gold answers."""
    shown = tuple((one.title, one.text) for one in (TOWER, ENGINEER, CHEESE))
    line = response("It stands [1].", question=SUBJECT.question.text, passages=shown)
    line["question"]["references"] = SUBJECT.question.references
    load(study, [line])
    return study


class Rules(RuleModel):
    """The rules, and what they were told."""

    def __init__(self):
        self.told: Counter[str] = Counter()

    def ask(self, prompt, schema, **how):
        self.told[f"{prompt.system}\n{prompt.user}"] += 1
        return super().ask(prompt, schema)


def here(study, row):
    """What comes out in this process, and what was asked for it."""
    given, rules = GenerationSettings(**row.settings), Rules()
    subjects = Subjects(study, given)
    how = subjects.how(1, Room())
    decoding, editing = given.decoding("chat"), editing_of(row, given)
    asks, samples = caller(rules, at_once=1), given.samples
    writer = ResponseWriter(given.spec, how, asks, decoding, given.afterwards, editing, samples)
    [record] = writer.write(subjects.read(subjects.keys))
    return record.output, [one.text for one in record.passages], rules.told


def combinations(spec):
    for afterwards in ("", *spec.afterwards):
        for shots in range(SHOTS + 1) if "shots" in spec.takes else [None]:
            yield afterwards, {} if shots is None else {"shots": f"{shots}"}


def by_rule(told, schema):
    """What the rules say, of which the server is told system and question as one."""
    assert schema is None
    [task] = [one for one in TASKS if told.startswith(f"{one}\n")]
    return RuleModel().ask(Prompt(task, told.removeprefix(f"{task}\n")), None).text


@pytest.mark.parametrize("system", SYSTEMS)
def test_over_http_it_is_as_by_the_rules(tower, lab, system):
    mode = MODES[[*SYSTEMS].index(system) % len(MODES)]
    with serving(by_rule) as server:
        lab(server, mode)
        for number, (afterwards, options) in enumerate(combinations(SYSTEMS[system])):
            ModelCall.objects.all().delete()  # each is asked anew
            before, name = len(server.calls), f"New {number}"
            more = {"afterwards": afterwards, "samples": 2, "scorer": "containment"}
            asked = made(tower, name, system=system, options={**options, "at_once": "1"}, **more)
            row = worked(asked)
            assert row.state == Generation.State.DONE, row.error
            output, passages, told = here(tower, row)
            [one] = Response.objects.current().filter(system__name=name)
            shown = [source.passage.text for source in one.sources.order_by("n")]
            assert (one.text, shown) == (output, passages), (afterwards, options)
            assert Counter(call.told for call in server.calls[before:]) == told
            made_system = System.objects.get(name=name)
            assert made_system.uses_autoais == (afterwards in {"rerank", "autoais"})
