"""Static files under names that tell their content, compressed once when they are collected."""

import os
from pathlib import Path
from typing import Any

import brotli
from django.contrib.staticfiles.apps import StaticFilesConfig
from whitenoise.compress import Compressor
from whitenoise.storage import CompressedManifestStaticFilesStorage

SUFFIXES = (".br", ".gz")
QUALITY = 10
"""Of Brotli, to 11: within two hundredths of the smallest, in less than half the time."""


class StaticFiles(StaticFilesConfig):
    """Without what no page loads: the pages of the interface's library, and a second htmx."""

    ignore_patterns = [*StaticFilesConfig.ignore_patterns, "rest_framework", "django_htmx"]


class CompressingOnce(Compressor):  # type: ignore[misc]
    """Leaves alone what it did before: every start collects the files, and Brotli takes seconds."""

    def compress(self, path: str) -> list[str]:
        there = [path + suffix for suffix in SUFFIXES if Path(path + suffix).exists()]
        return there if len(there) == len(SUFFIXES) else list(super().compress(path))

    @staticmethod
    def compress_brotli(data: bytes) -> bytes:
        return bytes(brotli.compress(data, quality=QUALITY))

    def write_data(self, path: str, data: bytes, suffix: str, stat_result: os.stat_result) -> str:
        """All of it or nothing, or half a file would be left alone for ever."""
        part = Path(f"{path}{suffix}.part")
        part.write_bytes(data)
        return str(part.replace(path + suffix))


class FingerprintedStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]
    def create_compressor(self, **options: Any) -> Compressor:
        return CompressingOnce(**options)
