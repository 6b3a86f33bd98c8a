"""The form of a batch's terms of admission."""

from typing import Any

from django import forms

from annotate.models import Admission, Batch
from annotate.people.admission import terms_of

MOST_BYTES = 5_000_000


class AdmissionForm(forms.ModelForm[Admission]):
    ids = forms.CharField(
        label="Ids, one per line",
        required=False,
        max_length=MOST_BYTES,
        widget=forms.Textarea(attrs={"rows": 8, "class": "code"}),
    )
    file = forms.FileField(
        label="Or a text file with one id per line",
        required=False,
        help_text="The file replaces the list.",
    )
    token = forms.CharField(
        label="Prolific API token",
        required=False,
        max_length=500,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text="Stored encrypted, sent only to Prolific and never shown.",
    )

    class Meta:
        model = Admission
        fields = ["rule", "prolific_study", "own_codes"]
        widgets = {"rule": forms.RadioSelect}
        labels = {
            "rule": "Who may come by the link",
            "prolific_study": "Id of the study on Prolific",
            "own_codes": "Everybody gets a completion code of their own",
        }
        help_texts = {
            "prolific_study": "In its address there, after /studies/.",
            "own_codes": "The batch's code with eight signs after it, which no two people share. "
            "Not for Prolific, which expects one code.",
        }

    def __init__(self, batch: Batch, data: Any = None, files: Any = None) -> None:
        terms = terms_of(batch)
        super().__init__(data, files, instance=terms)
        self.hashes = bool(batch.study.sealed_id_key)
        if terms.sealed_token:
            self.fields["token"].help_text += " Empty: the token that is kept."
        listed = batch.admitted.values_list("external_id", flat=True)
        if self.hashes:
            self.fields[
                "ids"
            ].help_text = (
                f"{len(listed):,} are kept, as digests. What you give here takes their place."
            )
        else:
            self.fields["ids"].initial = "\n".join(listed)

    def clean_file(self) -> list[str] | None:
        file = self.cleaned_data["file"]
        if file is None:
            return None
        if file.size > MOST_BYTES:
            raise forms.ValidationError(f"At most {MOST_BYTES:,} bytes.")
        try:
            return str(file.read().decode("utf-8-sig")).splitlines()
        except UnicodeDecodeError:
            raise forms.ValidationError("Expected a text file in UTF-8, one id a line.") from None

    def terms(self) -> dict[str, Any]:
        given = self.cleaned_data
        ids = given["file"]
        if ids is None and (given["ids"].strip() or not self.hashes):
            ids = given["ids"].splitlines()
        return {
            "rule": given["rule"],
            "own_codes": given["own_codes"],
            "prolific_study": given["prolific_study"],
            "token": given["token"].strip() or None,
            "ids": ids,
        }
