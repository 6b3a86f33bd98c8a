"""All settings, from the environment. Every variable has its heading in docs/settings.md."""

import secrets
import sys
from pathlib import Path

import django_stubs_ext

from config import environment as env
from config.observing.logs import logging_settings

django_stubs_ext.monkeypatch()

BASE_DIR = Path(__file__).resolve().parent.parent

# Where it runs ---------------------------------------------------------------------------------

ATTEST_MODE = env.text("ATTEST_MODE", "embedded")
if ATTEST_MODE not in {"embedded", "production"}:
    raise env.SettingError(f"ATTEST_MODE: expected embedded or production, found {ATTEST_MODE!r}.")
PRODUCTION = ATTEST_MODE == "production"
DEBUG = env.flag("DEBUG", default=False)

DATA_DIR = Path(env.text("ATTEST_DATA_DIR", str(BASE_DIR / "var"))).resolve()
DATA_DIR.mkdir(parents=True, exist_ok=True)

SECRET_KEY = env.secret_key(DATA_DIR)
if not SECRET_KEY and not PRODUCTION:
    # Stored, so that sessions and invitation links remain valid after a restart.
    SECRET_KEY = secrets.token_urlsafe(50)
    key_file = DATA_DIR / "secret-key"
    key_file.touch(mode=0o600)
    key_file.write_text(SECRET_KEY)

ALLOWED_HOSTS = env.words(
    "ALLOWED_HOSTS", [] if PRODUCTION else ["localhost", "127.0.0.1", "[::1]"]
)
CSRF_TRUSTED_ORIGINS = env.words("CSRF_TRUSTED_ORIGINS")
DATABASE_URL = env.text(
    "DATABASE_URL", "" if PRODUCTION else f"sqlite:///{DATA_DIR}/attest.sqlite3"
)
CELERY_BROKER_URL = env.text("CELERY_BROKER_URL", "" if PRODUCTION else "filesystem://localhost")
HTTPS = env.flag("ATTEST_HTTPS", default=PRODUCTION)

if PRODUCTION:
    faults = []
    if len(SECRET_KEY) < 50 or "change-me" in SECRET_KEY or len(set(SECRET_KEY)) < 10:
        faults.append("SECRET_KEY: set a random text of at least 50 characters.")
    if DEBUG:
        faults.append("DEBUG: must be off; it shows settings and source code to visitors.")
    if not ALLOWED_HOSTS or "*" in ALLOWED_HOSTS:
        faults.append("ALLOWED_HOSTS: name the hosts that Attest answers for, without *.")
    if not DATABASE_URL:
        faults.append("DATABASE_URL: name the database, postgresql://USER:PASSWORD@HOST/NAME.")
    elif ":change-me@" in DATABASE_URL:
        faults.append("DATABASE_URL: its password is still the one of the example file.")
    if not CELERY_BROKER_URL:
        faults.append("CELERY_BROKER_URL: name the queue, redis://HOST/0 or amqp://HOST.")
    if faults:
        raise env.SettingError(
            "Attest will not start in production with insecure settings:\n  - "
            + "\n  - ".join(faults)
        )

# Apps ------------------------------------------------------------------------------------------

INSTALLED_APPS = [
    "config",
    "evaluation",
    "annotate",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "config.static_files.StaticFiles",
    "django.forms",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "allauth.usersessions",
    "django_htmx",
    "rest_framework",
    "django_filters",
    "drf_spectacular",
]

MIDDLEWARE = [
    "config.observing.requests.followed",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "config.compression.Compressing",
    "config.security.private_and_secure",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "annotate.people.gate.before_pages",
    "config.text.no_nul",
    "annotate.web.error_pages.gone_meanwhile",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": False,
        "OPTIONS": {
            "builtins": ["annotate.web.template_filters"],
            "libraries": {
                "figures": "evaluation.report_pages.figures",
                "report_files": "evaluation.report_pages.report_links",
            },
            "loaders": [
                (
                    "django.template.loaders.cached.Loader",
                    [
                        "django.template.loaders.filesystem.Loader",
                        "django.template.loaders.app_directories.Loader",
                    ],
                )
            ],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    }
]
FORM_RENDERER = "django.forms.renderers.TemplatesSetting"

