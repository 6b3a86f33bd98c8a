"""Where people agree less than somebody wants to know of."""

from collections.abc import Iterator, Mapping
from typing import Any

from annotate.models import Batch, Webhook
from annotate.studies.webhooks import watched
from evaluation.labels.batch_agreement import agreement


@watched("agreement.fell")
def fallen(webhook: Webhook) -> Mapping[str, Mapping[str, Any]]:
    """The questions of batches on which alpha is below the mark; what is undefined is not."""
    return {f"{one['batch']} {one['dimension']}": one for one in _below(webhook)}


def _below(webhook: Webhook) -> Iterator[dict[str, Any]]:
    batches = webhook.study.batches.work().exclude(state=Batch.State.DRAFT)
    for batch in batches.select_related("study"):
        for row in agreement(batch):
            alpha = row.alpha.value
            if alpha is not None and webhook.mark is not None and alpha < webhook.mark:
                of = {"batch": batch.pk, "name": batch.name, "dimension": row.dimension.key}
                yield {**of, "alpha": float(alpha), "mark": webhook.mark, "units": row.units}
