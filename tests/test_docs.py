"""All that can be set, loaded, judged or run has its heading in the docs, and no link is broken."""

import re
import subprocess
import tomllib
from functools import cache
from pathlib import Path

import pytest

from annotate.formats import FORMATS
from annotate.protocol.presets import PRESETS
from annotate.protocol.shipped import FOLDER, PROTOCOLS, SHIPPED
from annotate.protocol.written import NotAProtocol, read
from annotate.web.help.documents import slug
from evaluation.generating.systems.shipped import SYSTEMS
from evaluation.judges import JUDGES, METRICS
from evaluation.judges.entailment import SCORERS
from tests.evaluation.rubric import EVERY

ROOT = Path(__file__).resolve().parents[1]
DOCS = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    *sorted((ROOT / "docs").glob("**/*.md")),
]
NOT_OURS = ("LICENSE", "static/vendor/", "tests/vendor/")
CODE = ("config", "annotate", "evaluation")

HEADING = re.compile(r"^#{1,6} +(.+?) *#*$", re.MULTILINE)
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
INLINE_CODE = re.compile(r"`[^`\n]+`")
LINK = re.compile(r"\]\(\s*<?([^)\s>]+)>?[^)]*\)|<(?:a|img)\b[^>]*?\b(?:href|src)=\"([^\"]+)\"")
ENVIRONMENT = re.compile(
    r"\b(?:env\.)?(?:text|flag|number|words|folders|networks|choice|issuer)\(\s*\"([A-Z][A-Z_]+)\""
)
TARGET = re.compile(r"^([a-z][a-z-]*):(?!=)", re.MULTILINE)

# Written in pieces, so that this file does not find itself.
FORBIDDEN = re.compile(
    "|".join(
        (
            r"(?<![\w.~-])/(?:work|root|Users)/\w",
            r"(?<![\w.~-])/home/\w",
            "py" + r"pi\.org",
            "python" + r"hosted\.org",
            "registry" + r"\.(?:npmjs|yarnpkg)\.",
            "(?:extra-)?index" + "-url",
            "find" + "-links",
            r"(?m:^[<>]{7} )",  # Left by a merge.
        )
    )
)


@cache
def prose(path: Path) -> str:
    """The text without its code blocks, in which `#` begins a comment."""
    return FENCE.sub("", path.read_text(encoding="utf-8"))


@cache
def headings(path: Path) -> tuple[str, ...]:
    return tuple(match.replace("`", "") for match in HEADING.findall(prose(path)))


def heads(key: str, title: str) -> bool:
    """Whether a heading is about `key`: it holds the key as a whole word."""
    return re.search(rf"(?<![\w-]){re.escape(key)}(?![\w-])", title) is not None


def test_every_package_stands_in_the_architecture() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    packages = {
        path.parent.name
        for app in ("annotate", "evaluation")
        for path in (ROOT / app).glob("*/__init__.py")
    }
    assert not [name for name in packages - {"migrations"} if f"  {name}/" not in text]


def without_heading(keys: set[str], *names: str) -> list[str]:
    titles = [title for name in names for title in headings(ROOT / name)]
    return sorted(key for key in keys if not any(heads(key, title) for title in titles))


@cache
def settings_read() -> frozenset[str]:
    return frozenset(
        name
        for folder in CODE
        for path in (ROOT / folder).rglob("*.py")
        for name in ENVIRONMENT.findall(path.read_text(encoding="utf-8"))
    )


def commands() -> set[str]:
    return {
        path.stem
        for folder in CODE
        for path in (ROOT / folder).glob("management/commands/*.py")
        if not path.stem.startswith("_")
    }


def test_the_search_for_settings_finds_them():
    assert {"SECRET_KEY", "DATABASE_URL", "ATTEST_MODE", "PORT"} <= settings_read()


def test_every_setting_is_explained():
    assert without_heading(set(settings_read()), "docs/settings.md") == []


def test_no_setting_is_explained_that_nothing_reads():
    explained = {title for title in headings(ROOT / "docs/settings.md") if title.isupper()}
    assert sorted(explained - settings_read()) == []


def test_every_setting_has_its_default():
    page = prose(ROOT / "docs/settings.md")
    sections = {
        name: page.partition(f"\n## {name}\n")[2].partition("\n## ")[0] for name in settings_read()
    }
    assert [name for name, section in sections.items() if "Default: " not in section] == []


def test_the_example_file_sets_only_what_something_reads():
    lines = (ROOT / ".env.example").read_text().splitlines()
    named = {line.partition("=")[0] for line in lines if line and not line.startswith("#")}
    assert named - settings_read() == {"POSTGRES_PASSWORD"}


def test_everything_registered_has_its_heading():
    pages = {
        "generating": SYSTEMS,
        "dimensions": SHIPPED,
        "formats": FORMATS,
        "judges": {**JUDGES, **METRICS},
        "entailment": SCORERS,
        "commands": commands(),
    }
    assert "serve" in pages["commands"]
    missing = {page: without_heading(set(keys), f"docs/{page}.md") for page, keys in pages.items()}
    assert {page: keys for page, keys in missing.items() if keys} == {}


