"""Counts that are kept are those that there are, whoever wrote and in whatever order.

Random histories go through everything that writes. Then all is counted anew and compared, and pages
are compared with what is read straight from the answers.
"""

import random
from collections import Counter
from dataclasses import replace
from io import StringIO
from statistics import median

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from annotate.content import counts, overview
from annotate.content.counts.checking import differences
from annotate.content.responses_by_label import WantedLabel, with_label
from annotate.exchange import deletion
from annotate.models import (
    PEOPLE,
    Assignment,
    Batch,
    Changed,
    Judge,
    Judgment,
    Removal,
    Response,
    ResponseCounts,
    Study,
    Sum,
    System,
    Unit,
)
from annotate.protocol.steps import OPEN_AGAIN, WITHDRAWN
from annotate.rating import answering, assignments, disputes
from annotate.rating.batches import create_batch, open_batch
from annotate.rating.batches.adoption import adopt_ratings
from annotate.rating.standing import change_standing
from annotate.rating.task_steps import steps_of
from annotate.studies import wordings
from annotate.studies.lifecycle import create_study
from annotate.web.errors import Refused
from evaluation.labels import (
    background_figures,
    batch_agreement,
    drift,
    labelled_responses,
    monitor,
    raters,
)
from evaluation.labels.drift import compared_answers
from evaluation.labels.label_index import labelled_items
from evaluation.labels.study_labels import judgments_of, votes_of, voting
from evaluation.models import BatchAgreement
from evaluation.tasks import refresh_agreement, refresh_drift
from tests.annotate.loading import judgment, load, load_judgments, load_peaks, response
from tests.evaluation.desk import rater

pytestmark = [pytest.mark.postgresql, pytest.mark.django_db]

STEPS = 40
HISTORIES = 1 if connection.vendor == "postgresql" else 2
"""One shows that PostgreSQL's triggers do as those of SQLite."""


