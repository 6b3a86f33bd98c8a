"""A study: settings, dimensions, guidelines, webhooks."""
