"""What is kept of visitors is forgotten when it has served."""

from datetime import datetime

from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session

from annotate.models import SharedCount
from annotate.work import jobs


@jobs.swept
def sweep(now: datetime) -> None:
    """Counts that are over, sessions that ended, and the address and browser noted with them."""
    SharedCount.objects.filter(expires__lt=now).delete()
    Session.objects.filter(expire_date__lt=now).delete()
    UserSession.objects.exclude(session_key__in=Session.objects.values("session_key")).delete()
