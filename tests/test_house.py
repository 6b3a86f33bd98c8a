"""The shape of the code: small files, small functions, no circles, no loose modules."""

import ast
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
APPS = ("annotate", "evaluation")
MOST_LINES, MOST_LINES_OF_A_FUNCTION = 500, 60

# Django, Celery and what is stored in sessions find these by their names.
BESIDE_PACKAGES = {"apps", "urls", "api_urls", "tasks", "access", "authentication"}

OF_DJANGO = {"management", "migrations"}
DOORS = {"views", "forms", "api"}

Functions = ast.FunctionDef | ast.AsyncFunctionDef


@cache
def files() -> tuple[str, ...]:
    """Every Python file that git keeps or would keep; all of them where there is no git."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.py"]
    try:
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        names = listed.stdout.splitlines()
    except (OSError, subprocess.CalledProcessError):
        paths = (path.relative_to(ROOT) for path in ROOT.rglob("*.py"))
        away = {".venv", ".venv-peers", "var"}
        names = [str(path) for path in paths if not away & set(path.parts)]
    return tuple(n for n in names if "/migrations/" not in n and (ROOT / n).exists())


@cache
def tree(name: str) -> ast.Module:
    return ast.parse((ROOT / name).read_text(encoding="utf-8"))


def module(name: str) -> str:
    return name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def test_the_search_finds_the_code():
    assert {"annotate/access.py", "bench/__main__.py", "tests/test_house.py"} <= set(files())


def test_no_file_is_too_long():
    lengths = {name: len((ROOT / name).read_text().splitlines()) for name in files()}
    assert {name: n for name, n in lengths.items() if n > MOST_LINES} == {}


def lines_of(function: Functions) -> int:
    return (function.end_lineno or function.lineno) - function.lineno + 1


def test_no_function_is_too_long():
    long = {
        f"{name}: {node.name}": lines_of(node)
        for name in files()
        for node in ast.walk(tree(name))
        if isinstance(node, Functions) and lines_of(node) > MOST_LINES_OF_A_FUNCTION
    }
    assert long == {}


def test_no_module_lies_loose_beside_the_packages(subtests):
    for app in APPS:
        with subtests.test(app=app):
            loose = {path.stem for path in (ROOT / app).glob("*.py")} - {"__init__"}
            assert loose - BESIDE_PACKAGES == set()


def packages(app: str) -> list[Path]:
    """Every package below an app, but Django's own."""
    found = (path.parent.relative_to(ROOT / app) for path in (ROOT / app).rglob("__init__.py"))
    return [path for path in found if path.parts and path.parts[0] not in OF_DJANGO]


def test_an_app_has_at_most_twelve_rooms_two_levels_deep(subtests):
    for app in APPS:
        with subtests.test(app=app):
            assert len([path for path in packages(app) if len(path.parts) == 1]) <= 12
            assert [path for path in packages(app) if len(path.parts) > 2] == []


def test_every_room_says_what_belongs_there():
    for app in APPS:
        for path in packages(app):
            if path.name not in DOORS:
                init = ROOT / app / path / "__init__.py"
                assert ast.get_docstring(ast.parse(init.read_text(encoding="utf-8"))), init


