"""Accounts of the demo studies. The passwords are public: embedded mode only."""

from typing import NamedTuple

from annotate.models import Membership, Role, Study, User


class DemoAccount(NamedTuple):
    username: str
    password: str
    role: str


DEMO_ACCOUNTS = (
    DemoAccount("researcher", "researcher-demo", "researcher and owner of the demo studies"),
    DemoAccount("rater1", "rater-demo", "rater"),
    DemoAccount("rater2", "rater-demo", "rater"),
    DemoAccount("rater3", "rater-demo", "rater"),
)


def make_accounts() -> list[User]:
    """Return the demo accounts and create missing ones. A changed password stays."""
    users = []
    for account in DEMO_ACCOUNTS:
        user, is_new = User.objects.get_or_create(
            username=account.username,
            defaults={
                "name": f"Demo {account.username}",
                "is_researcher": account.username == "researcher",
            },
        )
        if is_new:
            user.set_password(account.password)
            user.save()
        users.append(user)
    return users


def join_demo(study: Study, users: list[User]) -> None:
    """Make the researcher the owner of the study and the others raters."""
    for user in users:
        role = Role.OWNER if user.username == "researcher" else Role.RATER
        Membership.objects.get_or_create(study=study, user=user, defaults={"role": role})
