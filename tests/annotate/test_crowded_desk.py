"""Many raters at one batch: they claim, save, stay away, come back and finish at random, all at
once, until everything is done. Afterwards every count is exact and nothing is lost or double."""

import random
import time
from collections import Counter, defaultdict
from datetime import timedelta
from functools import partial

import pytest
from django.db import connection
from django.utils import timezone

from annotate.models import Assignment, Judgment, PastJudgment
from annotate.protocol.steps import WITHDRAWN, unanswered
from annotate.rating import answering, assignments
from annotate.rating.assignments import WhyNoTask
from annotate.rating.task_steps import steps_of
from annotate.web.errors import Refused
from tests.annotate.concurrency import at_once
from tests.annotate.desk import rater
from tests.annotate.loading import load, response
from tests.annotate.rating import open_work

pytestmark = [pytest.mark.postgresql, pytest.mark.django_db(transaction=True)]

GIVES_UP_SECONDS = 400
"""Far more than it takes: only a test that would hang ends here."""


class Person:
    """A rater with habits, who remembers everything that was acknowledged, in order."""

    def __init__(self, batch, judge, *, seed, may_return):
        self.batch, self.judge, self.may_return = batch, judge, may_return
        self.chance = random.Random(seed)
        self.acknowledged = defaultdict(list)
        self.seen: Counter[object] = Counter()
        self.edits = 0

    def rate(self):
        deadline = time.monotonic() + GIVES_UP_SECONDS
        while time.monotonic() < deadline:
            found = self.ask()
            if isinstance(found, Assignment):
                self.work_on(found)
            elif found.why in {WhyNoTask.ALL_DONE, WhyNoTask.ALL_YOURS_DONE}:
                return found.why
            else:
                assert found.why == WhyNoTask.LEASED, found
                time.sleep(self.chance.uniform(0.01, 0.1))
        raise AssertionError("there is always something left to wait for")

    def ask(self):
        if not self.happens(0.1):
            return assignments.next_task(self.batch, self.judge)
        first, second = at_once([partial(assignments.next_task, self.batch, self.judge)] * 2)
        # Only an answer that says that nothing is left may be overtaken by a place that came free.
        for found in (first, second):
            assert not isinstance(found, Exception), found
        if isinstance(first, Assignment) and isinstance(second, Assignment):
            assert first.pk == second.pk
            self.seen["asked twice"] += 1
        return first if isinstance(first, Assignment) else second

    def happens(self, share):
        return self.chance.random() < share

    def work_on(self, task):
        steps = steps_of(self.batch, task.item)
        open_steps = unanswered(steps, answering.answers_of(task))
        if len(open_steps) < len(steps):
            self.seen["came back"] += 1
        for step in open_steps:
            self.say(task, step)
            if self.happens(0.06):
                return self.stay_away(task)
            if self.happens(0.03):
                self.seen["left for later"] += 1
                return assignments.give_back(task, for_good=False)
            if self.may_return and self.happens(0.02):
                self.seen["returned"] += 1
                return assignments.give_back(task, for_good=True)
        if self.finish(task) and self.happens(0.15):
            self.think_again(task, self.chance.choice(steps))
        return None

    def say(self, task, step):
        self.save(task, step, self.chance.choice(step.dimension.choices).value)
        if self.happens(0.15):
            self.seen["changed"] += 1
            self.save(task, step, self.chance.choice(step.dimension.choices).value)

    def save(self, task, step, value="", skipped_reason=""):
        """Send an answer; sometimes twice, at once or later. What answers is remembered."""
        self.edits += 1
        edit = f"{self.judge.pk}-{self.edits}"
        known = self.acknowledged[step.unit.pk, step.dimension.key]
        sent = {"value": value, "skipped_reason": skipped_reason, "edit": edit}
        sent["base"] = known[-1][0] if known else ""
        send = partial(answering.save_answer, task, step, **sent)
        if self.happens(0.1):
            self.seen["sent twice at once"] += 1
            again = Assignment.objects.select_related("batch", "item", "judge").get(pk=task.pk)
            replies = at_once([send, partial(answering.save_answer, again, step, **sent)])
            for reply in replies:
                assert isinstance(reply, Judgment), reply
            assert len({reply.pk for reply in replies}) == 1
        else:
            send()
        if not known or known[-1][1:] != (value, skipped_reason):
            known.append((edit, value, skipped_reason))
        if self.happens(0.1):
            self.seen["sent again later"] += 1
            send()
        if len(known) > 1 and self.happens(0.3):
            self.seen["old one sent again"] += 1
            old, value, reason = known[-2]
            answering.save_answer(task, step, value=value, skipped_reason=reason, edit=old, base="")

    def stay_away(self, task):
        """Half an hour passes for this task, a moment for everybody else."""
        self.seen["stayed away"] += 1
        past = timezone.now() - timedelta(seconds=1)
        Assignment.objects.filter(pk=task.pk, state="active").update(lease_until=past)
        time.sleep(self.chance.uniform(0, 0.2))
        if self.happens(0.3):
            # Comes back to the open page, not knowing that the lease is over.
            self.seen["finished late"] += 1
            for step in unanswered(steps_of(self.batch, task.item), answering.answers_of(task)):
                self.say(task, step)
            self.finish(task)

    def finish(self, task):
        try:
            if self.happens(0.1):
                self.seen["finished twice"] += 1
                # Between a refusal and the other request somebody may give a place back.
                replies = at_once([partial(answering.finish, task)] * 2)
                faults = [reply for reply in replies if isinstance(reply, Exception)]
                if len(faults) == 2 or not all(isinstance(one, Refused) for one in faults):
                    raise faults[0]
            else:
                answering.finish(task)
        except Refused as refusal:
            if "Others have rated this in the meantime" not in str(refusal):
                raise
            self.seen["too late"] += 1
            return False
        self.seen["done"] += 1
        return True

    def think_again(self, task, step):
        """Take an answer back in a finished task, answer again, finish again."""
        self.seen["reopened"] += 1
        task.refresh_from_db()
        self.save(task, step, skipped_reason=WITHDRAWN)
        assert not task.is_done
        self.save(task, step, self.chance.choice(step.dimension.choices).value)
        assert self.finish(task), "a reopened task keeps its place"
        self.seen["done"] -= 1


