"""What was done: rows that are only ever added, and hang together by a chain of hashes."""

import hashlib
import json
from typing import Any

from django.db import models
from django.utils import timezone

CHAIN_BEGINS = "0" * 64


class Via(models.TextChoices):
    """How somebody did it."""

    PAGE = "page", "in the browser"
    PROGRAM = "program", "by a program, with a token"
    COMMAND = "command", "by a command on the server"
    WORKER = "worker", "by Attest itself"


class AuditEntry(models.Model):
    """Who did what to which object, when and from where. It outlives what it tells of: people,
    studies and objects stand in it by number, what they are called by the name of that time.

    The row is written in the transaction of the act, and put into the chain after it (`number`,
    `hash`): acts need not wait for one another. The database refuses any other change but that
    `address` is blanked (`models/triggers.py`).
    """

    at = models.DateTimeField(default=timezone.now)
    act = models.CharField(max_length=40)
    user_id = models.BigIntegerField(null=True)
    via = models.CharField(max_length=10, choices=Via.choices)
    token_id = models.BigIntegerField(null=True)
    study_id = models.BigIntegerField(null=True)
    kind = models.CharField(max_length=30, blank=True)
    """What was acted on: the name of its model."""

    object_id = models.BigIntegerField(null=True)
    about = models.CharField(max_length=200, blank=True)
    """What it was called; empty where that is, or may say, who somebody is."""

    details = models.JSONField(default=dict)
    request_id = models.CharField(max_length=64, blank=True)
    address = models.CharField(max_length=64, blank=True)
    """From where. It can be blanked, so only its digest is in the chain."""

    place = models.CharField(max_length=64, blank=True)
    """The digest, salted with the row's own salt."""

    salt = models.CharField(max_length=32, blank=True)
    number = models.BigIntegerField(null=True, unique=True)
    hash = models.CharField(max_length=64, blank=True)

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["study_id", "-id"], name="audit_study"),
            models.Index(
                fields=["id"], name="audit_unsealed", condition=models.Q(number__isnull=True)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M:%S} {self.act}"

    def hash_after(self, before: str) -> str:
        """The hash of this entry, which stands behind one with the hash `before`."""
        told: list[Any] = [
            before,
            self.number,
            self.at.isoformat(),
            self.act,
            self.user_id,
            self.via,
            self.token_id,
            self.study_id,
            self.kind,
            self.object_id,
            self.about,
            self.details,
            self.request_id,
            self.place,
        ]
        text = json.dumps(told, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()


class AuditChain(models.Model):
    """The end of the chain: how many entries there are and the hash of the last, so that entries
    missing at the end show, too."""

    length = models.BigIntegerField(default=0)
    last = models.CharField(max_length=64, default=CHAIN_BEGINS)

    def __str__(self) -> str:
        return f"{self.length} entries"
