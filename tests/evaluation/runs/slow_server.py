"""A scorer behind an address that needs a fixed time for each pair, and no processor.

It answers as `containment` does.

    python -m tests.evaluation.runs.slow_server PORT SECONDS_PER_PAIR
"""

import json
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from evaluation.judges.entailment.containment import Containment


class Handler(BaseHTTPRequestHandler):
    seconds = 0.0

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        pairs = [(one["premise"], one["hypothesis"]) for one in asked["pairs"]]
        time.sleep(self.seconds * len(pairs))
        content = json.dumps({"probabilities": Containment().probabilities(pairs)}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *args):
        """Say nothing."""


def main(port, seconds):
    Handler.seconds = float(seconds)
    server = ThreadingHTTPServer(("127.0.0.1", int(port)), Handler)
    server.serve_forever()


if __name__ == "__main__":
    main(*sys.argv[1:])
