"""Several workers on one machine."""

from types import SimpleNamespace

from celery.utils.nodenames import default_nodename

from annotate.work.jobs import heartbeat, workers


def test_two_workers_of_one_machine_are_two_nodes(monkeypatch):
    """RabbitMQ gives a node's mailbox to one connection alone; a second one ended at once."""
    usual = default_nodename("")
    monkeypatch.setenv(workers.NAME, "")
    names = set()
    for process in (101, 202):
        monkeypatch.setattr("os.getpid", lambda process=process: process)
        worker = SimpleNamespace(hostname=usual)
        heartbeat.set_worker_name(sender=usual, instance=worker)
        names.add(worker.hostname)
        assert workers.this_worker().startswith(f"{worker.hostname} on ")
    assert len(names) == 2
    named = SimpleNamespace(hostname="gpu@big")
    heartbeat.set_worker_name(sender="gpu@big", instance=named)
    assert named.hostname == "gpu@big", "a name that was given stays"
