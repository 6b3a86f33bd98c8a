"""Work in the background: one protocol for everything that workers do.

A row of the database is the work, and says how it stands; a message only says where to look. A
worker claims the row under a lease and renews it; work whose worker died is taken up by another,
and given up when it has killed three.
"""

from annotate.work.jobs.doing import work
from annotate.work.jobs.kinds import Kind, swept
from annotate.work.jobs.leased import LEASE, MOST_DEATHS, MOST_TRIES, PATIENCE
from annotate.work.jobs.leases import Holding, LeaseLost, ask_once_more, claim
from annotate.work.jobs.sending import send, send_row
from annotate.work.jobs.sweeping import (
    free_what_died_here,
    look_after,
    look_after_rows,
    silent_before,
)
from annotate.work.jobs.turns import in_turn
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
