"""The demo studies, loaded from fixtures/ by the same services as other files."""