@pytest.mark.parametrize(("order", "seed"), [("shuffle", 1), ("together", 2)])
def test_many_raters_lose_nothing_and_double_no_task(study, order, seed):
    is_large = connection.vendor == "postgresql"
    people, questions, wanted = (16, 12, 3) if is_large else (6, 5, 3)
    load(
        study,
        [
            response(
                f"Peak {n} is {n} metres high [1]. It is {colour} [2].",
                system=system,
                question=f"How high is peak {n}?",
                question_id=f"q{n}",
            )
            for n in range(questions)
            for system, colour in (("Vermilion", "red"), ("Quokka-9B", "brown"))
        ],
    )
    batch = open_work(study, raters_per_item=wanted, order=order, seed=seed)
    items = list(batch.items.all())
    assert len(items) == 2 * questions
    raters = [
        # As many as are wanted never refuse a task, so that all can be done in the end.
        Person(batch, rater(study, f"person{n}"), seed=100 * seed + n, may_return=n >= wanted)
        for n in range(people)
    ]

    outcomes = at_once([person.rate for person in raters])

    assert set(outcomes) <= {WhyNoTask.ALL_DONE, WhyNoTask.ALL_YOURS_DONE}, outcomes
    check_places(items, wanted)
    check_answers(batch, raters)
    seen = sum((person.seen for person in raters), Counter())
    assert seen["done"] == len(items) * wanted
    # Not by luck: what is dangerous did happen.
    for danger in ("stayed away", "came back", "sent twice at once", "changed", "reopened"):
        assert seen[danger], seen


