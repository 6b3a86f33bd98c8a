"""What every room's pages and API share: error pages, filters of lists, the help,
the audit log, template filters, and in `api` the base of the API."""
