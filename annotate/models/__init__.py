"""The data model: see docs/architecture.md for the nouns."""

from annotate.models.accounts import Allowance, ApiToken, Scope, SharedCount, User
from annotate.models.audit import AuditChain, AuditEntry, Via
from annotate.models.batch import Batch, BatchItem, still_counts
from annotate.models.content import (
    Candidate,
    Passage,
    Question,
    Response,
    ResponseNote,
    Source,
    System,
    Unit,
    in_slices,
)
from annotate.models.counts import (
    Changed,
    Counting,
    Disputed,
    ResponseCounts,
    SearchedText,
    Sum,
)
from annotate.models.deleting import Deletable, Removal
from annotate.models.inquiries import Inquiry, InquiryMessage
from annotate.models.judging import IMPERSONAL, PEOPLE, Judge, Judgment, PastJudgment
from annotate.models.raters import (
    Admission,
    AdmittedId,
    CrowdTry,
    Enrolment,
    Participant,
    StandingChange,
)
from annotate.models.rating import Assignment, Evidence, Example, Flag, PracticeRound
from annotate.models.study import (
    RESEARCHING,
    GuidelinesVersion,
    Invitation,
    Membership,
    Role,
    Study,
)
from annotate.models.upload import Upload
from annotate.models.webhooks import Delivery, Webhook
from annotate.models.wording import Wording
from annotate.work.jobs.workers import Worker
