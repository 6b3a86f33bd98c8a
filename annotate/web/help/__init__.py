"""The project's documents as the app serves them under /help/, and what they say in search."""
