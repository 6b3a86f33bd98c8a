"""A small OpenID Connect provider, as organisations have one: it knows one person at a time."""

import base64
import hashlib
import json
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.background_server import in_background

CLIENT, SECRET = "attest", "a made-up client secret"
KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)


@dataclass
class Issuer:
    """What it says of who signs in, and what it was asked."""

    url: str = ""
    person: dict[str, Any] = field(default_factory=dict)
    asked: dict[str, dict[str, str]] = field(default_factory=dict)
    """By code: the request that led to it."""

    refuses: bool = False
    token_claims: dict[str, Any] = field(default_factory=dict)
    """What the token says otherwise than it should."""

    def configuration(self) -> dict[str, Any]:
        return {
            "issuer": self.url,
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token",
            "userinfo_endpoint": f"{self.url}/userinfo",
            "jwks_uri": f"{self.url}/keys",
            "token_endpoint_auth_methods_supported": ["client_secret_post"],
        }

    def authorize(self, asked: dict[str, str]) -> str:
        """Where the browser is sent, signed in or refused."""
        assert asked["client_id"] == CLIENT
        assert asked["response_type"] == "code"
        assert asked["code_challenge_method"] == "S256"
        assert "openid" in asked["scope"].split()
        if self.refuses:
            said = {"error": "access_denied", "state": asked["state"]}
        else:
            code = secrets.token_urlsafe(8)
            self.asked[code] = asked
            said = {"code": code, "state": asked["state"]}
        return f"{asked['redirect_uri']}?{urlencode(said)}"

    def token(self, sent: dict[str, str]) -> tuple[int, dict[str, Any]]:
        """A code is taken once, from who has the secret and began with it."""
        asked = self.asked.pop(sent.get("code", ""), None)
        digest = hashlib.sha256(sent.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        known = (sent.get("client_id"), sent.get("client_secret")) == (CLIENT, SECRET)
        if asked is None or not known or asked["code_challenge"] != challenge:
            return 400, {"error": "invalid_grant"}
        now = int(time.time())
        said = {"iss": self.url, "aud": CLIENT, "iat": now, "exp": now + 60, **self.person}
        signed = jwt.encode({**said, **self.token_claims}, KEY, "RS256", headers={"kid": "one"})
        return 200, {"access_token": "opaque", "token_type": "Bearer", "id_token": signed}

    def keys(self) -> dict[str, Any]:
        public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(KEY.public_key()))
        return {"keys": [{**public, "kid": "one", "use": "sig", "alg": "RS256"}]}


def door(issuer: Issuer) -> type[BaseHTTPRequestHandler]:
    class Door(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            match parts.path:
                case "/.well-known/openid-configuration":
                    self.answer(200, issuer.configuration())
                case "/authorize":
                    self.send_response(302)
                    self.send_header("Location", issuer.authorize(dict(parse_qsl(parts.query))))
                    self.end_headers()
                case "/keys":
                    self.answer(200, issuer.keys())
                case "/userinfo" if self.headers["Authorization"] == "Bearer opaque":
                    self.answer(200, issuer.person)
                case _:
                    self.answer(404, {})

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            sent = {name: values[0] for name, values in parse_qs(body).items()}
            self.answer(*issuer.token(sent))

        def answer(self, status: int, said: dict[str, Any]) -> None:
            body = json.dumps(said).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    return Door


@contextmanager
def started() -> Iterator[Issuer]:
    issuer = Issuer()
    with in_background(ThreadingHTTPServer(("127.0.0.1", 0), door(issuer))) as server:
        issuer.url = f"http://127.0.0.1:{server.server_port}"
        yield issuer
