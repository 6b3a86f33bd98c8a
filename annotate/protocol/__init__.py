"""Dimensions, protocol files and formulas. Pure: no Django, no database."""
