"""SQL for the rating desk's hot queries.

Every answer of a rater asks these. Django's query builder takes several times as long to write such
joins as the database takes to run them.
"""

from typing import TypeVar

from django.db import connection, models

from annotate.models.batch import Batch, BatchItem
from annotate.models.content import Source, Unit
from annotate.models.judging import Judge
from annotate.models.rating import Assignment
from annotate.models.study import Study

Row = TypeVar("Row", bound=models.Model)

_TASK_OF_RATER = """
    SELECT m.role, a.batch_id, a.item_id, a.judge_id, b.study_id
    FROM annotate_assignment a
    JOIN annotate_judge j ON j.id = a.judge_id
    JOIN annotate_batch b ON b.id = a.batch_id
    JOIN annotate_study s ON s.id = b.study_id
    JOIN annotate_membership m ON m.study_id = s.id AND m.user_id = j.user_id
    JOIN annotate_batchitem i ON i.id = a.item_id
    JOIN annotate_response r ON r.id = i.response_id
    JOIN annotate_system y ON y.id = r.system_id
    WHERE a.id = %s AND j.user_id = %s AND s.slug = %s
      AND s.deleted_at IS NULL AND b.deleted_at IS NULL AND y.deleted_at IS NULL
"""

_IS_FIXED = """
    SELECT EXISTS (
      SELECT 1
      FROM annotate_assignment a
      JOIN annotate_batch b ON b.id = a.batch_id
      JOIN annotate_batchitem i ON i.id = a.item_id
      WHERE a.judge_id = %s AND a.batch_id <> %s AND a.state = 'done'
        AND b.state = 'closed' AND i.response_id = %s
    )
"""


def task_of_rater(user_id: int, slug: str, task_id: int) -> tuple[str, Assignment] | None:
    """Return a rater's role in a study and their task, with its batch, item, judge and study."""
    with connection.cursor() as cursor:
        cursor.execute(_TASK_OF_RATER, [task_id, user_id, slug])
        found = cursor.fetchone()
    if found is None:
        return None
    role, batch_id, item_id, judge_id, study_id = found
    task = row(Assignment, task_id)
    task.batch = row(Batch, batch_id)
    task.item = row(BatchItem, item_id)
    task.judge = row(Judge, judge_id)
    task.batch.study = task.judge.study = row(Study, study_id)
    return role, task


def units_of_response(response_id: int) -> list[Unit]:
    """Return the units of a response, the oldest first."""
    sql = "SELECT * FROM annotate_unit WHERE response_id = %s ORDER BY id"
    return list(Unit.objects.raw(sql, [response_id]))


def sources_of_response(response_id: int) -> list[Source]:
    """Return the sources of a response by their numbers."""
    sql = "SELECT * FROM annotate_source WHERE response_id = %s ORDER BY n"
    return list(Source.objects.raw(sql, [response_id]))


def has_closed_task(judge_id: int, response_id: int, other_than: int) -> bool:
    """Return whether a judge did a task about a response in another batch, which is closed."""
    with connection.cursor() as cursor:
        cursor.execute(_IS_FIXED, [judge_id, other_than, response_id])
        return bool(cursor.fetchone()[0])


def row(model: type[Row], key: int) -> Row:
    """Return a row by its key."""
    table = connection.ops.quote_name(model._meta.db_table)
    rows = model._base_manager.raw(f"SELECT * FROM {table} WHERE id = %s", [key])  # noqa: S608
    for found in rows:
        return found
    raise model.DoesNotExist("It was deleted meanwhile.")  # type: ignore[attr-defined]