class History:
    """What happens to a study, drawn."""

    def __init__(self, study, owner, seed):
        self.study, self.owner, self.draw = study, owner, random.Random(seed)
        self.raters = [rater(study, f"rater-{number}") for number in range(4)]
        self.number = 0

    def happen(self):
        act = self.draw.choice(ACTS)
        self.study = Study.objects.get(pk=self.study.pk)
        try:
            act(self)
        except Refused:
            return

    def batch(self):
        return self.draw.choice([*self.study.batches.all()] or [None])

    # Files ---------------------------------------------------------------------------------------

    def loads(self):
        self.number += 1
        system = self.draw.choice(["Amber", "Blue", "Vermilion"])
        about = self.draw.choice(["q1", "q3", "q4"])
        run = self.draw.choice(["", "2"])
        load(
            self.study,
            [response(f"Number {self.number} [1]. And [9].", system=system, question_id=about,
                      run=run)],
            replace=True,
        )  # fmt: skip

    def judges_by_file(self):
        live = Response.objects.current().filter(study=self.study)
        one = self.draw.choice([*live.select_related("system", "question")])
        kind = self.draw.choice(["simulated", "simulated", "automatic", "reference"])
        about = {"system": one.system.name, "question_id": one.question.external_id, "run": one.run}
        rows = [
            judgment(unit.key, "citation_recall", self.draw.choice(["yes", "no"]),
                     judge=f"{kind} {self.draw.randrange(2)}|v:1", judge_kind=kind, **about)
            for unit in one.units.filter(kind="statement")
        ]  # fmt: skip
        if rows:
            load_judgments(self.study, rows, replace=True)

    # Batches and raters --------------------------------------------------------------------------

    def gives(self):
        self.number += 1
        granularity = self.draw.choice(["response", "unit"])
        dimensions = ["citation_recall"] if granularity == "unit" else None
        made = create_batch(
            self.study, name=f"Batch {self.number}", raters_per_item=2, granularity=granularity,
            dimensions=dimensions,
        )  # fmt: skip
        open_batch(made)

    def adopts(self):
        made = create_batch(self.study, name=f"Adopted {self.number}", raters_per_item=2,
                            dimensions=["citation_recall"])  # fmt: skip
        self.number += 1
        adopt_ratings(made, [*self.study.judges.filter(kind=Judge.Kind.SIMULATED)])

    def rates(self):
        batch = self.batch()
        if batch is None or not batch.is_open:
            return
        task = assignments.next_task(batch, self.draw.choice(self.raters))
        if not isinstance(task, Assignment):
            return
        for step in steps_of(batch, task.item):
            value = self.draw.choice(step.dimension.low_to_high)
            skipped = "" if self.draw.random() < 0.9 else "I cannot tell"
            seconds = round(self.draw.uniform(1, 9), 1)
            given = "" if skipped else value
            answering.save_answer(task, step, value=given, skipped_reason=skipped, seconds=seconds)
        if self.draw.random() < 0.8:
            answering.finish(task)

    def changes_an_answer(self):
        tasks = [*Assignment.objects.filter(judge__in=self.raters).select_related("batch", "item")]
        if not tasks:
            return
        task = self.draw.choice(tasks)
        step = self.draw.choice(steps_of(task.batch, task.item))
        if self.draw.random() < 0.3:
            answering.save_answer(task, step, value="", skipped_reason=WITHDRAWN)
        elif self.draw.random() < 0.3:
            answering.set_flag(task, step, reason="broken")
        elif self.draw.random() < 0.3:
            answering.withdraw_flag(task, step)
        elif self.draw.random() < 0.3:
            assignments.give_back(task, for_good=self.draw.random() < 0.5)
        else:
            answering.save_answer(task, step, value=self.draw.choice(step.dimension.low_to_high))

    def stands_otherwise(self):
        judges = [*self.study.judges.filter(kind__in=PEOPLE)]
        standing = self.draw.choice([Judge.Standing.ACTIVE, Judge.Standing.EXCLUDED])
        change_standing(self.draw.choice(judges), standing, reason="So it is")

    def decides(self):
        queue = disputes.queue_of(self.study)
        if not queue:
            return
        one = self.draw.choice([*queue])
        unit = Unit.objects.get(pk=one.unit_id)
        if one.decided and self.draw.random() < 0.5:
            disputes.take_back(unit, one.dimension.key, by=self.owner)
        else:
            value = self.draw.choice(one.dimension.low_to_high)
            disputes.decide(unit, one.dimension.key, value=value, by=self.owner)

    # The study -----------------------------------------------------------------------------------

    def deletes(self):
        deletion.delete_system(self.draw.choice([*System.objects.filter(study=self.study)]))

    def puts_back(self):
        for removal in Removal.objects.filter(study=self.study):
            if self.draw.random() < 0.7:
                deletion.put_back(removal)
            else:
                deletion.remove_now(removal)
                deletion.work(removal.pk)

    def asks_otherwise(self):
        key = self.draw.choice(["utility", "citation_support"])
        if key in self.study.dimensions:
            wordings.deactivate(self.study, key)
        else:
            wordings.activate(self.study, key)


ACTS = (
    *[History.rates] * 6,
    *[History.changes_an_answer] * 4,
    *[History.loads] * 2,
    *[History.judges_by_file] * 3,
    *[History.gives] * 2,
    History.adopts,
    *[History.stands_otherwise] * 2,
    *[History.decides] * 2,
    History.deletes,
    *[History.puts_back] * 2,
    History.asks_otherwise,
)


@pytest.mark.parametrize("seed", range(HISTORIES))
def test_after_every_history_what_is_kept_is_what_there_is(alice, seed):
    study = create_study(name="Peaks", slug="peaks", preset="alce", owner=alice)
    load_peaks(study)
    history = History(study, alice, seed)
    for step in range(STEPS):
        history.happen()
        if step % 4 == 0:
            assert [*differences(history.study)] == []
    study = Study.objects.get(pk=study.pk)
    assert [*differences(study)] == []
    as_read_from_the_answers(study)


