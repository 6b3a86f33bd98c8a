"""Addresses for programs: the same doors and services as the pages, as JSON."""
