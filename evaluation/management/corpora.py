"""Finding the corpus that a command names."""

from django.core.management.base import CommandError

from annotate.models import Study
from evaluation.models import Corpus


def find_corpus(study: Study, name: str) -> Corpus:
    found = Corpus.objects.filter(study=study, name=name).first()
    if found is None:
        names = Corpus.objects.filter(study=study).values_list("name", flat=True)
        known = ", ".join(names[:10]) or "none yet"
        raise CommandError(f"There is no corpus “{name}” in this study. Known: {known}.")
    return found