def check_places(items, wanted):
    done = Assignment.objects.filter(state="done")
    judges = defaultdict(list)
    for item, judge in done.values_list("item", "judge"):
        judges[item].append(judge)
    assert set(judges) == {item.pk for item in items}
    for who in judges.values():
        assert len(who) == len(set(who)) == wanted
    assert done.filter(done_at__isnull=True).count() == 0


def check_answers(batch, raters):
    expected = {
        (person.judge.pk, *key): said
        for person in raters
        for key, said in person.acknowledged.items()
    }
    rows = Judgment.objects.prefetch_related("history")
    found = {
        (row.judge_id, row.unit_id, row.dimension): [
            (past.edit, past.value, past.skipped_reason) for past in row.history.all()
        ]
        + [(row.edit, row.value, row.skipped_reason)]
        for row in rows
    }
    assert found == expected
    assert rows.count() == len(expected)
    assert PastJudgment.objects.count() == sum(len(said) - 1 for said in expected.values())
    questions = 0
    for task in Assignment.objects.filter(state="done").select_related("item"):
        steps = steps_of(batch, task.item)
        assert unanswered(steps, answering.answers_of(task)) == []
        questions += len(steps)
    in_done = Judgment.objects.filter(
        unit__response__batch_items__assignments__in=Assignment.objects.filter(state="done")
    )
    own = [
        row
        for row in in_done.values_list(
            "judge", "unit__response__batch_items__assignments__judge", "pk"
        )
        if row[0] == row[1]
    ]
    assert len(own) == len(set(own)) == questions
    # Answers that somebody else's place made late are kept, and do not count.
    counted = Judgment.objects.filter(unfinished=False).values_list("pk", flat=True)
    assert {pk for *_, pk in own} == set(counted)


@pytest.mark.parametrize("for_good", [True, False])
def test_the_last_place_goes_to_one_of_many(study, for_good):
    """Everybody wants the one task that is left; whoever gets it gives it back; all get it once."""
    load(study, [response("The Zugspitze is high [1].")])
    batch = open_work(study, raters_per_item=1)
    people = [rater(study, f"person{n}") for n in range(6)]
    outcomes = at_once([partial(assignments.next_task, batch, person) for person in people])
    got = [found for found in outcomes if isinstance(found, Assignment)]
    assert len(got) == 1, outcomes
    assert {found.why for found in outcomes if found not in got} == {WhyNoTask.LEASED}
    assignments.give_back(got[0], for_good=for_good)
    others = [person for person in people if person != got[0].judge]
    outcomes = at_once([partial(assignments.next_task, batch, person) for person in others])
    assert sum(isinstance(found, Assignment) for found in outcomes) == 1, outcomes


def test_two_who_lost_the_same_tasks_in_another_order_do_not_wait_for_each_other(study):
    """Both hold lapsed tasks that others have taken since, and ask at the same time."""
    load(
        study,
        [response(f"Peak {n} is high [1].", question_id=f"q{n}") for n in range(3)],
    )
    batch = open_work(study, raters_per_item=1)
    items = list(batch.items.order_by("pk"))
    first, second = rater(study, "first"), rater(study, "second")
    now = timezone.now()
    for judge, order in ((first, items[:2]), (second, items[1::-1])):
        for item in order:
            Assignment.objects.create(batch=batch, item=item, judge=judge, lease_until=now)
    for n, item in enumerate(items[:2]):
        Assignment.objects.create(
            batch=batch,
            item=item,
            judge=rater(study, f"other{n}"),
            lease_until=now + timedelta(minutes=9),
        )
    for _ in range(10):
        outcomes = at_once([partial(assignments.next_task, batch, j) for j in (first, second)])
        got = [found for found in outcomes if isinstance(found, Assignment)]
        assert [found.item for found in got] == [items[2]], outcomes
        assert {found.why for found in outcomes if found not in got} == {WhyNoTask.LEASED}
        got[0].delete()
