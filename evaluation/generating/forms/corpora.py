"""The forms of corpora."""

from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile

from annotate.formats.corpora.reading import WORDS
from evaluation.generating.corpora import LEAST_WORDS, MOST_WORDS
from evaluation.models import Corpus

MOST_FOUND = 100
METHODS = [each for each in Corpus.Method.choices if each[0] != Corpus.Method.OPENSEARCH]


class _Files(forms.ClearableFileInput):
    allow_multiple_selected = True


class FilesField(forms.FileField):
    """A field for several files."""

    widget = _Files

    def clean(self, data: Any, initial: Any = None) -> list[UploadedFile[bytes]]:
        given = data if isinstance(data, (list, tuple)) else [data]
        return [super(FilesField, self).clean(one, initial) for one in given]


class CorpusForm(forms.Form):
    """A corpus's name, files and method of search."""

    name = forms.CharField(max_length=200)
    given = FilesField(
        label="Files",
        help_text=(
            "Passages with an id each (JSON Lines, TSV, CSV, Parquet), or texts, Markdown, HTML "
            "and PDF, which are divided. Several files, or a zip of them."
        ),
    )
    words = forms.IntegerField(
        label="Passage length (words)",
        initial=WORDS,
        min_value=LEAST_WORDS,
        max_value=MOST_WORDS,
        help_text="Of texts that are divided; a passage ends with a sentence.",
    )

    method = forms.ChoiceField(label="Search method", choices=METHODS, initial=METHODS[0][0])
    encoder = forms.CharField(
        label="Sentence encoder",
        max_length=500,
        required=False,
        help_text="The folder of one on the workers' machine, for a search by meaning.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.label_suffix = ""

    def chosen(self) -> dict[str, Any]:
        """Return the arguments of `corpora.receive` from the valid form."""
        files = self.cleaned_data["given"]
        return {**{k: v for k, v in self.cleaned_data.items() if k != "given"}, "files": files}


class SearchForm(forms.Form):
    """A search in a corpus."""

    q = forms.CharField(label="Search", max_length=2_000)
    k = forms.IntegerField(
        label="Number of results", initial=5, min_value=1, max_value=MOST_FOUND, required=False
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.label_suffix = ""