ALL_OBJECTS = """
x: 1
dimensions:
  - x: 1
    choices: [{x: 1}]
    shown_when: [{x: 1}]
variants: [{x: 1}]
derived: [{x: 1}, {x: 1, weights: {}}]
"""


def test_every_field_of_a_protocol_file_is_explained():
    with pytest.raises(NotAProtocol) as caught:
        read(ALL_OBJECTS)
    said = [f.expected for f in caught.value.faults if f.expected.startswith("one of the fields ")]
    known = {name for one in said for name in one.removeprefix("one of the fields ").split(", ")}
    assert {"protocol", "low_to_high", "value", "is", "lines", "formula", "uncited"} <= known
    page = (ROOT / "docs/protocols.md").read_text(encoding="utf-8")
    explained = set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE))
    assert known - {""} == explained


def test_the_protocol_in_the_docs_is_one():
    page = (ROOT / "docs/protocols.md").read_text(encoding="utf-8")
    whole, derived, named = re.findall(r"^```yaml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert [*read(whole).protocol.derived] == ["fine"]
    trec = (FOLDER / "trec.yaml").read_text(encoding="utf-8").replace("trec_support", "support")
    own = trec[: trec.index("derived:")] + derived
    assert [*read(own).protocol.derived] == ["weighted_recall"]
    every = EVERY.read_text(encoding="utf-8")
    assert [*read(every[: every.index("derived:")] + named).protocol.derived] == ["penalty"]


def test_every_derived_number_is_explained():
    page = (ROOT / "docs/dimensions.md").read_text(encoding="utf-8")
    own = [key for file in PROTOCOLS.values() if not file.frozen for key in file.protocol.derived]
    assert [key for key in own if f"(`{key}`" not in page] == []


def test_every_preset_is_listed():
    for name, title in (("commands", "`create_study`"), ("dimensions", "Presets")):
        page = prose(ROOT / f"docs/{name}.md")
        said = page.partition(f"\n## {title}\n")[2].partition("\n## ")[0]
        assert [key for key in PRESETS if f"`{key}`" not in said] == [], name


def test_every_make_target_is_explained():
    makefile = (ROOT / "Makefile").read_text()
    targets = {f"make {target}" for target in TARGET.findall(makefile)}
    assert "make run" in targets
    table = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert sorted(target for target in targets if f"\n| `{target}` |" not in table) == []


def test_the_version_has_its_entry_and_is_the_last_one():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    versions = re.findall(
        r"^## \[(\d[^\]]*)\] - \d{4}-\d\d-\d\d$", prose(ROOT / "CHANGELOG.md"), re.M
    )
    assert versions[0] == version


def test_every_decision_stands_in_the_list():
    folder = ROOT / "docs" / "decisions"
    records = {path.name for path in folder.glob("[0-9]*.md")}
    assert records == set(links(folder / "README.md"))


def leads_somewhere(target: Path, anchor: str) -> bool:
    if not target.exists():
        return False
    return not anchor or anchor in {slug(title) for title in headings(target)}


def links(path: Path) -> list[str]:
    found = [one or other for one, other in LINK.findall(INLINE_CODE.sub("", prose(path)))]
    return [link for link in found if not re.match(r"[a-z]+:", link)]


def test_every_link_leads_somewhere():
    broken = []
    for path in DOCS:
        for link in links(path):
            name, _, anchor = link.partition("#")
            target = (path.parent / name).resolve() if name else path
            if not leads_somewhere(target, anchor):
                broken.append(f"{path.relative_to(ROOT)}: {link}")
    assert broken == []


def test_the_search_for_links_finds_them():
    assert "deployment.md" in links(ROOT / "docs/settings.md")


def our_files() -> list[Path]:
    """What git keeps or would keep; all files where there is no git."""
    try:
        listed = subprocess.run(
            ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.splitlines()
    except (OSError, subprocess.CalledProcessError):
        away = {".venv", ".venv-peers", "var", "node_modules", "__pycache__"}
        listed = [
            str(path.relative_to(ROOT))
            for path in ROOT.rglob("*")
            if path.is_file() and not away & set(path.relative_to(ROOT).parts)
        ]
    return [ROOT / name for name in listed if not name.startswith(NOT_OURS)]


def test_no_file_depends_on_one_machine_or_registry():
    found = []
    for path in our_files():
        try:
            text = path.read_text(encoding="utf-8")
        except (UnicodeDecodeError, OSError):
            continue  # a picture, or removed from the folder but not yet from git
        found += [
            f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, match.start()) + 1}: {match[0]}"
            for match in FORBIDDEN.finditer(text)
        ]
    assert found == []


def test_the_search_for_machine_paths_finds_only_them():
    for text in (
        "see /wo" + "rk/main",
        "cd /ro" + "ot/x",
        "/ho" + "me/anna/x",
        "--index" + "-url x",
    ):
        assert FORBIDDEN.search(text)
    for text in ("annotate/work/queue", "https://example.org/home/", "/srv/attest"):
        assert not FORBIDDEN.search(text)
