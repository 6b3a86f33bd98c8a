"""The studies of one Attest."""

from typing import Any

from attest_client._async.study import AsyncStudy
from attest_client._async.transport import AsyncTransport
from attest_client.models import StudyInfo


class AsyncAttest(AsyncTransport):
    """One Attest, entered with a token.

    `address` and `token` may stand in the environment, as ATTEST_URL and ATTEST_TOKEN.
    """

    async def studies(self) -> list[StudyInfo]:
        """Yours, with your role in each."""
        found = self.every("studies/", "studies")
        return [StudyInfo.model_validate(one) async for one in found]

    def study(self, slug: str) -> AsyncStudy:
        """One of them. Nothing is asked yet."""
        return AsyncStudy(self, slug)

    async def make_study(self, name: str, *, preset: str = "", **settings: Any) -> AsyncStudy:
        """A new study, which is yours."""
        sent = {"name": name, **({"preset": preset} if preset else {}), **settings}
        answer = await self.ask("POST", "studies/", sent=sent)
        return self.study(answer.json()["slug"])
