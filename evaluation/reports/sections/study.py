"""What the study is: its protocol, as it was set."""

from typing import cast

from evaluation.reports.sections.section import Section
from evaluation.reports.selection import Selected
from evaluation.reports.shape.study import StudySettings


def study(selected: Selected) -> StudySettings:
    """The settings that the numbers rest on, guidelines by version and digest."""
    record = selected.data.study.settings()
    found = {name: [*one] if isinstance(one, tuple) else one for name, one in record.items()}
    return cast(StudySettings, found)


SECTION = Section(key="study", shape=StudySettings, panel=None, build=study)
