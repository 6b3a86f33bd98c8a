"""The form of a note on a response."""

from django import forms

from annotate.services.notes import MOST_CHARS


class NoteForm(forms.Form):
    text = forms.CharField(
        label="Note", max_length=MOST_CHARS, widget=forms.Textarea(attrs={"rows": 3})
    )
