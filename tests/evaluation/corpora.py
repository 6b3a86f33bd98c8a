"""Corpora of the tests, made as pages make them."""

import json
from pathlib import Path

from django.core.files.uploadedfile import SimpleUploadedFile

from evaluation.generating import corpora
from evaluation.models import Corpus

CLASSICS = Path(__file__).parents[2] / "fixtures" / "corpus" / "passages.jsonl"
ANIMALS = [
    {"id": "o1", "title": "Owls", "text": "Owls hunt at night."},
    {"id": "f1", "title": "Foxes", "text": "Foxes sleep in dens.", "url": "https://example.org/f"},
]


def lines(records):
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def a_file(content=None, name="animals.jsonl"):
    return SimpleUploadedFile(name, lines(ANIMALS) if content is None else content)


def received(study, by, *files, name="Animals", **how):
    return corpora.receive(study, name, files or [a_file()], by=by, **how)


def a_corpus(study, by, *files, **how):
    """One that is indexed."""
    made = received(study, by, *files, **how)
    corpora.work(made.pk)
    made.refresh_from_db()
    return made


def lost_corpus(study):
    """One that is ready, and has nothing on the disk."""
    return Corpus.objects.create(study=study, name="Library", state="ready", folder="nowhere")
