"""Accounts, sign-in, members, raters from crowd platforms, and personal data."""