def as_read_from_the_answers(study):
    given = Judgment.objects.counted().filter(judge__study=study, judge__kind__in=PEOPLE)
    given = given.exclude(skipped_reason__in=OPEN_AGAIN)
    by_people = Counter(given.values_list("dimension", flat=True))
    assert {row.dimension.key: row.by_people for row in overview.progress(study)
            if row.by_people} == by_people  # fmt: skip
    for row in overview.systems(study):
        own = Response.objects.current().filter(system=row.system)
        assert row.responses == own.count()
        assert row.questions == own.values("question").distinct().count()
        assert row.runs == own.values("run").distinct().count()
    for batch in (None, *study.batches.all()):
        found = judgments_of(study, batch)
        assert votes_of(study, batch)[0] == voting(found).count()
    for one in raters.rater_rows(study):
        as_read_of_a_rater(one)
    for batch in study.batches.all():
        as_read_of_a_batch(batch)
    labels_as_read_from_the_answers(study)


def labels_as_read_from_the_answers(study):
    standing = Unit.objects.standing().filter(response__in=Response.objects.current())
    response = dict(standing.filter(response__study=study).values_list("pk", "response"))
    people, judges = labelled_responses._People(study), study.judges.all()
    answers = {judge: labelled_responses._of_judge(study, judge) for judge in judges}
    for item in labelled_items(study.protocol):
        majority = people.labels(item)
        for value in {*item.values, "not_needed"}:
            made = {None: [unit for unit, label in majority.items() if label == value]}
            for judge in judges:
                giving = labelled_responses._giving(study, answers[judge], item, [value])
                made[judge] = [
                    unit for some in giving for unit in some.values_list("unit", flat=True)
                ]
            for judge, units in made.items():
                wanted = WantedLabel(judge, item.key, value)
                there = {response[unit] for unit in units if unit in response}
                assert with_label(study, wanted) == sorted(there)
                apart = {*response.values()} - there
                assert with_label(study, wanted, without=True) == sorted(apart)


def as_read_of_a_rater(row):
    """The list of raters and the page of one, in all and on each question."""
    judge, protocol = row.judge, row.judge.study.protocol
    alone, answers = raters.rater(judge), [*compared_answers(judge)]
    own = Judgment.objects.current().finished().filter(judge=judge)
    skips = Counter(
        own.filter(value="").exclude(skipped_reason__in=OPEN_AGAIN)
        .values_list("dimension", "skipped_reason")
    )  # fmt: skip
    assert {(title, reason): n for title, reason, n in alone.skips} == {
        (protocol[key].title, reason): n for (key, reason), n in skips.items()
    }
    for key, work in (("", alone.total), *((one.key, work) for one, work in alone.dimensions)):
        some = [one for one in answers if key in {"", one.dimension}]
        seconds = [one.seconds for one in some if one.seconds is not None]
        shares = [one.same / one.others for one in some if one.others]
        assert work.answers == sum(one.is_given for one in some)
        assert work.skips == sum(n for (of, _), n in skips.items() if key in {"", of})
        assert work.seconds == (median(seconds) if seconds else None)
        assert work.others.units == len(shares)
        assert work.others.comparisons == sum(one.others for one in some)
        assert work.others.shares == pytest.approx(sum(shares), abs=1e-4)
    assert (row.answers, row.skips, row.seconds) == (
        alone.total.answers, alone.total.skips, alone.total.seconds
    )  # fmt: skip
    given = set(own.values_list("unit", "unit__parent", "dimension", "value"))
    texts = {unit for unit, _, *said in given if said == ["citation_recall", "no"]}
    assert (
        alone.contradictions
        == row.contradictions
        == len(
            {
                text
                for _, text, *said in given
                if said == ["citation_support", "full"] and text in texts
            }
        )
    )
    people = Judgment.objects.counted().filter(judge__study=judge.study, judge__kind__in=PEOPLE)
    others = Counter(people.exclude(judge=judge).values_list("dimension", "value"))
    mine = Counter(own.values_list("dimension", "value"))
    for dimension, rows in alone.choices:
        values = [choice.value for choice in dimension.choices]
        assert [(one.own, one.everybody) for one in rows] == [
            (mine[dimension.key, value], others[dimension.key, value]) for value in values
        ]
    done = Counter(judge.assignments.filter(state="done").values_list("batch", flat=True))
    assert {batch.pk: n for batch, n, _ in alone.batches if n} == done
    assert alone.drift.is_of_now
    assert alone.seen == row.seen


