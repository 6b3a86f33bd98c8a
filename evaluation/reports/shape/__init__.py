"""The types of each section's JSON, for tables, charts, files and mypy.

The schema of a report (`reports/schema.py`) is made from these types. Rules such as a range, which
a type does not express, are annotations.
"""
