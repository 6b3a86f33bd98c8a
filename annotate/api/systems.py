"""The systems of a study, for programs."""

from typing import Any

from annotate import access
from annotate.access import Access
from annotate.api.endpoint import PageSerializer, cut, listed, says
from annotate.api.removals import RemovalSerializer, told_removal
from annotate.api.serializers import SystemSerializer
from annotate.models import Role, System
from annotate.services import deletion, studies


@says(
    "The systems of the study.",
    role=Role.VIEWER,
    query=PageSerializer,
    gives=listed("systems", SystemSerializer),
)
def list_systems(entered: Access, asked: dict[str, Any]) -> dict[str, Any]:
    rows, after = cut(System.objects.loaded().filter(study=entered.study), asked)
    return {"systems": SystemSerializer(rows, many=True).data, "after": after}


@says("One system.", role=Role.VIEWER, gives=SystemSerializer)
def read_system(entered: Access, system_id: int) -> Any:
    return SystemSerializer(access.system_of(entered, system_id)).data


@says(
    "Rename or describe a system, or say that it used the metric itself.",
    role=Role.RESEARCHER,
    takes=SystemSerializer,
    gives=SystemSerializer,
)
def change_system(entered: Access, system_id: int, given: dict[str, Any]) -> Any:
    system = access.system_of(entered, system_id)
    names = ("name", "display_name", "description", "uses_autoais")
    present = {name: getattr(system, name) for name in names}
    return SystemSerializer(studies.change_system(system, **present | given)).data


@says(
    "Delete a system with its responses. For some days it can be put back.",
    role=Role.OWNER,
    gives=RemovalSerializer,
)
def delete_system(entered: Access, system_id: int) -> dict[str, Any]:
    return told_removal(
        deletion.delete_system(access.system_of(entered, system_id), by=entered.user)
    )
