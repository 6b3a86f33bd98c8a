"""The bundle: a study's data as files in a zip, from which anybody makes the same report again."""

from evaluation.reports.bundle.anonymous import anonymised
from evaluation.reports.bundle.archive import BundleError, BundleWriter
from evaluation.reports.bundle.reading import read_bundle
