"""The client for programs that do other things meanwhile. `_sync` is made of it."""
