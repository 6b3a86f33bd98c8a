"""Files in a bucket of an S3-compatible server, imported only if ATTEST_STORAGE_URL is set."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import IO, Any

from boto3.exceptions import Boto3Error
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from django.core.files.base import File
from storages.backends.s3 import S3Storage

ASK_SECONDS = 2
ONCE = {"max_attempts": 0}


class StorageError(OSError):
    """A failed request to the storage. Its cause has the server's answer, which is logged."""


@contextmanager
def _as_os_error() -> Iterator[None]:
    """Turn errors of the storage into an OSError, as a folder raises."""
    try:
        yield
    except (BotoCoreError, ClientError, Boto3Error) as fault:
        raise StorageError(
            "The file storage failed. Try again. If it fails again, tell your administrator: the "
            "log has the storage's answer."
        ) from fault


class Bucket(S3Storage):  # type: ignore[misc]
    """A bucket of django-storages that raises OSError and reads whole files."""

    def _open(self, name: str, mode: str = "rb") -> File[bytes]:
        """Download the file to the disk at once, so that reading it cannot fail."""
        with _as_os_error():
            file: File[bytes] = super()._open(name, mode)
            if "r" in mode:
                _ = file.file
        return file

    def _save(self, name: str, content: IO[Any]) -> str:
        with _as_os_error():
            return str(super()._save(name, content))

    def ping(self) -> None:
        """Raise OSError if the bucket does not answer quickly or does not exist."""
        quick = Config(connect_timeout=ASK_SECONDS, read_timeout=ASK_SECONDS, retries=ONCE)
        with _as_os_error():
            client = self._create_session().client(
                "s3",
                region_name=self.region_name,
                endpoint_url=self.endpoint_url,
                config=self.client_config.merge(quick),
            )
            client.head_bucket(Bucket=self.bucket_name)

    def delete(self, name: str) -> None:
        with _as_os_error():
            super().delete(name)

    def exists(self, name: str) -> bool:
        with _as_os_error():
            return bool(super().exists(name))

    def listdir(self, path: str) -> tuple[list[str], list[str]]:
        with _as_os_error():
            folders, files = super().listdir(path)
        return folders, files

    def size(self, name: str) -> int:
        with _as_os_error():
            return int(super().size(name))

    def get_modified_time(self, name: str) -> datetime:
        with _as_os_error():
            changed: datetime = super().get_modified_time(name)
        return changed
