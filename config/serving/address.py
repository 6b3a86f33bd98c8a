"""Where the web server listens, and whether it may."""

import errno
import ipaddress
import socket
from dataclasses import dataclass

from config import environment as env
from config.environment import SettingError


@dataclass(frozen=True)
class Address:
    host: str
    port: int

    @property
    def is_loopback(self) -> bool:
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def is_every_interface(self) -> bool:
        return self.host in {"0.0.0.0", "::"}  # noqa: S104 - compared, not bound

    @property
    def bind(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def numeric(self) -> str:
        """The host in numbers: a web server may look up no names."""
        found = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)
        return str(found[0][4][0])

    @property
    def from_here(self) -> "Address":
        """The same server as this machine itself reaches it."""
        if not self.is_every_interface:
            return self
        return Address("::1" if self.host == "::" else "127.0.0.1", self.port)

    @property
    def url(self) -> str:
        return f"http://{self.from_here.bind}"


def chosen() -> Address:
    """The address that HOST and PORT ask for."""
    port = env.number("PORT", 8000, least=1)
    if port > 65_535:
        raise SettingError(f"PORT: expected at most 65535, found {port}.")
    return Address(env.text("HOST", "127.0.0.1").strip("[]"), port)


def refuse_unsafe(address: Address, *, production: bool) -> None:
    """The embedded mode is for one's own machine; other machines must be let in by name."""
    if production or address.is_loopback or env.words("ALLOWED_HOSTS"):
        return
    raise SettingError(
        f"HOST: {address.host} lets other machines in. Name the hosts that Attest answers for in "
        "ALLOWED_HOSTS, or leave HOST at 127.0.0.1."
    )


def refuse_taken(address: Address) -> None:
    """Found out before anything is started; the web server itself would say it late."""
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((address.host, address.port))
        except OSError as error:
            raise SettingError(_why_not(address, error)) from None


def _why_not(address: Address, error: OSError) -> str:
    another = "Choose another one, for example PORT=8001 make run."
    if error.errno == errno.EADDRINUSE:
        return f"PORT: {address.port} on {address.host} is used by another program. {another}"
    if error.errno == errno.EACCES:
        return f"PORT: {address.port} is not open to this user (1024 and above are). {another}"
    return f"HOST: {address.host} is not an address of this machine ({error.strerror})."
