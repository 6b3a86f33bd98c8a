"""The image is made and started with the steps of `make setup`: what is tested is shipped."""

import re
from pathlib import Path

import yaml

from config.management.commands.serve import programs

ROOT = Path(__file__).resolve().parents[2]
DOCKERFILE = (ROOT / "Dockerfile").read_text()
SERVICES = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]


def test_building_and_starting_are_the_steps_of_setup():
    steps = re.search(r"^setup: (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert steps
    built = re.findall(r"^RUN make (.*)$", DOCKERFILE, re.MULTILINE)
    program, *started = SERVICES["migrate"]["command"]
    assert program == "make"
    assert [*built, *started] == steps[1].split()


def test_every_program_has_its_service():
    for service in ("web", "worker"):
        assert SERVICES[service]["command"][-3:] == ["serve", "--only", service]
        assert any(name.startswith(service) for name in programs())
        assert programs(service).keys() < programs().keys()
        waits_for = SERVICES[service]["depends_on"]
        assert waits_for["migrate"]["condition"] == "service_completed_successfully"
        assert waits_for["postgres"]["condition"] == "service_healthy"
        assert waits_for["redis"]["condition"] == "service_healthy"


def test_the_web_server_is_published_on_this_machine_only():
    assert all(port.startswith("127.0.0.1:") for port in SERVICES["web"]["ports"])
    assert "ports" not in SERVICES["postgres"]
    assert "ports" not in SERVICES["redis"]
