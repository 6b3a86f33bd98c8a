"""Rows that are inserted in bulk, and digests of their texts."""

import pytest
from django.db import transaction

from annotate.models import Passage
from annotate.uploads.study_index import digest_of, texts_digest
from annotate.web.bulk import BulkTable
from tests.cases import each

pytestmark = [pytest.mark.postgresql, pytest.mark.django_db]


@each("count", [1, 166, 167, 400])
def test_rows_of_one_statement_or_several_are_all_written_in_order(study, count):
    table = BulkTable(Passage, "study_id", "digest", "title", "text")
    rows = [(study.pk, f"d{n}", f"Title {n}", f"Text {n}.") for n in range(count)]
    with transaction.atomic():
        keys = [*table.insert(rows)]
    written = Passage.objects.order_by("pk").values_list("study_id", "digest", "title", "text")
    assert [*written] == rows
    assert [*Passage.objects.order_by("pk").values_list("pk", flat=True)] == keys


@each("texts", [("Title", "A text."), ('"\\', "\n\t\x07é😀\u2028"), ("", "")])
def test_digests_of_texts_are_those_of_values(texts):
    assert texts_digest(*texts) == digest_of(*texts)
