"""Raters at the desk, as their browsers send it: with the page's script and without."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from tests.golden.doors import CITED, SHORT, Kept, Visitor, rows
from tests.golden.stillness import CLOCK

STEP = re.compile(r'<section class="step" id="step-[^"]+" data-step="([^"]+)"(.*?)</section>', re.S)
CHOICE = re.compile(r'name="value" value="([^"]+)"')
PASSAGES = re.compile(r'data-passages="(\d+)')
MOST_STEPS = 80
ONE_BY_ONE = "One unit at a time"
SEVERAL = "Demo: try the rating form"


class Question(NamedTuple):
    """What a form asks: the step's key, its choices, and the first passage beside it, if any."""

    key: str
    choices: list[str]
    passage: str


def rate_the_demo(kept: Kept) -> None:
    """Every demo batch is rated a little; each page on the way is kept."""
    kept.command(
        "rating/create_batch", "create_batch", CITED, ONE_BY_ONE, "--sample", 2, "--seed", 3,
        "--granularity", "unit", "--order", "together", "--raters", 2, "--open",
    )  # fmt: skip
    desk = {batch.name: f"/studies/{batch.study.slug}/desk/{batch.pk}/" for batch in _batches()}
    for number, username in enumerate(("rater1", "rater2", "rater3")):
        rater = Rater(kept, username, number)
        for name, path in desk.items():
            rater.visitor.get(f"rating/{username}", path, called=f"/{name}/before")
            if username == "rater3" and name == SEVERAL:
                continue  # two make a dispute, and its many questions take long
            for task in range(2 if "short" in name or name == ONE_BY_ONE else 1):
                rater.do_task(path, f"{name}/{task + 1}")
            rater.visitor.get(f"rating/{username}", path, called=f"/{name}/after")
    WithScript(kept).work(desk[ONE_BY_ONE])


def _batches() -> Iterator[Any]:
    yield from rows("Batch").filter(state="open", study__slug__in=(CITED, SHORT))


class Rater:
    """Answers without the page's script: one question after the other, a form for each."""

    def __init__(self, kept: Kept, username: str, number: int) -> None:
        self.visitor = Visitor(kept, username)
        self.name, self.number = username, number

    def do_task(self, desk: str, called: str) -> None:
        """The next task from its first question to its end; all pages are the first rater's,
        of the others only the first and the last."""
        task, _ = self.visitor.post(f"rating/{self.name}/{called}/next", f"{desk}next/", {})
        if "/desk/tasks/" not in task:
            return
        answered: set[str] = set()
        for at in range(MOST_STEPS):
            page = self._page(task, f"{called}/{at:02}", keeps=self.number == 0 or at == 0)
            step = open_step(page)
            if step is None or step.key in answered:  # a short task shows its question for good
                break
            self._answer(task, step, at)
            self._mark(task, step, at)
            answered.add(step.key)
        self.visitor.get(f"rating/{self.name}", f"{task}?step=end", called=f"/{called}/end")
        after, _ = self.visitor.post(f"rating/{self.name}/{called}/finish", f"{task}finish/", {})
        if "/feedback/" in after:
            self.visitor.get(f"rating/{self.name}", after, called=f"/{called}/feedback")

    def _page(self, task: str, called: str, *, keeps: bool) -> str:
        if keeps:
            return self.visitor.get(f"rating/{self.name}", task, called=f"/{called}")
        return self.visitor.client.get(task).content.decode()

    def _answer(self, task: str, asked: Question, at: int) -> None:
        CLOCK.pass_minutes(1)
        sent = {"step": asked.key, "edit": f"{self.name}-{task[-6:]}-{at}", "seconds": 7.5 + at}
        if at % 11 == 5:
            sent["skip"] = "I cannot tell from the passages"
        else:
            sent["value"] = asked.choices[(at // 3 * self.number) % len(asked.choices)]
        if at % 7 == 2:
            sent["note"] = f"A note of {self.name}, with “quotes”, a comma and\na second line."
        self._send(f"{task}answer/", sent)

    def _mark(self, task: str, asked: Question, at: int) -> None:
        """A stretch of a passage now and then, and a flag."""
        if asked.passage and at % 3 == 0:
            sent = {"step": asked.key, "source": asked.passage, "start": at, "end": at + 20}
            self._send(f"{task}evidence/", sent)
        if at % 9 == 4:
            sent = {"step": asked.key, "reason": "broken", "note": "Cut off."}
            self._send(f"{task}flag/", sent)

    def _send(self, path: str, sent: Mapping[str, object]) -> None:
        answer = self.visitor.client.post(path, dict(sent))
        if answer.status_code != 302:
            raise ValueError(f"{path} {sent}: {answer.status_code} {answer.content.decode()}")


def open_step(page: str) -> Question | None:
    """The question that a task's page shows."""
    for key, section in STEP.findall(page):
        opening = section.partition(">")[0]
        if "hidden" not in opening:
            passage = PASSAGES.search(opening)
            return Question(key, CHOICE.findall(section), passage[1] if passage else "")
    return None


class WithScript:
    """What the page's script sends for one task, and what it is answered."""

    def __init__(self, kept: Kept) -> None:
        self.visitor = Visitor(kept, "rater3")
        self.task = ""

    def work(self, desk: str) -> None:
        self.task, _ = self.visitor.post("script/next", f"{desk}next/", {})
        page = self.visitor.get("script", self.task, called="/task")
        found = open_step(page)
        if found is None:
            raise ValueError("The script's task has no open question.")
        step: dict[str, object] = {"step": found.key}
        answer = step | {"value": found.choices[0], "edit": "script-1", "seconds": 3, "base": ""}
        self._send("answer", "answer/", answer)
        self._send("same answer again", "answer/", answer)
        other = answer | {"value": found.choices[-1], "edit": "script-2", "base": "x"}
        self._send("from another window", "answer/", other)
        self._send("no answer", "answer/", step)
        self._send("another task's question", "answer/", {"step": "s99:utility", "value": "1"})
        self._send("flag", "flag/", step | {"reason": "other", "note": "Something is odd."})
        marked = step | {"source": found.passage or 1, "start": 0, "end": 24}
        self._send("evidence", "evidence/", marked)
        self._send("evidence nowhere", "evidence/", step | {"source": 99, "start": 0, "end": 2})
        self._send("alive", "alive/", {})
        self.visitor.get("script", self.task, called="/task answered")
        self._send("finish", "finish/", {"stop": 1})
        self.task, _ = self.visitor.post("script/next after", f"{desk}next/", {})
        self._send("finish too early", "finish/", {})
        self.visitor.post("script/give back", f"{self.task}back/", {})

    def _send(self, called: str, where: str, data: Mapping[str, object]) -> None:
        self.visitor.post(f"script/{called}", f"{self.task}{where}", data, part=True)
