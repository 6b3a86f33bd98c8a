"""The golden files: artefacts kept together by groups, compressed, and how they are compared."""

import difflib
import lzma
from collections.abc import Iterator, Mapping
from pathlib import Path

FOLDER = Path(__file__).parent / "files"
MARK = "\x1e"
"""Stands before each name; in no artefact (a record separator of ASCII)."""

MOST_LINES = 60
WIDEST = 400


def groups(texts: Mapping[str, str]) -> dict[str, str]:
    """The content of each file, by its name."""
    found: dict[str, str] = {}
    for name, text in texts.items():
        if MARK in text or "\n" in name:
            raise ValueError(f"{name} cannot be kept: it holds the mark that divides artefacts.")
        group = name.partition("/")[0]
        found[group] = f"{found.get(group, '')}{MARK}{name}\n{text}"
    return found


def write(texts: Mapping[str, str], folder: Path = FOLDER, *, effort: int = 8) -> list[str]:
    """Write the files that have changed, remove those that are no more; says which."""
    folder.mkdir(parents=True, exist_ok=True)
    wanted = groups(texts)
    changed = []
    for path in sorted(folder.glob("*.txt.xz")):
        if path.name.removesuffix(".txt.xz") not in wanted:
            path.unlink()
            changed.append(f"{path.name} removed")
    for group, text in wanted.items():
        path = folder / f"{group}.txt.xz"
        if not path.exists() or _unpacked(path) != text:
            path.write_bytes(lzma.compress(text.encode(), preset=effort))
            changed.append(f"{path.name} {path.stat().st_size:,} bytes")
    return changed


def read(folder: Path = FOLDER) -> dict[str, str]:
    """Every artefact by its name."""
    found = {}
    for path in sorted(folder.glob("*.txt.xz")):
        for part in _unpacked(path).split(MARK)[1:]:
            name, _, text = part.partition("\n")
            found[name] = text
    return found


def _unpacked(path: Path) -> str:
    return lzma.decompress(path.read_bytes()).decode()


def differences(golden: Mapping[str, str], found: Mapping[str, str]) -> Iterator[str]:
    """What differs, artefact by artefact, as unified diffs."""
    for name in sorted({*golden, *found}):
        if golden.get(name) != found.get(name):
            yield difference(name, golden, found)


def difference(name: str, golden: Mapping[str, str], found: Mapping[str, str]) -> str:
    """One artefact's; long lines and long diffs are cut, since a report's JSON is long."""
    if name not in found:
        return f"{name}: was captured before, and is no more.\n"
    if name not in golden:
        return f"{name}: is new.\n"
    before, after = golden[name].splitlines(), found[name].splitlines()
    lines = list(difflib.unified_diff(_cut(before, after), _cut(after, before), name, name, n=1))
    more = len(lines) - MOST_LINES
    shown = [line.rstrip("\n") for line in lines[:MOST_LINES]]
    return "\n".join([*shown, f"… and {more} more lines"] if more > 0 else shown) + "\n"


def _cut(lines: list[str], others: list[str]) -> list[str]:
    """Long lines around the place where they begin to differ from the other side's line."""
    same = set(others)
    cut = []
    for number, line in enumerate(lines):
        other = others[number] if number < len(others) else ""
        if line not in same and len(line) > WIDEST:
            pairs = enumerate(zip(line, other, strict=False))
            at = next((n for n, (a, b) in pairs if a != b), 0)
            begin = max(0, at - WIDEST // 2)
            line = f"[from sign {begin}] …{line[begin : begin + WIDEST]}…"
        cut.append(line)
    return cut
