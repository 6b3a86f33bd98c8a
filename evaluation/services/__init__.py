"""The only writers of what automatic judges find."""
