"""The message of `manage.py serve` when Attest answers: its address and demo accounts."""

import time
from collections.abc import Callable

from config.serving import probe
from config.serving.address import Address

SLOW_START_SECONDS = 60


class Greeting:
    def __init__(self, where: Address, *, demo: bool, say: Callable[[str], None]) -> None:
        self.where = where
        self.demo = demo
        self.say = say
        self.given = False
        self.warned = False
        self.started = time.monotonic()

    def give_once(self) -> None:
        if self.given:
            return
        fault = probe.fault(self.where)
        if not fault:
            self.given = True
            self.say(greeting(self.where, demo=self.demo))
        elif not self.warned and time.monotonic() - self.started > SLOW_START_SECONDS:
            self.warned = True
            self.say(f"Still starting. {fault}")


def greeting(where: Address, *, demo: bool) -> str:
    lines = ["", f"Attest is running at {where.url}  (Ctrl-C stops it)", ""]
    lines += demo_lines() if demo else ["First: sign in and open Studies."]
    return "\n".join([*lines, ""])


def demo_lines() -> list[str]:
    from annotate.web.demo_accounts import DEMO_ACCOUNTS

    wide = max(len(username) for username, _, _ in DEMO_ACCOUNTS)
    return [
        "Demo accounts (name, password, role):",
        *(f"  {username:{wide}}  {password}  {role}" for username, password, role in DEMO_ACCOUNTS),
        "",
        f"First: sign in as {DEMO_ACCOUNTS[0][0]} and open the demo study.",
    ]
