"""Compare the kept counts with a fresh count of everything."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from django.db import transaction
from django.db.models import Model

from annotate.content.counts.changes import AT_ONCE, catch_up, lock
from annotate.content.counts.parts import Found, counts_of, row_models
from annotate.models import Response, ResponseCounts, Study, Sum

LIMIT = 20
"""The most differences that the command names."""


def differences(study: Study) -> Iterator[str]:
    """Yield each difference as a sentence.

    People may work meanwhile. Responses are compared in batches under the lock, after all changes
    were applied.
    """
    catch_up(study)
    last = 0
    keys = Response.objects.filter(study=study).order_by("pk").values_list("pk", flat=True)
    while some := [*keys.filter(pk__gt=last)[:AT_ONCE]]:
        last = some[-1]
        with transaction.atomic():
            lock(study)
            catch_up(study)
            counts, rows = counts_of(study, some)
            found = _of_rows(some, rows)
            kept = dict(ResponseCounts.objects.filter(pk__in=some).values_list("pk", "counts"))
        yield from found
        for key in some:
            yield from _of_counts(f"response {key}", kept.get(key, {}), counts.get(key, {}))
    with transaction.atomic():
        lock(study)
        catch_up(study)
        yield from _of_sums(study)


def _of_rows(keys: list[int], rows: Iterable[Model]) -> list[str]:
    def described(some: Iterable[Model]) -> set[str]:
        names = [field.attname for field in model._meta.fields if not field.primary_key]
        return {f"{row}: {[getattr(row, name) for name in names]}" for row in some}

    found = []
    for model in row_models():
        kept = described(model.objects.filter(response_id__in=keys))
        fresh = described(row for row in rows if isinstance(row, model))
        found += [f"kept {row}" for row in sorted(kept - fresh)]
        found += [f"not kept {row}" for row in sorted(fresh - kept)]
    return found


def _of_sums(study: Study) -> Iterator[str]:
    """Compare the sums with the counts of all responses added up."""
    total: Found = defaultdict(dict)
    rows = ResponseCounts.objects.filter(study_id=study.pk).values_list("counts", flat=True)
    for counts in rows.iterator():
        for place, names in counts.items():
            into = total[place]
            for name, number in names.items():
                add = max if name.startswith("^") else int.__add__
                into[name] = add(into[name], number) if name in into else number
    kept = {f"{row.part}:{row.of}": row.counts for row in Sum.objects.filter(study_id=study.pk)}
    yield from _of_counts("the study", kept, total)


def _of_counts(whose: str, kept: Found, fresh: Found) -> Iterator[str]:
    for place in sorted(kept.keys() | fresh.keys()):
        before, after = kept.get(place, {}), fresh.get(place, {})
        for name in sorted(before.keys() | after.keys()):
            if before.get(name) != after.get(name):
                yield (
                    f"{whose}, {place}, {name}: kept {before.get(name)}, counted {after.get(name)}"
                )