def as_read_of_a_batch(batch):
    for shown, whole in zip(
        batch_agreement.agreement(batch), batch_agreement._whole(batch), strict=True
    ):
        assert (shown.units, shown.raters) == (whole.units, whole.raters)
        assert shown.observed.value == pytest.approx(whole.observed.value)
        assert shown.alpha.value == pytest.approx(whole.alpha.value)
        assert shown.alpha.reason == whole.alpha.reason
        assert shown.interval == whole.interval
    done = batch.assignments.filter(
        state="done", item__response__live=True, judge__kind__in=PEOPLE, item__is_gold=False
    )
    done = done.exclude(judge__standing=Judge.Standing.EXCLUDED)
    progress = monitor.progress(batch)
    assert progress.done == done.count()
    assert sum(bar.ratings * bar.tasks for bar in progress.bars) == progress.done


# Large backlogs, and what is wrong ---------------------------------------------------------------


@pytest.fixture
def peaks(alice):
    study = create_study(name="Peaks", slug="peaks", preset="alce", owner=alice)
    load_peaks(study)
    return study


def test_reader_counts_recent_changes_and_a_worker_the_rest(peaks, monkeypatch):
    told = []
    monkeypatch.setattr("annotate.content.counts.sums.AT_ONCE", 3)
    monkeypatch.setattr("annotate.content.counts.changes.send", lambda *sent: told.append(sent))
    found = overview.study_contents(peaks)
    assert (found.responses, found.waiting > 0) == (3, True)
    assert told == [("annotate.keep_counts", "default", peaks.pk)]
    monkeypatch.setattr("annotate.content.counts.sums.AT_ONCE", 1)
    assert overview.study_contents(peaks).responses == 4
    counts.catch_up(peaks)
    assert not Changed.objects.filter(study_id=peaks.pk).exists()
    assert overview.study_contents(peaks).waiting == 0


def test_the_command_says_what_is_not_equal_and_counts_again(peaks):
    out = StringIO()
    call_command("check_counts", "peaks", stdout=out)
    assert "equal a fresh count" in out.getvalue()
    one = Sum.objects.get(study_id=peaks.pk, part="study")
    one.counts["responses"] += 1
    one.save()
    row = ResponseCounts.objects.filter(study_id=peaks.pk)[0]
    row.counts["study:0"]["questions"] = 7
    row.save()
    with pytest.raises(CommandError, match="--again"):
        call_command("check_counts", "peaks", stdout=out)
    assert "the study, study:0, responses: kept 5, counted 4" in out.getvalue()
    assert "kept 7" in out.getvalue()
    call_command("check_counts", "peaks", "--again", stdout=out)
    assert overview.study_contents(peaks).questions == 2


def test_a_worker_looks_after_what_nobody_looks_at(peaks, monkeypatch):
    told = []
    monkeypatch.setattr("annotate.content.counts.changes.send", lambda *sent: told.append(sent))
    counts.sweep(timezone.now())
    assert [sent[2] for sent in told] == [peaks.pk]
    Changed.objects.create(study_id=10**9, response_id=1)
    counts.sweep(timezone.now())
    assert not Changed.objects.filter(study_id=10**9).exists()
    assert len(told) == 1  # a moment ago


def test_a_study_that_is_removed_leaves_no_counts(peaks, settings):
    overview.study_contents(peaks)
    deletion.remove_now(removal := deletion.delete_study(peaks))
    deletion.work(removal.pk)
    for model in (Changed, ResponseCounts, Sum):
        assert not model.objects.filter(study_id=peaks.pk).exists()


