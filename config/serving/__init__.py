"""Running the web server and the worker together, as `manage.py serve` does."""
