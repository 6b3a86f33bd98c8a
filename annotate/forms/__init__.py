"""The forms that pages show."""

from annotate.forms.accounts import AccountForm, ResetLinkForm, SignUpForm, TokenForm
from annotate.forms.adjudication import DecisionForm, DisputeFilterForm
from annotate.forms.admission import AdmissionForm
from annotate.forms.batch_designs import LikeForm, begun_like
from annotate.forms.batches import BatchTermsForm, NewBatchForm
from annotate.forms.leaving import LeaveForm, RepeatForm
from annotate.forms.mapping import MappingForm
from annotate.forms.members import InvitationForm, RoleForm
from annotate.forms.responses import NoteForm, ResponseFilterForm
from annotate.forms.studies import (
    CopyStudyForm,
    DeleteStudyForm,
    GuidelinesForm,
    NewStudyForm,
    StudySettingsForm,
    SystemForm,
)
from annotate.forms.talk import AnswerForm, ExampleForm
from annotate.forms.uploads import UploadForm, UploadNamesForm
from annotate.forms.webhooks import WebhookForm
