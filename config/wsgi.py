"""Entry point for web servers."""

import os
from importlib import import_module

from django.conf import settings
from django.core.wsgi import get_wsgi_application

from config.waiting import in_a_web_process

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

application = get_wsgi_application()
in_a_web_process()
import_module(settings.ROOT_URLCONF)  # before the first request, and before workers are copied
