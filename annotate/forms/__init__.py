"""The forms that pages show."""

from annotate.forms.accounts import AccountForm, ResetLinkForm, SignUpForm, TokenForm
from annotate.forms.adjudication import DecisionForm, DisputeFilterForm
from annotate.forms.admission import AdmissionForm
from annotate.forms.audit_log import AuditLogFilterForm
from annotate.forms.batches import BatchTermsForm, NewBatchForm
from annotate.forms.examples import ExampleForm
from annotate.forms.leaving import LeaveForm, RepeatForm
from annotate.forms.members import InvitationForm, RoleForm
from annotate.forms.responses import ResponseFilterForm
from annotate.forms.studies import (
    DeleteStudyForm,
    GuidelinesForm,
    NewStudyForm,
    StudySettingsForm,
    SystemForm,
)
from annotate.forms.talk import AnswerForm
from annotate.forms.uploads import UploadForm, UploadNamesForm

__all__ = [
    "AccountForm",
    "AdmissionForm",
    "AnswerForm",
    "AuditLogFilterForm",
    "BatchTermsForm",
    "DecisionForm",
    "DeleteStudyForm",
    "DisputeFilterForm",
    "ExampleForm",
    "GuidelinesForm",
    "InvitationForm",
    "LeaveForm",
    "NewBatchForm",
    "NewStudyForm",
    "RepeatForm",
    "ResetLinkForm",
    "ResponseFilterForm",
    "RoleForm",
    "SignUpForm",
    "StudySettingsForm",
    "SystemForm",
    "TokenForm",
    "UploadForm",
    "UploadNamesForm",
]
