"""Objects of the API. Unknown fields of newer servers are kept."""

from typing import Any

from pydantic import BaseModel, ConfigDict

MAX_PROBLEMS = 5


class ApiModel(BaseModel):
    model_config = ConfigDict(extra="allow", frozen=True)


class StudyInfo(ApiModel):
    """One of your studies."""

    slug: str
    name: str
    role: str = ""


class System(ApiModel):
    """A system whose outputs are judged."""

    id: int
    name: str
    description: str = ""


class Upload(ApiModel):
    """An uploaded file with its state and the findings of its check."""

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
        """The share of the file that has been read in the current step."""
        return min(1.0, self.position / self.size) if self.size else 0.0

    @property
    def guess(self) -> Any:
        """The guessed mapping of a table's columns."""
        return (self.columns or {}).get("guess")

    @property
    def said(self) -> str:
        """Return its first problems as text."""
        problems = (self.findings or {}).get("problems", [])
        lines = [str(one["text"]) for one in problems[:MAX_PROBLEMS]]
        if len(problems) > MAX_PROBLEMS:
            lines.append(f"{self.findings['problem_count'] - MAX_PROBLEMS} more")
        return "\n".join([self.error or f"The upload is {self.state}.", *lines])


class Batch(ApiModel):
    """Work for raters."""

    id: int
    name: str
    state: str
    tasks: int = 0
    ratings: int = 0
    ratings_wanted: int = 0


class Assignment(ApiModel):
    """A rater's task."""

    id: int
    item: int
    response: int
    unit: str
    judge: int
    name: str
    state: str
    done_at: str | None = None


class Judge(ApiModel):
    """A person or an automatic judge."""

    id: int
    name: str
    kind: str
    standing: str = ""
    title: str = ""
    caution: str = ""


class Run(ApiModel):
    """A run of an automatic judge."""

    id: int
    state: str
    error: str = ""
    share_done: float = 0.0
    notice: str = ""


class Response(ApiModel):
    """One answer of a system to a question."""

    id: int
    system: str
    question_id: str
    question: str
    run: str = ""
