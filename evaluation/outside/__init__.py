"""What runs may take from outside: models behind connections, models and parsers of the machine."""
