"""The forms that pages show."""
