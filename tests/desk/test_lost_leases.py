"""Three raters in their browsers, whose leases end at random: the labels are those of the finished
ratings alone."""

import random
from collections import defaultdict
from typing import Any

import pytest

from annotate.content.judgments import judge_of
from annotate.models import Assignment, Judgment
from evaluation.labels.study_labels import Method, labels
from tests.annotate.claiming import lapse
from tests.annotate.loading import load, response
from tests.annotate.rating import answer, at, finish, open_work, rater_in, take

pytestmark = pytest.mark.django_db

QUESTIONS = {"r:utility": "12345", "s1:citation_recall": ("yes", "no")}
HTMX = {"hx-request": "true"}


class Rater:
    def __init__(self, client, batch, user, chance):
        self.client, self.batch, self.chance = client, batch, chance
        self.judge = judge_of(batch.study, user)
        self.page: Any = None
        """The task that is open in the browser, whether it is still theirs or not."""

        self.late = 0

    def acts(self):
        if self.page is None or self.chance.random() < 0.1:
            begun = self.client.post(f"/studies/peaks/desk/{self.batch.pk}/next/").url
            if "/tasks/" not in begun:
                self.page = None
                return
            self.page = take(self.client, self.batch)
        act = self.chance.choice([self.answers, self.answers, self.answers, self.finishes,
                                  self.is_away, self.is_there, self.leaves])  # fmt: skip
        act()

    def answers(self):
        for step, values in QUESTIONS.items():
            reply = answer(self.client, self.page, step, self.chance.choice(values))
            assert reply.status_code == 200
            self.page.refresh_from_db()
            is_lost = b"data-lost" in reply.content
            assert is_lost != self.page.holds_place
            self.late += is_lost

    def finishes(self):
        reply = finish(self.client, self.page)
        if reply.status_code == 200:
            self.page = None

    def is_away(self):
        lapse(self.page)

    def is_there(self):
        self.client.post(at(self.page, "task-alive"), {}, headers=HTMX)

    def leaves(self):
        if self.chance.random() < 0.3:
            self.client.post(at(self.page, "task-give-back"))
            self.page = None


@pytest.mark.parametrize("seed", [1, 2, 6, 7])
def test_labels_are_those_of_the_finished_ratings(signed_in, study, seed):
    chance = random.Random(seed)
    load(study, [response("It is high [1].", question_id=f"q{n}", question="?") for n in range(3)])
    batch = open_work(
        study, raters_per_item=2, dimensions=["utility", "citation_recall"], seed=seed
    )
    users = [rater_in(study, name) for name in ("nina", "otto", "pia")]
    raters = [Rater(signed_in(user), batch, user, chance) for user in users]
    for _ in range(80):
        chance.choice(raters).acts()
    votes = defaultdict(list)
    for task in Assignment.objects.filter(batch=batch, state="done").select_related("item"):
        given = Judgment.objects.filter(
            judge=task.judge_id, unit__response=task.item.response_id
        ).select_related("unit")
        assert len(given) == len(QUESTIONS)
        for row in given:
            votes[task.item.response_id, row.unit.key, row.dimension].append(row.value)
    assert 0 < len(votes) <= 6
    found = {
        (label.response, label.key, label.dimension): (label.value, label.note)
        for label in labels(study, Method.MAJORITY)
    }
    assert found.keys() == votes.keys()
    for place, said in votes.items():
        value, note = found[place]
        # Of one or two votes the lower one is the label, on either scale.
        lower = min(said) if place[2] == "utility" else "yes" if set(said) == {"yes"} else "no"
        assert value == lower
        assert note.endswith(f"of {len(said)} votes")
    assert sum(rater.late for rater in raters) > 0