DATABASES = {"default": env.database(DATABASE_URL)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# People ----------------------------------------------------------------------------------------

AUTH_USER_MODEL = "annotate.User"
AUTHENTICATION_BACKENDS = ["annotate.authentication.EmailOrUsernameBackend"]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "studies"
LOGOUT_REDIRECT_URL = "account_login"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
SESSION_COOKIE_AGE = env.number("ATTEST_SESSION_DAYS", 14, least=1) * 24 * 3600
SESSION_COOKIE_SAMESITE = "Lax"
ATTEST_INVITATION_DAYS = env.number("ATTEST_INVITATION_DAYS", 14, least=1)
ATTEST_LEASE_MINUTES = env.number("ATTEST_LEASE_MINUTES", 30, least=1)
ATTEST_UNDO_DAYS = env.number("ATTEST_UNDO_DAYS", 7, least=0)
ATTEST_IDS_PER_ADDRESS = env.number("ATTEST_IDS_PER_ADDRESS", 20, least=0)
ATTEST_PROLIFIC_URL = env.text("ATTEST_PROLIFIC_URL", "https://api.prolific.com").rstrip("/")
ATTEST_PROLIFIC_KEYS = env.text("ATTEST_PROLIFIC_KEYS")
ATTEST_OPEN_SIGN_UP = env.flag("ATTEST_OPEN_SIGN_UP", default=False)
ATTEST_SECOND_FACTOR_FOR = env.choice(
    "ATTEST_SECOND_FACTOR_FOR", "nobody", ("nobody", "operators", "researchers", "everybody")
)

ACCOUNT_ADAPTER = "annotate.people.signing_in.AccountAdapter"
ACCOUNT_FORMS = {
    "login": "annotate.people.forms.accounts.SignInForm",
    "signup": "annotate.people.forms.accounts.SignUpForm",
    "add_email": "annotate.people.forms.accounts.AddressForm",
}
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
ACCOUNT_EMAIL_VERIFICATION = env.choice(
    "ATTEST_EMAIL_VERIFICATION", "none", ("none", "optional", "mandatory")
)
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = "[Attest] "
ACCOUNT_MAX_EMAIL_ADDRESSES = 3
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_SESSION_REMEMBER = True
# Wrong passwords are limited in annotate/people/signing_in.py.
ACCOUNT_RATE_LIMITS = {
    "login": None,  # also counts correct passwords, for example of a class behind one address
    "login_failed": "5/5m/key,30/h/key",  # codes of a second factor
}
USERSESSIONS_ADAPTER = "annotate.people.account_signals.SessionsAdapter"
MFA_ADAPTER = "annotate.people.second_factor.SecondFactorAdapter"
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_ALLOW_UNVERIFIED_EMAIL = True
MFA_RATE_LIMITS = {"webauthn_login": "300/m/ip"}  # for a class; passkeys cannot be guessed
MFA_TOTP_ISSUER = "Attest"
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = not HTTPS

# Single sign-on --------------------------------------------------------------------------------

ATTEST_SSO_ISSUER = env.issuer("ATTEST_SSO_ISSUER", encrypted=PRODUCTION)
ATTEST_SSO_GROUPS_CLAIM = env.text("ATTEST_SSO_GROUPS_CLAIM", "groups")
ATTEST_SSO_RESEARCHERS = env.words("ATTEST_SSO_RESEARCHERS")
ATTEST_SSO_OPERATORS = env.words("ATTEST_SSO_OPERATORS")
SOCIALACCOUNT_ADAPTER = "annotate.people.single_sign_on.SingleSignOnAdapter"
SOCIALACCOUNT_PROVIDERS = env.single_sign_on(ATTEST_SSO_ISSUER)
SOCIALACCOUNT_EMAIL_AUTHENTICATION = True
SOCIALACCOUNT_EMAIL_AUTHENTICATION_AUTO_CONNECT = True
SOCIALACCOUNT_EMAIL_VERIFICATION = "none"  # the issuer has verified it
# The policy on forms forbids a form that leads to the issuer, but not a link.
SOCIALACCOUNT_LOGIN_ON_GET = True
SOCIALACCOUNT_STORE_TOKENS = False

# Mail ------------------------------------------------------------------------------------------

ATTEST_MAIL_URL = env.text("ATTEST_MAIL_URL")
ATTEST_SENDS_MAIL = bool(ATTEST_MAIL_URL) or not PRODUCTION
globals().update(env.mail("ATTEST_MAIL_URL", otherwise="dummy" if PRODUCTION else "console"))
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = SERVER_EMAIL = env.text("ATTEST_MAIL_FROM", "attest@localhost")

# Caches ----------------------------------------------------------------------------------------

CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.db.DatabaseCache",
        "LOCATION": "attest_cache",
        "KEY_FUNCTION": "config.text.unreadable",
        "OPTIONS": {"MAX_ENTRIES": 100_000},
    },
    "process": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"},
}

