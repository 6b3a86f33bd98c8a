"""The first pass over an upload: read all of it, write nothing, and report the effects."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from annotate.content.judgments import compare_with_stored, judgment_row
from annotate.formats import Reader
from annotate.formats.division import MAX_CITATIONS, TooManyCitations
from annotate.formats.limits import NAME_CHARS
from annotate.formats.records import (
    JudgmentRecord,
    Problem,
    ReferenceRow,
    ResponseRecord,
)
from annotate.models import BatchItem, Judgment, Unit, Upload
from annotate.text import Segmentation
from annotate.uploads.chunks import Chunk, chunks, delayed_gc, open_reader
from annotate.uploads.dividing import Divider, divider_of, division_settings
from annotate.uploads.findings import Findings
from annotate.uploads.job import renew
from annotate.uploads.matching import MatchedRecord, Matcher, matcher_of
from annotate.uploads.question_files import ListedMatch
from annotate.uploads.study_index import KnownQuestion, StudyIndex
from annotate.work.jobs import Holding


def check(holding: Holding[Upload]) -> Findings:
    """Read the whole file and compare it with the study."""
    findings, used = _check(holding, Path(holding.row.name).stem[:NAME_CHARS], "")
    wished = (findings.suggested_system, findings.suggested_run)
    if used != wished:  # the file suggests the system's name after the records
        findings, _ = _check(holding, *wished)
    return findings


def _check(holding: Holding[Upload], system: str, run: str) -> tuple[Findings, tuple[str, str]]:
    upload = holding.row
    findings = Findings(division=division_settings(upload.study, upload.chosen_division))
    matcher, divider = matcher_of(upload), divider_of(upload)
    used: tuple[str, str] | None = None
    with open_reader(upload) as reader, delayed_gc():
        for chunk in chunks(reader):
            suggested = _suggestion(reader, system, run)
            used = used or suggested
            _check_chunk(upload, matcher, divider, chunk, findings, suggested)
            renew(holding, reader.position)
    findings.suggested_system, findings.suggested_run = _suggestion(reader, system, run)
    return findings, used or (findings.suggested_system, findings.suggested_run)


def _suggestion(reader: Reader, system: str, run: str) -> tuple[str, str]:
    return reader.suggested_system or system, reader.suggested_run or run


def _check_chunk(
    upload: Upload,
    matcher: Matcher,
    divider: Divider,
    chunk: Chunk,
    findings: Findings,
    suggested: tuple[str, str],
) -> None:
    for problem in chunk.problems:
        findings.add_problem(problem)
    findings.records += chunk.records
    matches, problems = matcher.match(chunk, system=suggested[0], run=suggested[1])
    repeated: list[tuple[JudgmentRecord, int]] = []
    for match in matches:
        found = _try_to_divide(divider, match, problems)
        if found is not None:
            _count(matcher.index, match, found, findings, divided=bool(found.signature))
            repeated += _check_judgments(matcher, match, found, findings, problems)
    if repeated:
        _compare_rows(upload, matcher, rows=_with_units(repeated), findings=findings)
    changed = [match.present for match in matches if match.status == "changed"]
    if changed:
        findings.detached_judgments += (
            Judgment.objects.current().filter(unit__response__in=changed).count()
        )
        tasks = BatchItem.objects.filter(response__in=changed).order_by("batch")
        for name, count in Counter(tasks.values_list("batch__name", flat=True)).items():
            findings.warn("tasks", f"“{name}”", count)
    rows, row_problems = matcher.match_rows(chunk.rows)
    for row in rows:
        findings.judgments += 1
        findings.judges[row.record.judge] += 1
    if rows:
        _compare_rows(
            upload, matcher, rows=[(r.record, r.unit_id) for r in rows], findings=findings
        )
    questions, reference_problems = matcher.match_references(chunk.references)
    for question, row_of in questions:
        _count_references(question, row_of, findings)
    for captured in chunk.captured:
        findings.new += matcher.missing_texts.count(captured)
        findings.unchanged += not matcher.missing_texts.of(captured)
    listed, question_problems = matcher.match_questions(chunk.questions)
    for listed_match in listed:
        _count_listed(listed_match, findings)
    for problem in (*problems, *row_problems, *reference_problems, *question_problems):
        findings.add_problem(problem)


def _try_to_divide(
    divider: Divider, match: MatchedRecord, problems: list[Problem]
) -> Segmentation | None:
    try:
        return divider(match.record)
    except ValueError as error:
        problems.append(indivisible(match.record, error))
        return None


def indivisible(record: ResponseRecord, error: ValueError) -> Problem:
    """Return the problem of an output that cannot be divided into statements."""
    given = record.statements is not None
    where = record.where.at("sentences" if given else "output")
    if isinstance(error, TooManyCitations):
        return Problem(where, f"at most {MAX_CITATIONS:,} citations in an output", str(error))
    return Problem(where, "sentences that follow each other in the output", str(error))


def _count(
    index: StudyIndex,
    match: MatchedRecord,
    found: Segmentation,
    findings: Findings,
    *,
    divided: bool,
) -> None:
    findings.systems[match.system] += 1
    findings.questions.add(match.question.external_id)
    if match.status == "new":
        findings.new += 1
    elif match.status == "unchanged":
        findings.unchanged += 1
    else:
        findings.changed += 1
    if not match.introduces:
        if match.question.learn(match.record.question.references):
            findings.warn("references", match.record.where)
        if match.question.learn_metadata(match.record.question.metadata):
            findings.warn("metadata", match.record.where)
    if match.language and match.language != match.question.language:
        findings.warn("language", match.record.where)
    findings.inspect(match.record, found, index, divided=divided)


def _count_references(question: KnownQuestion, row: ReferenceRow, findings: Findings) -> None:
    """Count the effect of a row on an existing question."""
    findings.questions.add(question.external_id)
    adds = not question.knows(row.references)
    if question.learn(row.references):
        findings.changed += 1
    elif adds:
        findings.new += 1
    else:
        findings.unchanged += 1


def _count_listed(match: ListedMatch, findings: Findings) -> None:
    """Count the effect of a row on the study's questions."""
    question, row = match.question, match.row
    findings.questions.add(question.external_id)
    findings.passages += len(row.passages)
    is_known = question.pk is not None
    adds = not question.knows(row.question.references)
    others = question.learn(row.question.references)
    if question.learn_metadata(row.question.metadata) and is_known:
        findings.warn("metadata", row.where)
    if row.question.language not in ("", question.language):
        findings.warn("question_language", row.where)
    if others or (match.is_here and not match.is_same):
        findings.changed += 1
    elif match.is_same and not adds:
        findings.unchanged += 1
    else:
        findings.new += 1
    if not row.passages:
        findings.warn("unranked", row.where)
    if empty := sum(not passage.text.strip() for passage in row.passages):
        findings.warn("unread", row.where, empty)


