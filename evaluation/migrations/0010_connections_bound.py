"""Keys are sealed for one address, and a connection's name is its owner's own business."""

import base64

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.db import migrations, models
from django.db.models import Q
from django.utils.crypto import salted_hmac

SALT = "evaluation.outside.sealing"
OF_THE_ENVIRONMENT = "\0 the environment's"


def sealer(said):
    made = []
    for secret in settings.ATTEST_SEALING_SECRETS or [settings.SECRET_KEY]:
        digest = salted_hmac(SALT, said, secret=secret, algorithm="sha256").digest()
        made.append(Fernet(base64.urlsafe_b64encode(digest)))
    return MultiFernet(made)


def seal_otherwise(before, after):
    """A function that seals all keys anew. One that cannot be read stays as it is: it must be given
    again, which is said when it is needed."""

    def seal(apps, schema_editor):
        connections = apps.get_model("evaluation", "Connection").objects
        for one in connections.exclude(sealed_key=""):
            try:
                key = sealer(before(one.url)).decrypt(one.sealed_key.encode())
            except InvalidToken:
                continue
            sealed = sealer(after(one.url)).encrypt(key).decode()
            connections.filter(pk=one.pk).update(sealed_key=sealed)

    return seal


def for_any(url):
    return "key"


def for_one(url):
    return f"key for {url}"


def mark(apps, schema_editor):
    connections = apps.get_model("evaluation", "Connection").objects
    for one in connections.filter(environment_key=True):
        sealed = sealer(for_one(one.url)).encrypt(OF_THE_ENVIRONMENT.encode()).decode()
        connections.filter(pk=one.pk).update(sealed_key=sealed)


def unmark(apps, schema_editor):
    connections = apps.get_model("evaluation", "Connection").objects
    connections.filter(environment_key=True).update(sealed_key="")


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0009_outside_queue")]

    operations = [
        migrations.AlterField("connection", "name", models.CharField(max_length=60)),
        migrations.AddConstraint(
            "connection",
            models.UniqueConstraint(fields=["owner", "name"], name="connection_unique"),
        ),
        migrations.AddConstraint(
            "connection",
            models.UniqueConstraint(
                fields=["name"],
                condition=Q(owner__isnull=True),
                name="connection_of_the_operator_unique",
            ),
        ),
        migrations.RunPython(
            seal_otherwise(for_any, for_one), seal_otherwise(for_one, for_any)
        ),
        migrations.RunPython(mark, unmark),
    ]
