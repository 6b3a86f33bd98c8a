"""The client that waits for each answer: made of `_async` by `client/without_async.py`."""
