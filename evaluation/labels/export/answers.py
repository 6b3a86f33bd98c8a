"""The answers in a published format: one label of people's, and one automatic judge's."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from annotate.formats.limits import NAME_CHARS
from annotate.formats.published_writing import BothAnswers
from annotate.models import Judge, Judgment, Response, Study, System, in_slices
from evaluation.labels.study_labels import Method, labels_of


@dataclass(frozen=True, slots=True)
class AnswerSource:
    """The judge, the dimensions and the responses of a file, and how people's label is made."""

    study: Study
    dimensions: tuple[str, ...]
    judge: Judge | None
    method: Method
    slices: Sequence[str]

    def responses(self) -> QuerySet[Response]:
        """The responses to write."""
        some = in_slices(self.study, self.slices)
        return Response.objects.current().filter(some, study=self.study)

    def about(
        self, responses: Sequence[Response]
    ) -> dict[tuple[int, str], tuple[BothAnswers, float]]:
        """Return both answers by response and unit, with the automatic score, or -1 without one."""
        keys = [response.pk for response in responses]
        people = {
            (label.response, label.key): label.value
            for label in labels_of(self.study, keys, self.method)
            if label.dimension in self.dimensions
        }
        given = (
            Judgment.objects.current()
            .filter(unit__response__in=keys, dimension__in=self.dimensions)
            .exclude(value="")
        )
        published = given.filter(judge__study=self.study, judge__kind=Judge.Kind.MAJORITY)
        for response, unit, value in published.order_by("judge__name").values_list(
            "unit__response_id", "unit__key", "value"
        ):
            people.setdefault((response, unit), value)
        automatic: dict[tuple[int, str], tuple[str, float]] = {}
        if self.judge is not None:
            # An automatic score of a system that uses the metric is never shown.
            hidden = {response.pk for response in responses if response.system.uses_autoais}
            for response, unit, value, score in given.filter(judge=self.judge).values_list(
                "unit__response_id", "unit__key", "value", "score"
            ):
                if response not in hidden:
                    automatic[response, unit] = (value, -1.0 if score is None else score)
        found = {}
        for place in people.keys() | automatic.keys():
            value, score = automatic.get(place, ("", -1.0))
            found[place] = (BothAnswers(people.get(place, ""), value), score)
        return found


def system_names(study: Study) -> dict[tuple[int, str], str]:
    """Return names of systems for formats without runs: each of several runs has a name.

    A name that is too long or taken is cut and numbered.
    """
    runs: dict[int, list[str]] = defaultdict(list)
    rows = Response.objects.current().filter(study=study).order_by("system", "run")
    for system, run in rows.values_list("system", "run").distinct():
        runs[system].append(run)
    titles = dict(System.objects.filter(pk__in=runs).values_list("pk", "name"))
    found = {(system, own[0]): titles[system] for system, own in runs.items() if len(own) == 1}
    taken = set(titles.values())
    for system, own in runs.items():
        for run in own if len(own) > 1 else ():
            name = whole = f"{titles[system]} (run {run})" if run else titles[system]
            number = 1
            while len(name) > NAME_CHARS or (run and name in taken):
                number += 1
                end = f" ({number})"
                name = whole[: NAME_CHARS - len(end)] + end
            taken.add(name)
            found[system, run] = name
    return found
