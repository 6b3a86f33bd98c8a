"""The description of the interface holds: programs made from it find what it says."""

import re
from pathlib import Path

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.specs.openapi.checks import (
    negative_data_rejection,
    positive_data_acceptance,
)

from annotate.authentication import new_token
from annotate.web.api.description import described
from config.wsgi import application
from tests.annotate.test_access_matrix import arguments, people, put_back  # noqa: F401 - fixtures
from tests.open_database import open_database  # noqa: F401 - a fixture

EXAMPLES = {GenerationMode.POSITIVE: 3, GenerationMode.NEGATIVE: 2}
LONG_FORM_COLUMNS = [positive_data_acceptance, negative_data_rejection]
NAMES = {
    (method, path): operation["operationId"]
    for path, methods in described()["paths"].items()
    for method, operation in methods.items()
}
SCHEMA = schemathesis.openapi.from_dict(described())
SCHEMA.app = application
SCHEMA.config.checks.negative_data_rejection.expected_statuses.append("412")  # by `If-Match`

PUT_RIGHT = {"path", "header"}
"""Ids in addresses and the token are replaced by those that are there, whatever was made up. Of the
other headers, a key that is too long has a test of its own, and any text is a tag."""


def beyond(case):
    """What is not asked of a request: that it is refused (`negative_data_rejection`), where what
    broke the description was put right, or is the form of nothing, which is an empty one.

    Of what else was ever found, all was harmless: a number is taken for a text, and a text counts
    without the blanks around it, so that one too many of these does not make it too long.
    """
    broken = {where.value for where, one in case.meta.components.items() if one.mode.is_negative}
    right = PUT_RIGHT if case.body is not None else {*PUT_RIGHT, "body"}
    return LONG_FORM_COLUMNS if broken <= right else LONG_FORM_COLUMNS[:1]


# What names, slices and signatures a study has cannot stand in a description of all studies: so
# what is described may be refused (`positive_data_acceptance`).
@pytest.mark.parametrize(("method", "path"), NAMES, ids=NAMES.values())
@pytest.mark.usefixtures("open_database")
def test_it_answers_as_it_says(people, arguments, method, path):  # noqa: F811
    who = "rater" if "/desk/" in path else "owner"
    token = new_token(people[who], "x")
    headers = {"Authorization": f"Bearer {token}", "Accept-Encoding": "identity"}
    operation = SCHEMA[path][method.upper()]

    def holds(case):
        names = {name: arguments[name] for name in case.path_parameters if name in arguments}
        case.path_parameters.update(names)
        with put_back():
            case.call_and_validate(headers=headers, excluded_checks=beyond(case))

    for mode, examples in EXAMPLES.items():
        bounded = settings(
            max_examples=examples,
            derandomize=True,
            database=None,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.explicit, Phase.generate],
        )
        bounded(given(case=operation.as_strategy(generation_mode=mode))(holds))()


def test_the_docs_list_every_operation():
    page = (Path(__file__).resolve().parents[2] / "docs/api.md").read_text(encoding="utf-8")
    told = set(re.findall(r"^\| `([A-Z]+) (/api/[^`?]*)", page, re.MULTILINE))
    names = {f"{{{name}}}": name.upper() for name in ("slug", "form", "what", "dimension")}
    there = {
        (method.upper(), re.sub(r"\{\w+\}", lambda found: names.get(found[0], "ID"), path))
        for method, path in NAMES
    }
    assert told == there
