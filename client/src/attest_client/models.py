"""What Attest tells. What a newer server says beside is kept, too."""

from typing import Any

from pydantic import BaseModel, ConfigDict

MOST_TOLD = 5


class Told(BaseModel):
    """One object as JSON has it."""

    model_config = ConfigDict(extra="allow", frozen=True)


class StudyInfo(Told):
    """One of your studies."""

    slug: str
    name: str
    role: str = ""


class System(Told):
    """A system whose outputs are judged."""

    id: int
    name: str
    description: str = ""


class Upload(Told):
    """A file that was brought: how it stands, and what its check found."""

    id: int
    state: str
    format: str = ""
    error: str = ""
    findings: Any = None
    result: Any = None
    columns: Any = None
    mapping: Any = None
    size: int = 0
    position: int = 0

    @property
    def share_done(self) -> float:
        """How much of the file its check, or its loading, has read."""
        return min(1.0, self.position / self.size) if self.size else 0.0

    @property
    def guess(self) -> Any:
        """Of a table, what its columns seem to be."""
        return (self.columns or {}).get("guess")

    @property
    def said(self) -> str:
        """What is wrong with it, as far as it goes into a few lines."""
        found = (self.findings or {}).get("problems", [])
        told = [str(one["text"]) for one in found[:MOST_TOLD]]
        if len(found) > MOST_TOLD:
            told.append(f"{self.findings['problem_count'] - MOST_TOLD} more")
        return "\n".join([self.error or f"The upload is {self.state}.", *told])


class Batch(Told):
    """Work for raters."""

    id: int
    name: str
    state: str
    tasks: int = 0
    ratings: int = 0
    ratings_wanted: int = 0


class Assignment(Told):
    """One task as one rater has it."""

    id: int
    item: int
    response: int
    unit: str
    judge: int
    name: str
    state: str
    done_at: str | None = None


class Judge(Told):
    """Whoever or whatever judges."""

    id: int
    name: str
    kind: str
    standing: str = ""
    title: str = ""
    caution: str = ""


class Run(Told):
    """A run of an automatic judge."""

    id: int
    state: str
    error: str = ""
    share_done: float = 0.0
    notice: str = ""


class Response(Told):
    """One answer of a system to a question."""

    id: int
    system: str
    question_id: str
    question: str
    run: str = ""
