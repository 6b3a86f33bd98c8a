"""The data model: see docs/architecture.md for the nouns."""

from annotate.models.accounts import ApiToken, SignInFailure, User
from annotate.models.content import Passage, Question, Response, Source, System, Unit
from annotate.models.judging import Judge, Judgment, PastJudgment
from annotate.models.study import GuidelinesVersion, Invitation, Membership, Role, Study
from annotate.models.upload import Upload

__all__ = [
    "ApiToken",
    "GuidelinesVersion",
    "Invitation",
    "Judge",
    "Judgment",
    "Membership",
    "Passage",
    "PastJudgment",
    "Question",
    "Response",
    "Role",
    "SignInFailure",
    "Source",
    "Study",
    "System",
    "Unit",
    "Upload",
    "User",
]
