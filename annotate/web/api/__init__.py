"""The base of the API: errors, pagination, schema, viewsets."""
