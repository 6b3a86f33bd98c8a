"""Whether what is kept is what there is: everything is counted anew and compared."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from django.db import transaction
from django.db.models import Model

from annotate.models import Response, ResponseCounts, Study, Sum
from annotate.services.counts.folding import AT_ONCE, catch_up, hold
from annotate.services.counts.parts import Found, counts_of, kinds_of_rows

MOST = 20
"""Differences that are told."""


def differences(study: Study) -> Iterator[str]:
    """What is kept otherwise than it is counted now, in words. Others may write meanwhile: some
    responses at a time are counted while nothing is taken in, after all that was noted of them."""
    catch_up(study)
    last = 0
    keys = Response.objects.filter(study=study).order_by("pk").values_list("pk", flat=True)
    while some := [*keys.filter(pk__gt=last)[:AT_ONCE]]:
        last = some[-1]
        with transaction.atomic():
            hold(study)
            catch_up(study)
            found, rows = counts_of(study, some)
            told = _rows(some, rows)
            kept = dict(ResponseCounts.objects.filter(pk__in=some).values_list("pk", "counts"))
        yield from told
        for key in some:
            yield from _apart(f"response {key}", kept.get(key, {}), found.get(key, {}))
    with transaction.atomic():
        hold(study)
        catch_up(study)
        yield from _sums(study)


def _rows(keys: list[int], found: Iterable[Model]) -> list[str]:
    """Rows that are kept and are not there, or the other way round."""

    def told(rows: Iterable[Model]) -> set[str]:
        names = [field.attname for field in kind._meta.fields if not field.primary_key]
        return {f"{row}: {[getattr(row, name) for name in names]}" for row in rows}

    apart = []
    for kind in kinds_of_rows():
        kept = told(kind.objects.filter(response_id__in=keys))
        there = told(row for row in found if isinstance(row, kind))
        apart += [f"kept {row}" for row in sorted(kept - there)]
        apart += [f"not kept {row}" for row in sorted(there - kept)]
    return apart


def _sums(study: Study) -> Iterator[str]:
    """What the sums are otherwise than what responses come to together."""
    together: Found = defaultdict(dict)
    rows = ResponseCounts.objects.filter(study_id=study.pk).values_list("counts", flat=True)
    for counts in rows.iterator():
        for place, names in counts.items():
            into = together[place]
            for name, number in names.items():
                add = max if name.startswith("^") else int.__add__
                into[name] = add(into[name], number) if name in into else number
    kept = {f"{row.part}:{row.of}": row.counts for row in Sum.objects.filter(study_id=study.pk)}
    yield from _apart("the study", kept, together)


def _apart(whose: str, kept: Found, found: Found) -> Iterator[str]:
    for place in sorted(kept.keys() | found.keys()):
        before, after = kept.get(place, {}), found.get(place, {})
        for name in sorted(before.keys() | after.keys()):
            if before.get(name) != after.get(name):
                yield (
                    f"{whose}, {place}, {name}: kept {before.get(name)}, counted {after.get(name)}"
                )