# Security --------------------------------------------------------------------------------------

CSRF_FAILURE_VIEW = "annotate.web.error_pages.csrf_failure"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SECURE_SSL_REDIRECT = HTTPS and env.flag("ATTEST_HTTPS_REDIRECT", default=True)
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_REDIRECT_EXEMPT = [r"^(healthz|readyz|metrics)$"]
if env.flag("ATTEST_BEHIND_PROXY", default=False):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

# Language and time -----------------------------------------------------------------------------

LANGUAGE_CODE = "en-gb"
USE_I18N = False
USE_TZ = True
TIME_ZONE = env.text("TIME_ZONE", "UTC")

# Files -----------------------------------------------------------------------------------------

STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static", ("help", BASE_DIR / "docs" / "images")]
STATIC_ROOT = DATA_DIR / "static"
MEDIA_ROOT = DATA_DIR / "uploads"
TESTING = "pytest" in sys.modules
STORAGES = {
    "default": env.storage(env.text("ATTEST_STORAGE_URL")),
    "staticfiles": {
        "BACKEND": (
            "django.contrib.staticfiles.storage.StaticFilesStorage"
            if DEBUG or TESTING
            else "config.static_files.FingerprintedStorage"
        )
    },
}
WHITENOISE_KEEP_ONLY_HASHED_FILES = True
WHITENOISE_USE_FINDERS = WHITENOISE_AUTOREFRESH = DEBUG or TESTING
FILE_UPLOAD_MAX_MEMORY_SIZE = 1_000_000
DATA_UPLOAD_MAX_MEMORY_SIZE = 5_000_000

ATTEST_MAX_UPLOAD_BYTES = env.number("ATTEST_MAX_UPLOAD_BYTES", 1_000_000_000, least=1)
ATTEST_RESERVED_BYTES = env.number("ATTEST_RESERVED_BYTES", 200_000_000, least=0)
ATTEST_MAX_RECORDS = env.number("ATTEST_MAX_RECORDS", 1_000_000, least=1)
ATTEST_MAX_FIELD_CHARS = env.number("ATTEST_MAX_FIELD_CHARS", 1_000_000, least=1)
ATTEST_MAX_PASSAGES = env.number("ATTEST_MAX_PASSAGES", 1_000, least=1)
ATTEST_CORPORA_DIR = Path(env.text("ATTEST_CORPORA_DIR", str(DATA_DIR / "corpora"))).resolve()
ATTEST_INLINE_UPLOAD_BYTES = env.number("ATTEST_INLINE_UPLOAD_BYTES", 2_000_000)

ATTEST_STUDY_BYTES = env.number("ATTEST_STUDY_BYTES", 0, least=0)
ATTEST_STUDY_ROWS = env.number("ATTEST_STUDY_ROWS", 0, least=0)
ATTEST_STUDY_WORK = env.number("ATTEST_STUDY_WORK", 20, least=0)
ATTEST_PERSON_BYTES = env.number("ATTEST_PERSON_BYTES", 0, least=0)
ATTEST_PERSON_ROWS = env.number("ATTEST_PERSON_ROWS", 0, least=0)
ATTEST_PERSON_WORK = env.number("ATTEST_PERSON_WORK", 40, least=0)

