"""What rests on references goes when they change: a run computes it again, as what is missing."""

from collections.abc import Collection, Iterator

from annotate.models import Judge, Response, Study
from annotate.services.uploads.references import BATCH, when_references_change
from evaluation.judges import JUDGES
from evaluation.models import Measure, Shard


@when_references_change
def drop_measures(study: Study, questions: Collection[int]) -> dict[str, int]:
    """Drop the measures of judges that read references, of the answers to some questions; of a
    judge that compares whole systems, all of the systems that answered one. Says of how many
    responses, by judge."""
    readers = {name for name, spec in JUDGES.items() if spec.reads_references}
    _begin_again(study, readers)
    dropped = {}
    for judge in study.judges.filter(kind=Judge.Kind.AUTOMATIC):
        name = judge.name.partition("|")[0]
        if name not in readers:
            continue
        count = sum(
            _drop(judge, some)
            for some in _responses(study, questions, whole=JUDGES[name].of_whole_systems)
        )
        if count:
            dropped[judge.name] = count
    return dropped


def _begin_again(study: Study, readers: Collection[str]) -> None:
    """A part that is worked on has read the earlier references. Nor is one begun, or a run started,
    before the new ones can be read."""
    Study.every.select_for_update(no_key=True).get(pk=study.pk)
    parts = Shard.objects.filter(run__study=study, run__judge_name__in=readers)
    waiting = parts.filter(state__in=[Shard.State.WAITING, Shard.State.WORKING]).order_by("pk")
    list(waiting.select_for_update(of=("self",), no_key=True).values_list("pk", flat=True))
    parts.filter(state=Shard.State.WORKING).update(
        state=Shard.State.WAITING, lease_token="", lease_until=None, sent_at=None
    )


def _responses(study: Study, questions: Collection[int], *, whole: bool) -> Iterator[list[int]]:
    """The keys of the responses, some at a time."""
    keys, found = sorted(questions), list[int]()
    for first in range(0, len(keys), BATCH):
        rows = Response.objects.filter(question__in=keys[first : first + BATCH])
        found += rows.values_list("pk", flat=True)
    if whole:
        systems: set[int] = set()
        for first in range(0, len(found), BATCH):
            some = Response.objects.filter(pk__in=found[first : first + BATCH]).order_by()
            systems.update(some.values_list("system", flat=True).distinct())
        rows = Response.objects.filter(study=study, system__in=systems)
        found = list(rows.values_list("pk", flat=True))
    for first in range(0, len(found), BATCH):
        yield found[first : first + BATCH]


def _drop(judge: Judge, responses: Collection[int]) -> int:
    """Of how many of them."""
    own = Measure.objects.filter(judge=judge, response__in=responses)
    count = own.order_by().values("response").distinct().count()
    own._raw_delete(own.db)
    return count