def test_of_many_answers_a_worker_says_how_sure_alpha_is_and_when(peaks, monkeypatch):
    told = []
    monkeypatch.setattr(batch_agreement, "FEW", 0)
    monkeypatch.setattr(background_figures, "send_message", lambda *sent: told.append(sent))
    made = create_batch(peaks, name="All", raters_per_item=2, dimensions=["citation_recall"])
    open_batch(made)
    for name, value in (("one", "yes"), ("two", "no"), ("three", "yes")):
        judge = rater(peaks, name)
        task = assignments.next_task(made, judge)
        assert isinstance(task, Assignment)
        for step in steps_of(made, task.item):
            answering.save_answer(task, step, value=value)
        answering.finish(task)
    [row] = batch_agreement.agreement(made)
    assert row.units > 0
    assert row.interval.reason in {"it is being computed", row.alpha.reason}
    assert [sent[2] for sent in told] == [made.pk]
    refresh_agreement(made.pk)
    [row] = batch_agreement.agreement(made)
    assert row.as_of is None
    change_standing(Judge.objects.get(name="two"), Judge.Standing.EXCLUDED, reason="So")
    [row] = batch_agreement.agreement(made)
    assert row.as_of == BatchAgreement.objects.get(batch=made).made_at
    assert len(told) == 1  # it was told a moment ago


def test_of_many_answers_a_worker_says_how_a_rater_drifts_and_when(peaks, monkeypatch):
    told = []
    monkeypatch.setattr(drift, "FEW", 0)
    monkeypatch.setattr(background_figures, "send_message", lambda *sent: told.append(sent))
    rows = [
        judgment("s1", "citation_recall", value, judge=name, question_id="q1")
        for name, value in (("ann", "yes"), ("ben", "no"))
    ]
    load_judgments(peaks, rows)
    ann = Judge.objects.get(name="ann")
    assert raters.rater(ann).drift == drift.Drift((), None, is_of_now=False)
    assert [sent[::2] for sent in told] == [("evaluation.refresh_drift", ann.pk)]
    refresh_drift(ann.pk)
    shown = raters.rater(ann).drift
    assert shown.is_of_now
    [part] = shown.periods
    assert (part.others.units, part.others.value) == (1, 0.5)
    Judgment.objects.filter(judge__name="ben").update(value="yes")
    assert raters.rater(ann).drift == replace(shown, is_of_now=False)
    assert len(told) == 1  # it was computed a moment ago
    refresh_drift(ann.pk)
    [part] = raters.rater(ann).drift.periods
    assert part.others.value == 1.0


def test_a_change_that_is_not_saved_is_not_noted(peaks):
    counts.catch_up(peaks)
    Batch.objects.filter(study=peaks).update(name="x")
    System.objects.filter(study=peaks).update(description="x")
    assert not Changed.objects.filter(study_id=peaks.pk).exists()


def test_leftovers_of_a_deleted_study_hide_no_change(peaks):
    """Numbers of responses come again where a database was emptied."""
    counts.catch_up(peaks)
    for key in peaks.responses.values_list("pk", flat=True):
        Changed.objects.create(study_id=0, response_id=key)
    batch = create_batch(peaks, name="After")
    assert counts.kept(peaks).of("work", batch.pk)["rated:0"] == batch.items.count()


def test_a_unit_more_is_noted_each_time_after_its_response_was_counted(peaks):
    whole = Unit.objects.filter(response__study=peaks, key="r")[0]
    for number in (91, 92):
        counts.catch_up(peaks)
        for part in ("a", "b"):
            span = {"start": 0, "end": 1, "ordinal": number, "key": f"s{number}{part}"}
            Unit.objects.create(response=whole.response, parent=whole, kind="statement", **span)
        noted = Changed.objects.filter(study_id=peaks.pk)
        assert {*noted.values_list("response_id", flat=True)} == {whole.response_id}
        assert connection.vendor == "postgresql" or noted.count() == 1
    Unit.objects.filter(key="s91a").delete()
    assert not [*differences(peaks)]
