"""Password reset links that an operator creates for a person."""

from allauth.account.forms import default_token_generator
from allauth.account.utils import user_pk_to_url_str
from django.db import transaction
from django.urls import reverse

from annotate.models import User
from annotate.people import second_factor
from annotate.people.signing_in import accounts_called
from annotate.web import audit
from annotate.web.errors import Refused


def reset_path(name: str, *, without_second_factor: bool = False) -> str:
    """Return the path of a link that works once, for three days. The old password still works."""
    user = account_called(name)
    with transaction.atomic():
        if without_second_factor:
            second_factor.remove_all(user)
        audit.note("reset-link-made", user, second_factor_removed=without_second_factor)
    key = {"uidb36": user_pk_to_url_str(user), "key": default_token_generator.make_token(user)}
    return reverse("account_reset_password_from_key", kwargs=key)


def account_called(name: str) -> User:
    users = list(User.objects.filter(pk__in=accounts_called(name.strip())))
    if len(users) > 1:
        raise Refused(f"More than one account is called “{name}”. Give the user name of the other.")
    if not users or not users[0].has_own_account or not users[0].is_active:
        raise Refused(f"There is no account “{name}”. Give its user name or e-mail address.")
    return users[0]
