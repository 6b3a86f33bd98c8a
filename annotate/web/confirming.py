"""Forms that confirm permanent deletions."""

from typing import Any

from django import forms


class RepeatForm(forms.Form):
    """A word to type, which prevents accidental deletions."""

    word = forms.CharField(label="Type the name to confirm", max_length=200)

    def __init__(self, word: str, data: Any = None) -> None:
        super().__init__(data)
        self._word = word
        self.fields["word"].help_text = f"Type {word}"

    def clean_word(self) -> str:
        given: str = self.cleaned_data["word"].strip()
        if given != self._word:
            raise forms.ValidationError(f"Type {self._word} to go on.")
        return given


class LeaveForm(RepeatForm):
    REMOVE, PSEUDONYM = "remove", "pseudonym"

    how = forms.ChoiceField(
        label="What to delete",
        choices=[
            (REMOVE, "My account, with my part in all studies"),
            (PSEUDONYM, "My name, address and password alone: researchers see a pseudonym"),
        ],
        widget=forms.RadioSelect,
        initial=REMOVE,
    )
    field_order = ("how", "word")
