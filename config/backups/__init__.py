"""Attest as one file: the database of one moment, the files of its uploads, and a manifest
that says what both must be."""

from config.backups.archive import BackupError
from config.backups.making import back_up
from config.backups.restoring import opened, restore
