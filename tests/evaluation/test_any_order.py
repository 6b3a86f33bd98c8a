"""Whatever raters do, and in whatever order: what counts is what stands in finished ratings.

A model in plain Python says what should be kept and what should count. It knows places, leases and
answers, and nothing of the database; everything that shows votes is compared with it.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.core.cache import caches
from django.db import transaction
from django.utils import timezone
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from annotate.content import counts
from annotate.content.counts.checking import differences
from annotate.exchange import streams
from annotate.models import Assignment, Judge, Judgment
from annotate.models.judging import COUNTS
from annotate.protocol.steps import OPEN_AGAIN, WITHDRAWN
from annotate.rating import answering, assignments, disputes
from annotate.rating.standing import change_standing
from annotate.rating.task_steps import steps_of
from annotate.studies.lifecycle import create_study
from annotate.web.errors import Refused
from evaluation.labels import batch_agreement, monitor
from evaluation.labels.study_labels import Method, labels
from evaluation.report_pages.data_state import data_state, digest_of
from evaluation.report_pages.gathering import gather
from evaluation.reports.filters import Filters
from evaluation.reports.selection import select
from tests.annotate.loading import load, response
from tests.annotate.rating import open_work
from tests.evaluation.desk import rater

pytestmark = pytest.mark.django_db

PLACES, RATERS = 2, 4
FIRST, SECOND = "interpretable", "attributable"


@dataclass
class Task:
    """What one rater has of one item, as the model sees it."""

    rater: int
    item: int
    state: str = "active"
    runs: bool = True
    answers: dict[str, str] = field(default_factory=dict)

    @property
    def is_whole(self):
        first = self.answers.get(FIRST)
        return first == "no" or (first == "yes" and SECOND in self.answers)


class Desk(RuleBasedStateMachine):
    """Raters at a batch of two answers with two places each."""

    def __init__(self, owner):
        super().__init__()
        caches["process"].clear()
        self.example = transaction.atomic()
        self.example.__enter__()
        self.study = create_study(name="Sources", slug="sources", preset="ais", owner=owner)
        load(self.study, [response("High.", system=name) for name in ("Amber", "Blue")])
        self.batch = open_work(self.study, raters_per_item=PLACES)
        self.judges = [rater(self.study, f"rater-{number}") for number in range(RATERS)]
        self.tasks: dict[tuple[int, int], Task] = {}
        self.excluded: set[int] = set()
        self.seen: dict[str, object] = {}

    def teardown(self):
        try:
            self.everything_says_the_same()
        finally:
            transaction.set_rollback(True)
            self.example.__exit__(None, None, None)

    # The model -----------------------------------------------------------------------------------

    def others(self, task, *, running):
        """Who else has a place: who is done, or also whose lease runs."""
        return sum(
            other.state == "done" or (running and other.state == "active" and other.runs)
            for other in self.tasks.values()
            if other.item == task.item
            and other.rater != task.rater
            and other.rater not in self.excluded
        )

    def votes(self):
        """By question and item: each rater's vote in a finished rating."""
        found: Any = defaultdict(dict)
        for task in self.tasks.values():
            if task.state == "done" and task.rater not in self.excluded:
                first = task.answers[FIRST]
                found[FIRST, task.item][task.rater] = first
                second = task.answers[SECOND] if first == "yes" else "no"
                found[SECOND, task.item][task.rater] = second
        return found

    # What raters do ------------------------------------------------------------------------------

    raters = st.integers(0, RATERS - 1)
    places = st.integers(0, 1_000)

    def some(self, number):
        keys = sorted(self.tasks)
        return self.tasks[keys[number % len(keys)]]

    def stored(self, task):
        return Assignment.objects.select_related("batch__study", "item", "judge").get(
            item=task.item, judge=self.judges[task.rater]
        )

    @rule(number=raters)
    def asks_for_a_task(self, number):
        found = assignments.next_task(self.batch, self.judges[number])
        if not isinstance(found, Assignment):
            return
        task = self.tasks.setdefault((number, found.item_id), Task(number, found.item_id))
        assert number not in self.excluded
        assert task.state == "active"
        assert task.runs or self.others(task, running=True) < PLACES
        task.runs = True

    @precondition(lambda self: self.tasks)
    @rule(number=places)
    def is_away_for_long(self, number):
        task = self.some(number)
        task.runs = False
        past = timezone.now() - timedelta(seconds=1)
        Assignment.objects.filter(
            item=task.item, judge=self.judges[task.rater], state="active"
        ).update(lease_until=past)

    @precondition(lambda self: self.tasks)
    @rule(number=places, key=st.sampled_from([FIRST, SECOND]), value=st.sampled_from(["yes", "no"]))
    def answers(self, number, key, value):
        self.save(self.some(number), key, value)

    @rule(number=raters, value=st.sampled_from(["yes", "no"]))
    def does_a_task(self, number, value):
        self.asks_for_a_task(number)
        for task in self.tasks.values():
            if task.rater == number and task.state == "active":
                self.save(task, FIRST, "yes")
                self.save(task, SECOND, value)
                self.finish(task)

    @precondition(lambda self: self.tasks)
    @rule(number=places, key=st.sampled_from([FIRST, SECOND]))
    def takes_an_answer_back(self, number, key):
        self.save(self.some(number), key, "")

    def save(self, task, key, value):
        stored = self.stored(task)
        [step] = [s for s in steps_of(self.batch, stored.item) if s.dimension.key == key]
        is_asked = key == FIRST or not value or task.answers.get(FIRST) == "yes"
        try:
            answering.save_answer(
                stored, step, value=value, skipped_reason="" if value else WITHDRAWN
            )
        except Refused:
            assert task.rater in self.excluded or not is_asked
            return
        assert task.rater not in self.excluded
        assert is_asked
        if value:
            task.answers[key] = value
        else:
            task.answers.pop(key, None)
        if task.answers.get(FIRST) != "yes" and key == FIRST:
            task.answers.pop(SECOND, None)
        if task.state == "done" and not task.is_whole:
            task.state, task.runs = "active", True
        if task.state == "active":
            task.runs = task.runs or self.others(task, running=True) < PLACES
        assert stored.holds_place == (
            task.state == "done" or (task.state == "active" and task.runs)
        )

    @precondition(lambda self: self.tasks)
    @rule(number=places)
    def finishes(self, number):
        self.finish(self.some(number))

    def finish(self, task):
        may = (
            task.rater not in self.excluded
            and task.is_whole
            and task.state != "returned"
            and self.others(task, running=not task.runs) < PLACES
        )
        try:
            answering.finish(self.stored(task))
        except Refused:
            assert task.state == "done" or not may
            return
        assert task.state == "done" or may
        task.state = "done"

    @precondition(lambda self: self.tasks)
    @rule(number=places, for_good=st.booleans())
    def gives_back(self, number, for_good):
        task = self.some(number)
        assignments.give_back(self.stored(task), for_good=for_good)
        if task.state == "active":
            task.runs = False
            task.state = "returned" if for_good else "active"

    @rule(number=raters)
    def is_excluded(self, number):
        self.excluded.add(number)
        self.stands(number, Judge.Standing.EXCLUDED)
        for task in self.tasks.values():
            if task.rater == number and task.state == "active":
                task.runs = False

    @precondition(lambda self: self.excluded)
    @rule(number=places)
    def is_readmitted(self, number):
        who = sorted(self.excluded)[number % len(self.excluded)]
        self.excluded.remove(who)
        self.stands(who, Judge.Standing.ACTIVE)

    def stands(self, number, standing):
        change_standing(self.judges[number], standing, reason="So it is")

    # What is shown -------------------------------------------------------------------------------

    @invariant()
    def answers_are_kept_and_those_in_finished_ratings_count(self):
        kept = Judgment.objects.exclude(skipped_reason__in=OPEN_AGAIN)
        assert self.rows(kept) == {
            (task.rater, task.item, key, value)
            for task in self.tasks.values()
            for key, value in task.answers.items()
        }
        assert self.rows(kept.filter(COUNTS)) == {
            (task.rater, task.item, key, value)
            for task in self.tasks.values()
            if task.state == "done" and task.rater not in self.excluded
            for key, value in task.answers.items()
        }

    def rows(self, judgments):
        number = {judge.pk: place for place, judge in enumerate(self.judges)}
        found = judgments.values_list("judge", "unit__response__batch_items", "dimension", "value")
        return {(number[judge], *rest) for judge, *rest in found}

    @invariant()
    def labels_are_those_of_the_finished_ratings(self):
        wanted = {
            place: "yes" if 2 * sum(v == "yes" for v in given.values()) > len(given) else "no"
            for place, given in self.votes().items()
        }
        items = dict(self.batch.items.values_list("response", "pk"))
        for batch in (None, self.batch):
            made = labels(self.study, Method.MAJORITY, batch)
            found = {(label.dimension, items[label.response]): label.value for label in made}
            assert found == wanted

    def everything_says_the_same(self):
        votes = self.votes()
        items = dict(self.batch.items.values_list("unit", "pk"))
        data = gather(self.study)
        for filters in (Filters(), Filters(batch=self.batch.pk)):
            selected = select(data, filters)
            for key in (FIRST, SECOND):
                reported = Counter(
                    value for by in selected.votes(key).values() for value in by.values()
                )
                assert reported == Counter(
                    value for (asked, _), by in votes.items() if asked == key
                    for value in by.values()
                )  # fmt: skip
        answered = Counter(
            (key, value)
            for task in self.tasks.values()
            if task.state == "done" and task.rater not in self.excluded
            for key, value in task.answers.items()
        )
        rows = [row.judgment for row in streams.judgment_rows(self.study, counted=True)]
        assert Counter((row.dimension, row.value) for row in rows if row.value) == answered
        for dispute in disputes.queue_of(self.study):
            given = Counter(
                task.answers[dispute.dimension.key]
                for task in self.tasks.values()
                if task.item == items[dispute.unit_id]
                and task.state == "done"
                and task.rater not in self.excluded
                and dispute.dimension.key in task.answers
            )
            assert dict(dispute.votes) == given
        self.the_batchs_page_says_the_same(votes)

    def the_batchs_page_says_the_same(self, votes):
        progress = monitor.progress(self.batch)
        tasks = [task for task in self.tasks.values() if task.rater not in self.excluded]
        assert progress.done == sum(task.state == "done" for task in tasks)
        assert progress.unfinished == sum(
            len(task.answers) for task in tasks if task.state != "done"
        )
        for row in batch_agreement.agreement(self.batch):
            several = [
                by for (key, _), by in votes.items() if key == row.dimension.key and len(by) > 1
            ]
            assert row.units == len(several)
            assert row.raters == len({who for by in several for who in by})

    @invariant()
    def what_changes_a_number_changes_the_state(self):
        """A report is built again, and agreement computed again, where another would come out."""
        votes = sorted((place, sorted(given.items())) for place, given in self.votes().items())
        state = digest_of(data_state(self.study, self.batch.pk))
        assert self.seen.setdefault(state, votes) == votes
        shown = batch_agreement._state(self.batch, counts.kept(self.study))
        assert self.seen.setdefault(shown, votes) == votes

    @invariant()
    def what_is_kept_is_what_there_is(self):
        assert [*differences(self.study)] == []


def test_only_finished_ratings_count(alice):
    desk: Any = partial(Desk, alice)
    run_state_machine_as_test(
        desk,
        settings=settings(
            max_examples=10,
            stateful_step_count=20,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
