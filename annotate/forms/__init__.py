"""The forms that pages show."""

from annotate.forms.accounts import AccountForm, PasswordForm, SignInForm, SignUpForm, TokenForm
from annotate.forms.members import InvitationForm, RoleForm
from annotate.forms.responses import ResponseFilterForm
from annotate.forms.studies import (
    DeleteStudyForm,
    GuidelinesForm,
    NewStudyForm,
    StudySettingsForm,
    SystemForm,
)
from annotate.forms.uploads import UploadForm, UploadNamesForm

__all__ = [
    "AccountForm",
    "DeleteStudyForm",
    "GuidelinesForm",
    "InvitationForm",
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
