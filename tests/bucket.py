"""A bucket of an S3-compatible server (moto's), for tests."""

import contextlib
import os
import socket
import subprocess
import sys
import time

import boto3
import pytest
from botocore.exceptions import ClientError

from tests.processes import tied

KEYS = {
    "AWS_ACCESS_KEY_ID": "of-the-tests",
    "AWS_SECRET_ACCESS_KEY": "secret-of-the-tests",
    "AWS_DEFAULT_REGION": "us-east-1",
}
START_SECONDS = 120


class Server:
    """moto's server in a process of its own."""

    def __init__(self):
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            self.port = listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.process = subprocess.Popen(
            [sys.executable, "-m", "moto.server", "--host", "127.0.0.1", "--port", str(self.port)],
            env={**os.environ, **KEYS},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=tied(),
        )
        deadline = time.monotonic() + START_SECONDS
        while not self.answers():
            assert self.process.poll() is None, "moto's server ended"
            assert time.monotonic() < deadline, "moto's server does not answer"
            time.sleep(0.1)

    def answers(self):
        with contextlib.suppress(OSError):
            socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
            return True
        return False

    def stop(self):
        self.process.kill()
        self.process.wait()


class Bucket:
    """One bucket there: `url` is what ATTEST_STORAGE_URL names."""

    def __init__(self, server, name):
        self.server, self.name = server, name
        self.url = f"s3://{name}/attest?endpoint={server.url}"
        session = boto3.Session(
            aws_access_key_id=KEYS["AWS_ACCESS_KEY_ID"],
            aws_secret_access_key=KEYS["AWS_SECRET_ACCESS_KEY"],
            region_name=KEYS["AWS_DEFAULT_REGION"],
        )
        self.client = session.client("s3", endpoint_url=server.url)
        self.client.create_bucket(Bucket=name)

    def keys(self):
        listed = self.client.list_objects_v2(Bucket=self.name)
        return {found["Key"] for found in listed.get("Contents", ())}

    def put(self, key, content):
        self.client.put_object(Bucket=self.name, Key=key, Body=content)

    def get(self, key):
        return self.client.get_object(Bucket=self.name, Key=key)["Body"].read()

    def remove(self):
        """With it, all that is done to it fails."""
        with contextlib.suppress(ClientError):  # it is gone already
            for key in self.keys():
                self.client.delete_object(Bucket=self.name, Key=key)
            self.client.delete_bucket(Bucket=self.name)


@pytest.fixture(scope="session")
def s3_server():
    server = Server()
    yield server
    server.stop()


@pytest.fixture
def bucket(s3_server, request, monkeypatch):
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    made = Bucket(s3_server, f"tests-{abs(hash(request.node.nodeid)):x}")
    yield made
    made.remove()
