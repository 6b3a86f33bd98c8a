"""The studies of one Attest."""

from typing import Any

from attest_client.models import StudyInfo
from attest_client.study import Study
from attest_client.transport import Transport


class Attest(Transport):
    """One Attest, entered with a token.

    `address` and `token` may stand in the environment, as ATTEST_URL and ATTEST_TOKEN.
    """

    def studies(self) -> list[StudyInfo]:
        """Yours, with your role in each."""
        found = self.every("studies/", "studies")
        return [StudyInfo.model_validate(one) for one in found]

    def study(self, slug: str) -> Study:
        """One of them. Nothing is asked yet."""
        return Study(self, slug)

    def make_study(self, name: str, *, preset: str = "", **settings: Any) -> Study:
        """A new study, which is yours."""
        sent = {"name": name, **({"preset": preset} if preset else {}), **settings}
        answer = self.ask("POST", "studies/", sent=sent)
        return self.study(answer.json()["slug"])
