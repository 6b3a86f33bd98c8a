"""What the study is: its protocol, as it was set."""

from dataclasses import asdict
from typing import Any

from evaluation.reports.selection import Selected


def study(selected: Selected) -> dict[str, Any]:
    """The settings that the numbers rest on, guidelines by version and digest."""
    record = asdict(selected.data.study)
    return {name: [*value] if isinstance(value, tuple) else value for name, value in record.items()}
