import pytest

from annotate.web.demo_accounts import DEMO_ACCOUNTS
from config.serving import greeting, probe
from config.serving.address import Address
from config.serving.greeting import Greeting

HERE = Address("127.0.0.1", 8000)


class Server:
    """Stands for the web server: what is wrong with it, and what was said about it."""

    def __init__(self):
        self.fault = "http://127.0.0.1:8000/healthz does not answer"
        self.said = []


@pytest.fixture
def server(monkeypatch):
    server = Server()
    monkeypatch.setattr(probe, "fault", lambda where: server.fault)
    return server


def test_nothing_is_said_before_it_answers_and_then_once(server):
    greets = Greeting(HERE, demo=False, say=server.said.append)
    greets.give_once()
    assert server.said == []
    server.fault = ""
    greets.give_once()
    greets.give_once()
    assert len(server.said) == 1
    assert "Attest is running at http://127.0.0.1:8000" in server.said[0]


def test_a_slow_start_is_said_once_with_its_reason(server, monkeypatch):
    monkeypatch.setattr(greeting, "SLOW_START_SECONDS", -1)
    greets = Greeting(HERE, demo=False, say=server.said.append)
    greets.give_once()
    greets.give_once()
    assert server.said == ["Still starting. http://127.0.0.1:8000/healthz does not answer"]


def test_the_demo_accounts_are_shown_with_what_to_do_first():
    text = greeting.greeting(HERE, demo=True)
    for account in DEMO_ACCOUNTS:
        line = next(line for line in text.splitlines() if line.split()[:1] == [account.username])
        assert line.split(maxsplit=2)[1:] == [account.password, account.role]
    assert f"First: sign in as {DEMO_ACCOUNTS[0].username}" in text
