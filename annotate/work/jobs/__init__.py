"""Background jobs: one protocol for all work of workers.

A job is a database row with its state; a message only says where to look. A worker claims the row
under a lease and renews it. If the worker dies, another one takes the job over. After three deaths
the job fails.
"""

from annotate.work.jobs.doing import work
from annotate.work.jobs.kinds import Kind, swept
from annotate.work.jobs.leased import LEASE, MOST_DEATHS, MOST_TRIES, PATIENCE
from annotate.work.jobs.leases import (
    Holding,
    LeaseLost,
    claim,
    free_dead_workers,
    retry_stuck,
    silent_before,
    sweep,
    sweep_rows,
)
from annotate.work.jobs.sending import in_turn, send, send_row
from annotate.work.jobs.workers import (
    arrive,
    beat,
    leave,
    living,
    places,
    serving,
    this_worker,
    worker_name,
)
