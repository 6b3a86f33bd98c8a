"""The bundle: a study's data as files in a zip, from which anybody can rebuild the report."""

from evaluation.reports.bundle.anonymous import anonymised
from evaluation.reports.bundle.archive import BundleError, BundleWriter
from evaluation.reports.bundle.reading import read_bundle
