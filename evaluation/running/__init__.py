"""Automatic judges at work on a study: the only writers of what they find."""
