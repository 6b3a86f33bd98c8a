"""The project's documents under /help/, and their search."""
