"""Static files with digests in their names, compressed when they are collected."""

import os
from pathlib import Path
from typing import Any

import brotli
from django.contrib.staticfiles.apps import StaticFilesConfig
from whitenoise.compress import Compressor
from whitenoise.storage import CompressedManifestStaticFilesStorage

SUFFIXES = (".br", ".gz")
QUALITY = 10
"""Brotli's quality (up to 11): 2 % larger than the smallest, in less than half the time."""


class StaticFiles(StaticFilesConfig):
    """Static files without those of libraries that no page loads."""

    ignore_patterns = [*StaticFilesConfig.ignore_patterns, "rest_framework", "django_htmx"]


class CompressingOnce(Compressor):  # type: ignore[misc]
    """Skip files that are compressed already, because every start collects them."""

    def compress(self, path: str) -> list[str]:
        there = [path + suffix for suffix in SUFFIXES if Path(path + suffix).exists()]
        return there if len(there) == len(SUFFIXES) else list(super().compress(path))

    @staticmethod
    def compress_brotli(data: bytes) -> bytes:
        return bytes(brotli.compress(data, quality=QUALITY))

    def write_data(self, path: str, data: bytes, suffix: str, stat_result: os.stat_result) -> str:
        """Write a file atomically, because an incomplete one would never be replaced."""
        part = Path(f"{path}{suffix}.part")
        part.write_bytes(data)
        return str(part.replace(path + suffix))


class FingerprintedStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]
    def create_compressor(self, **options: Any) -> Compressor:
        return CompressingOnce(**options)
