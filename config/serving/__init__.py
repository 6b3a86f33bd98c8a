"""Run the web server and the workers together, for `manage.py serve`."""
