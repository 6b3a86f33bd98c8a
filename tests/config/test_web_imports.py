"""The web process never loads a model: importing what it serves imports no library of models."""

import subprocess
import sys

HEAVY = (
    "torch", "transformers", "spacy", "thinc", "tensorflow", "pandas", "sklearn", "altair",
    "vl_convert",
)  # fmt: skip

PROGRAM = f"""
import sys
import config.wsgi
from django.urls import get_resolver
def walk(patterns):
    for pattern in patterns:
        walk(getattr(pattern, "url_patterns", ()))
walk(get_resolver().url_patterns)
import evaluation.tasks, evaluation.runs.lifecycle
import evaluation.report_pages.lifecycle
from evaluation.judges.settings import JudgeSettings
for scorer in ("coverage", "classifier", "trained"):
    JudgeSettings("alce", scorer).check_options()
print(sorted(set({HEAVY!r}) & set(sys.modules)))
"""


def test_the_web_process_imports_no_library_of_models():
    found = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True
    )
    assert found.stdout.strip() == "[]"
