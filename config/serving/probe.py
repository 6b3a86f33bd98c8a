"""Check the health of a running web server.

`python -m config.serving.probe` is the image's health check. Its exit status is 0 if the server
answers 200.
"""

import http.client
import sys

from config import environment as env
from config.environment import SettingError
from config.serving.address import Address, chosen


def fault(address: Address, *, patience: float = 2.0) -> str:
    """Return the fault of the web server at `address`; empty if it is healthy."""
    here = address.from_here
    server = http.client.HTTPConnection(here.host, here.port, timeout=patience)
    try:
        server.request("GET", "/healthz", headers={"Host": _host_header(here)})
        answer = server.getresponse()
        body = answer.read(500).decode(errors="replace")
    except (OSError, http.client.HTTPException) as error:
        return f"{here.url}/healthz does not answer: {error}"
    finally:
        server.close()
    return "" if answer.status == 200 else f"{here.url}/healthz answers {answer.status}: {body}"


def _host_header(here: Address) -> str:
    """Return a host that the server accepts. Django answers 400 to others."""
    allowed = [host.lstrip(".") for host in env.words("ALLOWED_HOSTS") if host != "*"]
    return allowed[0] if allowed else here.bind


def main() -> int:
    try:
        found = fault(chosen())
    except SettingError as error:
        found = str(error)
    if found:
        print(found, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
