"""A server that takes a question and never answers."""

import socket
import threading

from django.db import connection as database


class Silent:
    """Takes what is asked, does `when_asked`, and says nothing as long as the test goes on."""

    def __init__(self):
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listening.getsockname()[1]}/score"
        self.callers = []
        self.when_asked = lambda: None
        self.faults = []
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        while True:
            try:
                caller = self.listening.accept()[0]
            except OSError:
                return
            self.callers.append(caller)
            try:
                self.when_asked()
            except Exception as fault:  # noqa: BLE001 the test looks at it
                self.faults.append(fault)
            finally:
                database.close()

    def close(self):
        self.listening.close()
        for caller in self.callers:
            caller.close()
