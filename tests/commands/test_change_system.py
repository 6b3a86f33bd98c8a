"""`change_system`, as somebody types it."""

import pytest
from django.core.management import CommandError, call_command

from annotate.models import AuditEntry, System
from annotate.studies.lifecycle import create_study
from tests.annotate.loading import load, response

pytestmark = pytest.mark.django_db


def test_a_system_is_flagged_and_renamed(alice, capsys):
    study = create_study(name="Peaks", slug="peaks", preset="alce", owner=alice)
    load(study, [response("So [1].", system="Umber"), response("So [1].", system="Vermilion")])
    call_command("change_system", "peaks", "Umber", "--uses-autoais", "yes")
    assert capsys.readouterr().out == "Umber counts as having used AutoAIS.\n"
    assert System.objects.get(name="Umber").uses_autoais
    assert AuditEntry.objects.filter(act="system-changed").latest("pk").details["uses_autoais"]
    call_command("change_system", "peaks", "Umber", "--rename", "Ochre")
    assert System.objects.get(name="Ochre").uses_autoais
    call_command("change_system", "peaks", "Ochre", "--uses-autoais", "no")
    assert not System.objects.get(name="Ochre").uses_autoais
    with pytest.raises(CommandError, match="Another system of this study is called “Vermilion”"):
        call_command("change_system", "peaks", "Ochre", "--rename", "Vermilion")
    with pytest.raises(CommandError, match="There is no system “Umber”"):
        call_command("change_system", "peaks", "Umber")
