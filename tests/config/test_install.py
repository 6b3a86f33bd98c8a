"""`scripts/install` with a Python that only notes what is asked of it."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PYTHON = """#!/bin/sh
echo "$*" >> "{log}"
case "$*" in
    *version_info*) exit {other_version} ;;
    "-m venv .venv") mkdir -p .venv/bin && cp "$0" .venv/bin/python ;;
    *install*) [ ! -e "{broken}" ] ;;
esac
"""


class Project:
    def __init__(self, folder):
        self.folder = folder
        self.log = folder / "asked"
        self.broken = folder / "pip-is-broken"
        self.bin = folder / "bin"
        self.bin.mkdir()
        for tool in ("sh", "dirname", "cat", "cmp", "rm", "mkdir", "cp"):
            (self.bin / tool).symlink_to(shutil.which(tool))
        (folder / "scripts").mkdir()
        shutil.copy(ROOT / "scripts/install", folder / "scripts/install")
        (folder / "requirements.txt").write_text("one==1\n")
        (folder / "requirements.lock").write_text("one==1 --hash=sha256:11\n")
        (folder / "requirements-dev.lock").write_text("two==2 --hash=sha256:22\n")
        (folder / "requirements-dev.txt").write_text("-r requirements.txt\ntwo==2\n")

    def add_python(self, name, *, other_version=0):
        text = PYTHON.format(log=self.log, broken=self.broken, other_version=other_version)
        (self.bin / name).write_text(text)
        (self.bin / name).chmod(0o755)

    def install(self, which="requirements.txt", **environment):
        """The finished process, and how often pip was asked to install a whole list."""
        self.log.write_text("")
        result = subprocess.run(
            [self.folder / "scripts/install", which],
            env={"PATH": str(self.bin), **environment},
            capture_output=True,
            text=True,
            check=False,
        )
        asked = self.log.read_text().splitlines()
        return result, sum("-m pip install" in line and ".txt" in line for line in asked)


@pytest.fixture
def project(tmp_path):
    project = Project(tmp_path)
    project.add_python("python3.11")
    return project


def test_the_packages_are_installed_once(project):
    result, times = project.install()
    assert (result.returncode, times) == (0, 1), result.stderr
    assert project.install()[1] == 0


def test_every_file_must_have_the_hash_of_the_lock_before_anything_else_is_fetched(project):
    project.install("requirements-dev.txt")
    fetched = [line for line in project.log.read_text().splitlines() if "-m pip install" in line]
    options = "-m pip install --quiet --disable-pip-version-check"
    assert fetched == [
        f"{options} --require-hashes --no-deps --requirement requirements.lock",
        f"{options} --require-hashes --no-deps --requirement requirements-dev.lock",
        f"{options} --requirement requirements-dev.txt",
    ]


@pytest.mark.parametrize("name", ["requirements", "requirements-dev"])
def test_the_lock_has_hashes_of_all_that_the_list_pins(name):
    """Of all but torch, which comes in builds of their own."""
    listed = set(re.findall(r"^ *([\w.-]+==\S+)$", (ROOT / f"{name}.txt").read_text(), re.M))
    lock = (ROOT / f"{name}.lock").read_text()
    locked = set(re.findall(r"^(\S+==\S+) \\\n    --hash=sha256:[0-9a-f]{64}", lock, re.M))
    assert len(listed) > 20
    assert {_plain(pin) for pin in listed if not pin.startswith("torch==")} == locked


def _plain(pin):
    package, version = pin.split("==")
    return f"{re.sub('[-_.]+', '-', package).lower()}=={version}"


@pytest.mark.parametrize(
    ("installed", "changed", "text"),
    [
        ("requirements.txt", "requirements.lock", "one==1 --hash=sha256:33\n"),
        ("requirements.txt", "requirements.txt", "one==1.1\n"),
        ("requirements-dev.txt", "requirements.txt", "one==1.1\n"),  # which it includes
    ],
)
def test_a_changed_list_is_installed_again(project, installed, changed, text):
    project.install(installed)
    assert project.install(installed)[1] == 0
    (project.folder / changed).write_text(text)
    assert project.install(installed)[1] == 1
    assert project.install(installed)[1] == 0


def test_a_broken_environment_is_made_again(project):
    project.install()
    (project.folder / ".venv/bin/python").unlink()
    result, times = project.install()
    assert (result.returncode, times) == (0, 1)


@pytest.mark.parametrize("other", [None, "python3"])
def test_without_python_311_it_says_what_to_do(tmp_path, other):
    project = Project(tmp_path)
    if other:
        project.add_python(other, other_version=1)
    result, times = project.install()
    assert (result.returncode, times) == (1, 0)
    assert "Attest needs Python 3.11" in result.stderr
    assert "make setup PYTHON=" in result.stderr
    assert not os.path.lexists(tmp_path / ".venv")
