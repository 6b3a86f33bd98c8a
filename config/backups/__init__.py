"""Backups: a snapshot of the database, the uploaded files, and a manifest of both."""

from config.backups.archive import BackupError
from config.backups.making import back_up
from config.backups.restoring import opened, restore