def _check_judgments(
    matcher: Matcher,
    match: MatchedRecord,
    found: Segmentation,
    findings: Findings,
    problems: list[Problem],
) -> Iterator[tuple[JudgmentRecord, int]]:
    """Count the judgments that came with a response; yield those of an existing one."""
    keys = unit_keys(found) if match.record.judgments else set()
    for record in match.record.judgments:
        fault = matcher.judge_fault(record, record.where) or _unit_fault(record, keys)
        if fault:
            problems.append(fault)
        else:
            findings.judgments += 1
            findings.judges[record.judge] += 1
            if match.status == "unchanged" and match.present is not None:
                yield record, match.present
            else:
                findings.new_judgments += 1


def _with_units(repeated: list[tuple[JudgmentRecord, int]]) -> list[tuple[JudgmentRecord, int]]:
    """Replace the responses of judgments by the units that they are about."""
    responses = {response for _, response in repeated}
    units = Unit.objects.filter(response__in=responses).values_list("response_id", "key", "pk")
    known = {(response, key): pk for response, key, pk in units}
    return [(record, known[response, record.unit]) for record, response in repeated]


def unit_keys(found: Segmentation) -> set[str]:
    """Return the keys of all units of a divided output."""
    keys = {"r"}
    for s, statement in enumerate(found.statements, 1):
        keys.add(f"s{s}")
        keys.update(f"s{s}.c{c}" for c in range(1, len(statement.citations) + 1))
    return keys


def _unit_fault(record: JudgmentRecord, keys: set[str]) -> Problem | None:
    if record.unit in keys:
        return None
    where = record.where.at("unit")
    return Problem(where, "a statement or citation of this output", f"“{record.unit}”")


def _compare_rows(
    upload: Upload,
    matcher: Matcher,
    *,
    rows: list[tuple[JudgmentRecord, int]],
    findings: Findings,
) -> None:
    """Count new, repeated and changed judgments of existing units."""
    known = [
        judgment_row(record, unit_id=unit_id, judge_id=judge_id, upload=upload)
        for record, unit_id in rows
        if (judge_id := matcher.index.judges[record.judge][0]) is not None
    ]
    compared = compare_with_stored(known)
    findings.unchanged_judgments += compared.unchanged
    findings.changed_judgments += len(compared.changed)
    findings.new_judgments += len(rows) - compared.unchanged - len(compared.changed)
