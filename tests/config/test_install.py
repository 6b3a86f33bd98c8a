"""`scripts/install` with a Python that only notes what is asked of it."""

import os
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
        (folder / "requirements-dev.txt").write_text("-r requirements.txt\ntwo==2\n")

    def add_python(self, name, *, other_version=0):
        text = PYTHON.format(log=self.log, broken=self.broken, other_version=other_version)
        (self.bin / name).write_text(text)
        (self.bin / name).chmod(0o755)

    def install(self, which="requirements.txt", **environment):
        """The finished process, and how often pip was asked to install."""
        self.log.write_text("")
        result = subprocess.run(
            [self.folder / "scripts/install", which],
            env={"PATH": str(self.bin), **environment},
            capture_output=True,
            text=True,
            check=False,
        )
        return result, self.log.read_text().count("-m pip install")


@pytest.fixture
def project(tmp_path):
    project = Project(tmp_path)
    project.add_python("python3.11")
    return project


def test_the_packages_are_installed_once(project):
    result, times = project.install()
    assert (result.returncode, times) == (0, 1), result.stderr
    assert project.install()[1] == 0


def test_a_changed_list_is_installed_again(project):
    project.install()
    (project.folder / "requirements.txt").write_text("one==1.1\n")
    assert project.install()[1] == 1
    assert project.install()[1] == 0


def test_a_change_of_what_the_second_list_includes_is_noticed(project):
    project.install("requirements-dev.txt")
    assert project.install("requirements-dev.txt")[1] == 0
    (project.folder / "requirements.txt").write_text("one==1.1\n")
    assert project.install("requirements-dev.txt")[1] == 1


def test_the_second_list_brings_the_first(project):
    project.install("requirements-dev.txt")
    assert project.install("requirements.txt")[1] == 0


def test_the_first_list_does_not_bring_the_second(project):
    project.install("requirements.txt")
    assert project.install("requirements-dev.txt")[1] == 1


def test_a_failed_installation_is_tried_again(project):
    project.broken.touch()
    assert project.install()[0].returncode != 0
    project.broken.unlink()
    result, times = project.install()
    assert (result.returncode, times) == (0, 1)


def test_a_broken_environment_is_made_again(project):
    project.install()
    (project.folder / ".venv/bin/python").unlink()
    result, times = project.install()
    assert (result.returncode, times) == (0, 1)


def test_python_may_have_another_name(tmp_path):
    project = Project(tmp_path)
    project.add_python("snake")
    assert project.install(PYTHON="snake")[0].returncode == 0


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
