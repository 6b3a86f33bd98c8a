"""What each section of a report says, as types: read by tables, charts and files, and by mypy.

The report itself is plain JSON. Its schema (`reports/schema.py`) is made of these types, so what a
type does not say, such as a range, stands beside it as a rule.
"""
