"""A server that speaks as OpenSearch's search API does, over a few passages."""

import base64
import json
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

from annotate.text import bm25
from tests.background_server import in_background

LOGIN = "searcher:secret"


@contextmanager
def opensearch(passages, *, index="classics"):
    """Its `url`, what it was `asked`, and the `answers` that it gives in place of the next ones."""
    state = SimpleNamespace(asked=[], answers=[])

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            state.asked.append(asked)
            login = base64.b64encode(LOGIN.encode()).decode()
            if state.answers:
                self.answer(*state.answers.pop(0))
            elif self.headers.get("Authorization") != f"Basic {login}":
                self.answer(401, {"error": "Unauthorized", "status": 401})
            elif self.path != f"/{index}/_search":
                self.answer(404, {"error": {"type": "index_not_found_exception"}, "status": 404})
            elif asked.keys() - {"size", "query", "_source"}:
                self.answer(400, {"error": {"type": "parsing_exception"}, "status": 400})
            else:
                self.answer(200, found(asked))

        def answer(self, status, body):
            content = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json; charset=UTF-8")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *args):
            """Say nothing."""

    def found(asked):
        of = asked["query"]["multi_match"]
        texts = [" ".join(str(one.get(name, "")) for name in of["fields"]) for one in passages]
        (scores,) = bm25.scores(texts, [of["query"]])
        order = sorted((n for n, score in enumerate(scores) if score), key=lambda n: -scores[n])
        hits = [
            {
                "_index": index,
                "_id": passages[n]["id"],
                "_score": scores[n],
                "_source": {k: v for k, v in passages[n].items() if k in asked["_source"]},
            }
            for n in order[: asked["size"]]
        ]
        total = {"value": len(order), "relation": "eq"}
        return {"took": 1, "timed_out": False, "hits": {"total": total, "hits": hits}}

    with in_background(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as server:
        state.url = f"http://127.0.0.1:{server.server_port}/{index}/_search"
        yield state
