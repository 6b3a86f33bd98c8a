"""The audit log: append-only entries in a chain of hashes."""

import hashlib
import json
from typing import Any

from django.db import models
from django.utils import timezone

CHAIN_BEGINS = "0" * 64


class Via(models.TextChoices):
    """The way in which something was done."""

    PAGE = "page", "in the browser"
    PROGRAM = "program", "by a program, with a token"
    COMMAND = "command", "by a command on the server"
    WORKER = "worker", "by Attest itself"


class AuditEntry(models.Model):
    """Who did what to which object, when and from where.

    Entries remain after deletions: they have ids of people, studies and objects, and the names at
    that time. The row is written in the transaction of the action and added to the chain later
    (`number`, `hash`), so that actions do not wait for each other. The database refuses all other
    changes except blanking `address` (`models/triggers.py`).
    """

    at = models.DateTimeField(default=timezone.now)
    act = models.CharField(max_length=40)
    user_id = models.BigIntegerField(null=True)
    via = models.CharField(max_length=10, choices=Via.choices)
    token_id = models.BigIntegerField(null=True)
    study_id = models.BigIntegerField(null=True)
    kind = models.CharField(max_length=30, blank=True)
    """The name of the object's model."""

    object_id = models.BigIntegerField(null=True)
    about = models.CharField(max_length=200, blank=True)
    """The object's name; empty if it may identify a person."""

    details = models.JSONField(default=dict)
    request_id = models.CharField(max_length=64, blank=True)
    address = models.CharField(max_length=64, blank=True)
    """The network address. It can be blanked, so only its digest is in the chain."""

    place = models.CharField(max_length=64, blank=True)
    """The digest of the address with `salt`."""

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
        """Return the hash of this entry after an entry with the hash `before`."""
        fields: list[Any] = [
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
        text = json.dumps(fields, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()


class AuditChain(models.Model):
    """The length of the chain and the hash of its last entry, which reveal a shortened chain."""

    length = models.BigIntegerField(default=0)
    last = models.CharField(max_length=64, default=CHAIN_BEGINS)

    def __str__(self) -> str:
        return f"{self.length} entries"
