"""The forms that pages show."""

from annotate.forms.accounts import AccountForm, PasswordForm, SignInForm, SignUpForm, TokenForm
from annotate.forms.adjudication import DecisionForm, DisputeFilterForm
from annotate.forms.batches import BatchTermsForm, NewBatchForm
from annotate.forms.examples import ExampleForm
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
    "AnswerForm",
    "BatchTermsForm",
    "DecisionForm",
    "DeleteStudyForm",
    "DisputeFilterForm",
    "ExampleForm",
    "GuidelinesForm",
    "InvitationForm",
    "NewBatchForm",
    "NewStudyForm",
    "PasswordForm",
    "ResponseFilterForm",
    "RoleForm",
    "SignInForm",
    "SignUpForm",
    "StudySettingsForm",
    "SystemForm",
    "TokenForm",
    "UploadForm",
    "UploadNamesForm",
]
