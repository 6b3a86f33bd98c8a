"""Files in a bucket of an S3-compatible server. Named in settings where ATTEST_STORAGE_URL says so,
and imported only then."""

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
    """The server did not do what it was asked; what it said is the cause, and stands in the log."""


@contextmanager
def told() -> Iterator[None]:
    """Whatever goes wrong there is an OSError, as it is with a folder."""
    try:
        yield
    except (BotoCoreError, ClientError, Boto3Error) as fault:
        raise StorageError(
            "The file storage failed. Try again. If it fails again, tell your administrator: the "
            "log has the storage's answer."
        ) from fault


class Bucket(S3Storage):  # type: ignore[misc]
    """django-storages' own, with faults as they are known of a folder, and files read whole."""

    def _open(self, name: str, mode: str = "rb") -> File[bytes]:
        """What is opened is fetched at once, onto the disk, so that reading it cannot fail."""
        with told():
            file: File[bytes] = super()._open(name, mode)
            if "r" in mode:
                _ = file.file
        return file

    def _save(self, name: str, content: IO[Any]) -> str:
        with told():
            return str(super()._save(name, content))

    def ask(self) -> None:
        """Fail where the bucket does not answer or is not there; nobody waits long for it."""
        quick = Config(connect_timeout=ASK_SECONDS, read_timeout=ASK_SECONDS, retries=ONCE)
        with told():
            client = self._create_session().client(
                "s3",
                region_name=self.region_name,
                endpoint_url=self.endpoint_url,
                config=self.client_config.merge(quick),
            )
            client.head_bucket(Bucket=self.bucket_name)

    def delete(self, name: str) -> None:
        with told():
            super().delete(name)

    def exists(self, name: str) -> bool:
        with told():
            return bool(super().exists(name))

    def listdir(self, path: str) -> tuple[list[str], list[str]]:
        with told():
            folders, files = super().listdir(path)
        return folders, files

    def size(self, name: str) -> int:
        with told():
            return int(super().size(name))

    def get_modified_time(self, name: str) -> datetime:
        with told():
            changed: datetime = super().get_modified_time(name)
        return changed
