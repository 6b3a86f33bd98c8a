"""Background jobs under leases, calls to other machines, logs and metrics."""
