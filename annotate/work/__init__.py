"""Background jobs under leases, calls to other machines, and logs and metrics of a process."""
