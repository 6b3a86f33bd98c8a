"""All of Attest's code is used by Attest: what only tests use belongs to them."""

import ast
import re
from collections.abc import Iterator

from tests.test_house import PROGRAM, ROOT, files, module, tree

Defined = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
Dotted = ast.Name | ast.Attribute
Name = tuple[str, str]
"""A module, and a name in it."""

USERS = (*PROGRAM, "bench", "manage.py")

REGISTERS = {
    "connect", "counted", "filter", "forgetting", "leaving", "receiver", "shared_task",
    "simple_tag", "stopping", "swept", "table", "tag", "condition_of", "when_references_change",
}  # fmt: skip
"""Decorators that hand what they are given to whoever calls it."""

FOUND_BY_BASE = {
    "AppConfig": "Django, in `apps.py`",
    "BaseCommand": "Django, in `management/commands`",
    "RefusingCommand": "Django, in `management/commands`",
    "OpenApiAuthenticationExtension": "drf-spectacular",
}
"""Classes whose subclasses others look for."""

READ_WHOLE = {
    "annotate.authentication": "Django, which finds the store of sessions in it",
}
"""Modules of which others know the names."""

WAITS_FOR_REMOVAL = {"evaluation/models/calls.py: ServerPace"}
"""Models whose tables the release after the next one removes (CONTRIBUTING, Migrations)."""

NAMED = re.compile(r"\b((?:annotate|config|evaluation)(?:\.\w+)+)[.:](\w+)\b")
"""`module.name` or `module:name` in a text, by which it is imported where it is needed."""


def own(packages: tuple[str, ...]) -> dict[str, str]:
    """Module -> file."""
    return {module(name): name for name in files() if name.split("/")[0] in packages}


def last(node: ast.expr) -> str:
    """The last part of `a.b.c` or `a.b.c(…)`."""
    node = node.func if isinstance(node, ast.Call) else node
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def is_found(node: Defined) -> bool:
    """Whether others find it without a name."""
    if any(last(one) in REGISTERS for one in node.decorator_list):
        return True
    return isinstance(node, ast.ClassDef) and any(last(one) in FOUND_BY_BASE for one in node.bases)


def public(name: str) -> Iterator[Defined]:
    return (
        node
        for node in tree(name).body
        if isinstance(node, Defined) and not node.name.startswith("_")
    )


class Uses(ast.NodeVisitor):
    """The names that one file uses, its own ones outside of what they are the names of."""

    def __init__(self, name: str, known: dict[str, str]) -> None:
        self.module, self.known = module(name), known
        self.found: set[Name] = set()
        self.bound: dict[str, Name] = {}
        self.within = ""
        for one in tree(name).body:
            if isinstance(one, Defined):
                self.bound[one.name] = (self.module, one.name)
        for node in ast.walk(tree(name)):
            if isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    self.bound[alias.asname or alias.name] = (node.module or "", alias.name)
        for one in tree(name).body:
            self.within = one.name if isinstance(one, Defined) else ""
            self.visit(one)

    def named(self, name: str) -> None:
        if name in self.bound and name != self.within:
            self.found.add(self.bound[name])

    def visit_Name(self, node: ast.Name) -> None:
        self.named(node.id)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        source = ast.unparse(node.value) if isinstance(node.value, Dotted) else ""
        inner = ".".join(self.bound.get(source, ("", source))).lstrip(".")
        if inner in self.known:
            self.found.add((inner, node.attr))
        else:
            self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        """A type that stands in a string, or what is imported by a text."""
        if isinstance(node.value, str):
            self.found.update((source, name) for source, name in NAMED.findall(node.value))
            for word in re.findall(r"\b[A-Z]\w*", node.value) if len(node.value) < 100 else ():
                self.named(word)

    def visit_Assign(self, node: ast.Assign) -> None:
        if [last(target) for target in node.targets] != ["__all__"]:
            self.generic_visit(node)


def used() -> set[Name]:
    """A module that is handed on as such counts as a name of its package."""
    migrations = (str(path.relative_to(ROOT)) for path in ROOT.glob("*/migrations/*.py"))
    known = own(USERS) | {module(name): name for name in migrations}
    uses = {name: Uses(file, known) for name, file in known.items()}
    found = {
        (source, name)
        for path in (*ROOT.glob("*.toml"), *ROOT.glob("Docker*"), ROOT / "Makefile")
        for source, name in NAMED.findall(path.read_text(encoding="utf-8"))
    }
    for each in uses.values():
        for name in each.found:
            while name not in found:
                found.add(name)
                source = uses.get(name[0])
                name = source.bound.get(name[1], name) if source else name  # where it comes from
    return found


def test_all_code_has_a_user_beside_tests():
    found = used()
    idle = {
        f"{name}: {node.name}"
        for source, name in own(PROGRAM).items()
        if source not in READ_WHOLE and (*source.rsplit(".", 1),) not in found
        for node in public(name)
        if (source, node.name) not in found and not is_found(node)
    }
    assert idle == WAITS_FOR_REMOVAL
