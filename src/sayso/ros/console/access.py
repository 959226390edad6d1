"""Who may see and use the console's page: whoever has its token, from its own origin."""

from __future__ import annotations

import ipaddress
import secrets
import socket
from dataclasses import dataclass
from http import HTTPStatus

from sayso.core.errors import Code, SaySoError

TOKEN_BYTES = 24
EVERYWHERE = ("", "0.0.0.0", "::")
_DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class Address:
    """Where the page is served.

    Attributes:
        host: an address of this machine.
        port: 0: any that is free.
        certificate, key: PEM files for TLS; both or neither.

    Raises:
        SaySoError: CONFIG for a host that others reach without TLS, for all addresses at once, or
            half a certificate.
    """

    host: str = "127.0.0.1"
    port: int = 8765
    certificate: str = ""
    key: str = ""

    def __post_init__(self) -> None:
        if self.host in EVERYWHERE:
            raise SaySoError(
                Code.CONFIG,
                f"the console is not served at all addresses at once ({self.host}).",
                hint="name the one address or host name that its certificate is for.",
            )
        if bool(self.certificate) != bool(self.key):
            raise SaySoError(
                Code.CONFIG,
                "TLS needs a certificate and its key.",
                hint="give both `certificate` and `key`, each a PEM file.",
            )
        if not self.certificate and not _is_loopback(self.host):
            raise SaySoError(
                Code.CONFIG,
                f"others reach the console at {self.host}: it is served there over TLS alone.",
                hint="give `certificate` and `key` (PEM files), or leave `address` at 127.0.0.1.",
            )

    @property
    def scheme(self) -> str:
        return "https" if self.certificate else "http"

    def hosts(self, port: int) -> frozenset[str]:
        """What a browser may call this server: any other name is another page's trick."""
        names = {f"[{self.host}]" if ":" in self.host else self.host}
        if _is_loopback(self.host):
            names |= {"127.0.0.1", "localhost"}
        hosts = {f"{name}:{port}" for name in names}
        return frozenset(hosts | names if port == _DEFAULT_PORTS[self.scheme] else hosts)

    def bound(self) -> socket.socket:
        """A socket that listens there. Raises CONFIG where none can."""
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        try:
            return socket.create_server((self.host, self.port), family=family)
        except OSError as error:
            raise SaySoError(
                Code.CONFIG,
                f"no page can be served at {self.host}:{self.port}: {error.strerror}.",
                hint="set the parameter `port` to another one, or to 0 for any that is free.",
            ) from error


def new_token() -> str:
    """A secret that nobody guesses, fit for an address."""
    return secrets.token_urlsafe(TOKEN_BYTES)


@dataclass(frozen=True)
class Access:
    """Who is let in.

    Attributes:
        token: the first folder of every address of the page.
        scheme, hosts: of this server.
    """

    token: str
    scheme: str
    hosts: frozenset[str]

    def refusal(self, path: str, host: str, origin: str) -> HTTPStatus | None:
        """Why a request is refused, or None.

        Args:
            path: of the address asked for.
            host: what the request calls this server.
            origin: of the page that asks, as its browser says; empty: no browser's page.
        """
        if host not in self.hosts or (origin and origin != f"{self.scheme}://{host}"):
            return HTTPStatus.FORBIDDEN
        given = path.lstrip("/").partition("/")[0]
        if not secrets.compare_digest(given.encode(), self.token.encode()):
            return HTTPStatus.UNAUTHORIZED
        return None


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
