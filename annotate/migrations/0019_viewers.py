"""Members and invitations may have the role of a viewer."""

from django.db import migrations, models

ROLES = [
    ("owner", "Owner"),
    ("researcher", "Researcher"),
    ("viewer", "Viewer"),
    ("rater", "Rater"),
]


def without_viewers(apps, schema_editor):
    """Where the version of before goes on, nobody becomes more than they were."""
    if schema_editor.connection.vendor == "postgresql":  # else it waits with its checks for the end
        schema_editor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    for name in ("Membership", "Invitation"):
        apps.get_model("annotate", name).objects.filter(role="viewer").delete()


class Migration(migrations.Migration):

    dependencies = [("annotate", "0018_audit")]

    operations = [
        migrations.RemoveConstraint("invitation", "invitation_role_known"),
        migrations.RemoveConstraint("membership", "membership_role_known"),
        migrations.AlterField("invitation", "role", models.CharField(choices=ROLES, max_length=10)),
        migrations.AlterField("membership", "role", models.CharField(choices=ROLES, max_length=10)),
        migrations.AddConstraint(
            "invitation",
            models.CheckConstraint(
                condition=models.Q(role__in=["researcher", "viewer", "rater"]),
                name="invitation_role_known",
            ),
        ),
        migrations.AddConstraint(
            "membership",
            models.CheckConstraint(
                condition=models.Q(role__in=["owner", "researcher", "viewer", "rater"]),
                name="membership_role_known",
            ),
        ),
        migrations.RunPython(migrations.RunPython.noop, without_viewers),
    ]
