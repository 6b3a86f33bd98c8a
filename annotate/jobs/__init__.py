"""Work in the background: one protocol for everything that workers do.

A row of the database is the work, and says how it stands; a message only says where to look. A
worker claims the row under a lease and renews it; work whose worker died is taken up by another,
and given up when it has killed three.
"""

from annotate.jobs.doing import work
from annotate.jobs.kinds import Kind, swept
from annotate.jobs.leased import LEASE, MOST_DEATHS, MOST_TRIES, PATIENCE
from annotate.jobs.leases import Holding, LeaseLost, ask_once_more, claim
from annotate.jobs.sending import send, send_row
from annotate.jobs.sweeping import free_what_died_here, look_after, look_after_rows, silent_before
from annotate.jobs.turns import in_turn
from annotate.jobs.workers import (
    arrive,
    beat,
    leave,
    living,
    places,
    serving,
    this_worker,
    worker_name,
)