def run_imports(node: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    """Every import below `node`, in functions too, but those that only a type checker sees."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child
        elif isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            for other in child.orelse:
                yield from run_imports(other)
        else:
            yield from run_imports(child)


def imported(importer: str, node: ast.Import | ast.ImportFrom, known: set[str]) -> set[str]:
    """The modules of ours that one statement names."""
    if isinstance(node, ast.Import):
        return {alias.name for alias in node.names} & known
    assert node.level == 0, f"{importer}: imports are written from the top"
    source = node.module or ""
    inner = {f"{source}.{alias.name}" for alias in node.names}
    modules = inner & known
    if inner - known and source in known:
        modules.add(source)  # for a name of the package's own
    return modules


def graph(names: tuple[str, ...]) -> dict[str, set[str]]:
    """Module -> the modules of ours that it imports."""
    known = {module(name) for name in names}
    return {
        module(name): {
            found
            for node in run_imports(tree(name))
            for found in imported(module(name), node, known)
        }
        - {module(name)}
        for name in names
    }


def circles(edges: dict[str, set[str]]) -> list[list[str]]:
    """Groups of modules that reach one another."""
    reach = {start: reachable(start, edges) for start in edges}
    groups = {
        frozenset(other for other in reach[start] if start in reach[other])
        for start in edges
        if start in reach[start]
    }
    return sorted(sorted(group) for group in groups)


def reachable(start: str, edges: dict[str, set[str]]) -> set[str]:
    found: set[str] = set()
    waiting = list(edges[start])
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting.extend(edges[name])
    return found


def test_a_circle_is_found():
    edges = {"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}, "e": set()}
    assert circles(edges) == [["a", "b", "c"]]


def test_no_modules_import_one_another_in_a_circle():
    assert circles(graph(files())) == []


OPENS_CONNECTIONS = {
    "socket", "socketserver", "ssl", "asyncio", "http.client", "urllib.request", "ftplib",
    "smtplib", "imaplib", "poplib", "telnetlib", "xmlrpc", "requests", "httpx", "httpcore",
    "aiohttp", "urllib3", "websockets", "paramiko", "pycurl",
    "boto3", "botocore", "storages",
}  # fmt: skip

CALLS = {
    "annotate/work/outgoing/calls.py",  # the way out
    "annotate/work/jobs/workers.py",  # asks what its own machine is called
    "config/serving/address.py",  # listens
    "config/serving/probe.py",  # asks the server that this command started
    "config/storage.py",  # the operator's bucket of files
}


def modules_named(node: ast.Import | ast.ImportFrom) -> set[str]:
    """Every module that a statement may mean, with the packages above each."""
    names = {alias.name for alias in node.names}
    if isinstance(node, ast.ImportFrom):
        names = {str(node.module), *(f"{node.module}.{name}" for name in names)}
    return {
        ".".join(name.split(".")[: n + 1]) for name in names for n in range(name.count(".") + 1)
    }


def test_an_import_is_found_however_it_is_written():
    for text in (
        "import urllib.request",
        "from urllib import request",
        "from http.client import X",
    ):
        (node,) = ast.parse(text).body
        assert isinstance(node, ast.Import | ast.ImportFrom)
        assert modules_named(node) & OPENS_CONNECTIONS


def test_there_is_one_way_out():
    """All that calls other machines goes through one module, which knows what may be called."""
    found = {
        name
        for name in files()
        if name.split("/")[0] in {*APPS, "config"}
        for node in run_imports(tree(name))
        if modules_named(node) & OPENS_CONNECTIONS
    }
    assert found == CALLS


LIBRARIES = {"django", "psycopg", "rest_framework", "allauth", "celery"}


def private_modules(node: ast.Import | ast.ImportFrom) -> set[str]:
    """What a statement imports of a library that its makers do not promise to keep."""
    return {
        name
        for name in modules_named(node)
        if name.split(".")[0] in LIBRARIES
        and (
            name.startswith("django.db.models.sql")
            or any(part == "internal" or part.startswith("_") for part in name.split("."))
        )
    }


def test_no_private_module_of_a_library_is_imported():
    for text in (
        "from django.db.models.sql import compiler",
        "from psycopg._queries import PostgresQuery",
        "from allauth.core.internal import ratelimit",
    ):
        (node,) = ast.parse(text).body
        assert isinstance(node, ast.ImportFrom)
        assert private_modules(node)
    found = {
        (name, imported)
        for name in files()
        for node in ast.walk(tree(name))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for imported in private_modules(node)
    }
    assert not found


# The questions stand in files -------------------------------------------------------------------

OF_PAPERS = {
    "annotate/management/demo/": "the demo's answers are to the papers' questions",
    "annotate/formats/alce": "ALCE's files have a field for each of its questions",
    "annotate/formats/attributed_qa": "Attributed QA's file of ratings is about one question",
    "annotate/formats/trec_judgments.py": "TREC's labels are answers to its own questions",
    "evaluation/labels/export/published.py": "the same files, written",
    "evaluation/judges/": "a paper's judge answers its paper's questions; others ask it for them",
    "evaluation/reports/tables/papers.py": "their headings in the papers",
    "evaluation/reports/sections/papers.py": "the columns of ALiiCE's tables",
    "evaluation/reports/sections/words_on_numbers.py": "precision, in the words of the papers",
}
"""Where the questions of the shipped protocols may be named, and why."""

ALSO_WORDS = {"quote"}
"""Keys that are words of the code, too: a citation has a quote."""


def named(node: ast.AST) -> Iterator[str]:
    """The texts that stand in code: no docstrings, and no names of fields."""
    return (
        each.value
        for each in ast.walk(node)
        if isinstance(each, ast.Constant) and isinstance(each.value, str)
    )


def test_no_code_knows_a_question_by_its_key():
    from annotate.protocol.shipped import SHIPPED

    keys = {*SHIPPED, *SHIPPED.derived} - ALSO_WORDS
    found = {
        name: sorted(keys.intersection(named(tree(name))))
        for name in files()
        if name.startswith(tuple(f"{app}/" for app in APPS))
        and keys.intersection(named(tree(name)))
    }
    allowed = tuple(OF_PAPERS)
    assert {name: keys for name, keys in found.items() if not name.startswith(allowed)} == {}
    idle = [one for one in OF_PAPERS if not any(name.startswith(one) for name in found)]
    assert idle == [], "these need no leave any more"


# One word, one meaning ---------------------------------------------------------------------------

PROGRAM = (*APPS, "config")
"""What Attest is made of; the client has the interface's words."""

TOLD = "what it tells of, and the name in the report's published schema"

SAME_WORD = {
    "CapField": "one option, as a form and as a program gives it",
    "Command": "Django finds commands by it",
    "Kind": "of work; in the report's published schema of marked words",
    "OptionsField": "one option, as a form and as a program gives it",
    "Aliice": TOLD,
    "Choice": TOLD,
    "Detection": TOLD,
    "GuidelinesVersion": TOLD,
    "OverRuns": TOLD,
    "Report": TOLD,
    "ReportItem": TOLD,
}
"""Classes that share a name, and why."""


def classes(name: str) -> Iterator[str]:
    """Those that other modules may name."""
    return (
        node.name
        for node in tree(name).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )


def test_no_two_classes_have_one_name():
    places: dict[str, list[str]] = {}
    for name in files():
        if name.startswith(tuple(f"{package}/" for package in PROGRAM)):
            for each in classes(name):
                places.setdefault(each, []).append(name)
    shared = {each: names for each, names in places.items() if len(names) > 1}
    assert {each: names for each, names in shared.items() if each not in SAME_WORD} == {}
    assert SAME_WORD.keys() - shared.keys() == set(), "these need no leave any more"
