"""What the web server's settings do before it starts its workers."""

import gc

from config.serving import web


def test_what_is_loaded_before_the_workers_is_not_looked_through_again():
    thresholds = gc.get_threshold()
    try:
        web.when_ready(None)
        assert gc.get_freeze_count() > 100_000
        assert gc.get_threshold() == (web.NEW_OBJECTS, *thresholds[1:])
    finally:
        gc.unfreeze()
        gc.set_threshold(*thresholds)
