"""The client as `pip install ./client` installs it, beside nothing of Attest."""

import shutil
import subprocess
import sysconfig
import venv
from pathlib import Path

import pytest
from attest_client import __version__

CLIENT = Path(__file__).resolve().parents[2] / "client"

pytestmark = pytest.mark.processes


def run(*words, cwd):
    """What a command says, which has nothing of the tests' own surroundings."""
    done = subprocess.run(
        [*map(str, words)],
        cwd=cwd,
        env={"PATH": "/usr/bin:/bin", "HOME": str(cwd)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The folder of a fresh environment in which it is installed, without a network. What the
    client needs is where the tests have it."""
    folder = tmp_path_factory.mktemp("fresh")
    shutil.copytree(CLIENT, folder / "client", ignore=shutil.ignore_patterns("*.egg-info", "build"))
    venv.create(folder / "env", with_pip=False)
    python = folder / "env" / "bin" / "python"
    [packages] = (folder / "env").glob("lib/python3*/site-packages")
    (packages / "others.pth").write_text(sysconfig.get_path("purelib"))
    words = ("install", "--no-index", "--no-deps", "--no-build-isolation", "./client")
    run(python, "-m", "pip", *words, cwd=folder)
    return folder


def test_it_is_imported_in_its_version(installed):
    code = (
        "import attest_client, importlib.metadata as m;"
        "print(attest_client.__file__, attest_client.__version__, m.version('attest-client'))"
    )
    file, *versions = run(installed / "env/bin/python", "-c", code, cwd=installed).split()
    assert file.startswith(str(installed / "env"))
    assert versions == [__version__, __version__]
    said = run(installed / "env" / "bin" / "attest", "--version", cwd=installed)
    assert said.split() == ["attest", __version__]