ATTEST_CHROMIUM = env.text("ATTEST_CHROMIUM")

# Automatic judges ------------------------------------------------------------------------------

ATTEST_PARSER = env.text("ATTEST_PARSER")
ATTEST_PARSERS = env.words("ATTEST_PARSERS", [ATTEST_PARSER] if ATTEST_PARSER else [])
ATTEST_MODELS = env.words("ATTEST_MODELS")
ATTEST_MODEL_ROOTS = env.folders(
    "ATTEST_MODEL_ROOTS", [DATA_DIR / name for name in ("models", "parsers")]
)
ATTEST_OWN_CONNECTIONS = env.flag("ATTEST_OWN_CONNECTIONS", default=False)
ATTEST_CALLED_NETWORKS = env.networks("ATTEST_CALLED_NETWORKS")
ATTEST_SEALING_SECRETS = env.words("ATTEST_SEALING_SECRETS")

# The queue -------------------------------------------------------------------------------------

if CELERY_BROKER_URL.startswith("filesystem:"):
    broker_dir = DATA_DIR / "broker"
    for part in ("messages", "processed", "control"):
        (broker_dir / part).mkdir(parents=True, exist_ok=True)
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "data_folder_in": str(broker_dir / "messages"),
        "data_folder_out": str(broker_dir / "messages"),
        "processed_folder": str(broker_dir / "processed"),
        "control_folder": str(broker_dir / "control"),
        "store_processed": False,
        "polling_interval": 0.2,
    }
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_DEFAULT_QUEUE = "default"
CELERY_TASK_ALWAYS_EAGER = env.flag("ATTEST_TASKS_INLINE", default=False)
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
ATTEST_WORKER_QUEUES = env.words("ATTEST_WORKER_QUEUES", ["default", "entailment", "outside"])
ATTEST_CALLS_AT_ONCE = env.number("ATTEST_CALLS_AT_ONCE", 4, least=1)
ATTEST_PART_MINUTES = env.number("ATTEST_PART_MINUTES", 10, least=1)
CELERY_TASK_TIME_LIMIT = env.number("ATTEST_TASK_MINUTES", 240, least=1) * 60
ATTEST_PATIENCE_SECONDS = env.number("ATTEST_PATIENCE_SECONDS", 30, least=1)
CELERY_WORKER_MAX_MEMORY_PER_CHILD = (
    env.number("ATTEST_WORKER_MEMORY_MB", 0, least=0) * 1000 or None
)

# API -------------------------------------------------------------------------------------------

ATTEST_REQUESTS_PER_MINUTE = env.number("ATTEST_REQUESTS_PER_MINUTE", 1_200, least=0)

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "annotate.authentication.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": [
        "rest_framework.permissions.IsAuthenticated",
        "annotate.authentication.WithinToken",
    ],
    "DEFAULT_PARSER_CLASSES": [
        "annotate.web.api.parsing.ShallowJSONParser",
        "rest_framework.parsers.FormParser",
        "rest_framework.parsers.MultiPartParser",
    ],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "EXCEPTION_HANDLER": "annotate.web.api.errors.one_shape",
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
    "DEFAULT_SCHEMA_CLASS": "annotate.web.api.schema.ApiSchema",
}
SPECTACULAR_SETTINGS = {
    "OAS_VERSION": "3.1.0",
    "TITLE": "Attest",
    "VERSION": "1",
    "DESCRIPTION": "The JSON interface: the same access rules and services as the pages.",
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "POSTPROCESSING_HOOKS": ["annotate.web.api.description.anything_may_be_null"],
    "SCHEMA_PATH_PREFIX": r"^/api(/studies/\{slug\}(?=/\w))?",
}

# Logs and metrics ------------------------------------------------------------------------------

LOG_FORMAT = env.text("LOG_FORMAT", "line")
if LOG_FORMAT not in {"line", "json"}:
    raise env.SettingError(f"LOG_FORMAT: expected line or json, found {LOG_FORMAT!r}.")
LOGGING = logging_settings(LOG_FORMAT, env.text("LOG_LEVEL", "WARNING"))
ATTEST_METRICS_TOKEN = env.text("ATTEST_METRICS_TOKEN")
