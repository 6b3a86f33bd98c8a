"""The address of the web server, and checks of it."""

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
        """The numeric host, because the web server may not resolve names."""
        found = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)
        return str(found[0][4][0])

    @property
    def from_here(self) -> "Address":
        """The address by which this machine reaches the server."""
        if not self.is_every_interface:
            return self
        return Address("::1" if self.host == "::" else "127.0.0.1", self.port)

    @property
    def url(self) -> str:
        return f"http://{self.from_here.bind}"


def chosen() -> Address:
    """Return the address in HOST and PORT."""
    port = env.number("PORT", 8000, least=1)
    if port > 65_535:
        raise SettingError(f"PORT: expected at most 65535, found {port}.")
    return Address(env.text("HOST", "127.0.0.1").strip("[]"), port)


def refuse_unsafe(address: Address, *, production: bool) -> None:
    """Refuse access from other machines in embedded mode without ALLOWED_HOSTS."""
    if production or address.is_loopback or env.words("ALLOWED_HOSTS"):
        return
    raise SettingError(
        f"HOST: {address.host} lets other machines in. Name the hosts that Attest answers for in "
        "ALLOWED_HOSTS, or leave HOST at 127.0.0.1."
    )


def refuse_taken(address: Address) -> None:
    """Refuse a port in use before anything is started."""
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
