"""The way out: one look-up, no redirects, no proxies, and nothing called that is not allowed."""

import socket
import ssl
import threading
from contextlib import closing, suppress

import pytest

from annotate.work.outgoing import (
    EVERYWHERE,
    NotAllowedError,
    UnreachableError,
    calls,
    networks,
    post,
)
from tests.attacks.certificates import self_signed
from tests.evaluation.entailment.test_http import scored

ASKED = b'{"pairs": []}'


def call(url, allowed=EVERYWHERE, timeout=5.0):
    return post(url, ASKED, {}, timeout=timeout, most_bytes=1_000, allowed=allowed)


@pytest.fixture
def names(monkeypatch):
    """What names lead to, one answer after the other; how often each was looked up."""
    led: dict[str, list[str]] = {}
    asked: list[str] = []
    real = socket.getaddrinfo

    def look_up(host, port, *args, **more):
        if host not in led:
            return real(host, port, *args, **more)
        asked.append(host)
        answers = led[host]
        found = answers.pop(0) if len(answers) > 1 else answers[0]
        if not found:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (one, port)) for one in found.split()]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    return led, asked


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "127.1", "2130706433", "0x7f.1", "0"])
def test_no_inner_server_is_asked(serve, host):
    server = serve(scored)
    with pytest.raises(NotAllowedError):
        call(f"http://{host}:{server.server_port}/score", allowed=())
    assert server.asked == []


def test_open_closed_and_unknown_look_the_same(serve, names):
    names[0].update({"inner.example.org": ["10.0.0.1"], "nowhere.example.org": [""]})
    with socket.create_server(("127.0.0.1", 0)) as taken:
        closed = taken.getsockname()[1]
    urls = (serve(scored).url, f"http://127.0.0.1:{closed}/", "http://inner.example.org/",
            "http://nowhere.example.org/", f"http://{'a' * 300}/")  # fmt: skip
    said = set()
    for url in urls:
        with pytest.raises(NotAllowedError) as refused:
            call(url, allowed=())
        said.add(str(refused.value))
    assert said == {""}


def test_a_name_that_changes_its_mind_leads_nowhere_else(serve, names, monkeypatch):
    """It is looked up once, and what was checked then is what is called."""
    led, asked = names
    server = serve(scored)
    led["rebinding.example.org"] = ["93.184.215.14", "127.0.0.1"]
    dialled = []

    def dial(place, timeout):
        dialled.append(place[0])
        raise ConnectionRefusedError

    monkeypatch.setattr(socket, "create_connection", dial)
    with pytest.raises(UnreachableError):
        call(f"http://rebinding.example.org:{server.server_port}/", allowed=())
    assert dialled == ["93.184.215.14"]
    assert asked == ["rebinding.example.org"]
    assert server.asked == []


def test_a_name_that_leads_to_both_is_refused(serve, names):
    server = serve(scored)
    names[0]["both.example.org"] = ["93.184.215.14 127.0.0.1"]
    with pytest.raises(NotAllowedError):
        call(f"http://both.example.org:{server.server_port}/", allowed=())
    assert server.asked == []


def test_a_public_address_of_this_machine_itself_is_not_called(serve, monkeypatch):
    """What listens there may be kept from others by a firewall that does not see this call."""
    server = serve(scored)
    monkeypatch.setattr(networks, "_is_public", lambda _: True)
    with pytest.raises(NotAllowedError):
        call(server.url, allowed=())
    assert server.asked == []
    assert call(server.url).status == 200
    assert not calls._is_here("93.184.215.14")


@pytest.fixture
def certificate(tmp_path):
    return self_signed("model.example.org", tmp_path / "certificate.pem")


def test_a_server_with_a_certificate_for_the_name_is_asked(serve, names, certificate, monkeypatch):
    server = serve(scored)
    speaks = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    speaks.load_cert_chain(certificate)
    server.socket = speaks.wrap_socket(server.socket, server_side=True)
    monkeypatch.setattr(calls, "_trust", lambda: ssl.create_default_context(cafile=certificate))
    for name in ("model.example.org", "other.example.org"):
        names[0][name] = ["127.0.0.1"]
    assert call(f"https://model.example.org:{server.server_port}/").status == 200
    assert server.headers[0]["Host"] == f"model.example.org:{server.server_port}"
    with pytest.raises(UnreachableError, match="not valid for 'other"):
        call(f"https://other.example.org:{server.server_port}/")
    assert len(server.asked) == 1


def test_certificates_are_checked():
    trust = calls._trust()
    assert trust.check_hostname
    assert trust.verify_mode == ssl.CERT_REQUIRED


def test_no_redirect_is_followed(serve):
    elsewhere = serve(scored)
    for status in (301, 302, 303, 307, 308):
        server = serve(lambda *_, s=status: (s, b"", ("Location", elsewhere.url)))
        assert call(server.url).status == status
    assert elsewhere.asked == []


@pytest.mark.parametrize("name", ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"])
def test_no_proxy_of_the_environment_is_used(serve, monkeypatch, name):
    proxy, server = serve(scored), serve(scored)
    monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.server_port}")
    assert call(server.url).status == 200
    with pytest.raises(NotAllowedError):
        call(server.url, allowed=())
    assert proxy.asked == []


def test_an_answer_without_end_is_cut(serve):
    server = serve(lambda *_: (200, b"x" * 100_000))
    assert len(call(server.url).body) == 1_001


@pytest.fixture
def says():
    """Servers that say these bytes and hang up; their addresses."""
    heard = []

    def serve(*pieces):
        listening = socket.create_server(("127.0.0.1", 0))

        def answer():
            with suppress(OSError), closing(listening), listening.accept()[0] as caller:
                caller.recv(10_000)
                for piece in pieces:
                    caller.sendall(piece)

        heard.append(threading.Thread(target=answer))
        heard[-1].start()
        return f"http://127.0.0.1:{listening.getsockname()[1]}/"

    yield serve
    for thread in heard:
        thread.join()


WHOLE = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    "pieces",
    [
        [*[b"HTTP/1.1 100 Continue\r\n\r\n"] * 4_000, WHOLE],
        [CHUNKED, b"2\r\n{}\r\n0\r\n", *[b"a: b\r\n" * 1_000] * 20, b"\r\n"],
    ],
    ids=["continue", "trailers"],
)
def test_who_never_ends_is_not_heard_for_ever(says, monkeypatch, pieces):
    """Each byte may come in time, and the answer never."""
    now = iter(range(10_000))
    monkeypatch.setattr(calls, "monotonic", lambda: next(now))
    with pytest.raises(UnreachableError, match="too long"):
        call(says(*pieces), timeout=5.0)


def test_a_chunk_of_no_length_is_not_kept_without_end(says, monkeypatch):
    """Python's own reader takes -1 for all that comes."""
    monkeypatch.setattr(calls, "OVERHEAD_BYTES", 10_000)
    with pytest.raises(UnreachableError, match="larger than allowed"):
        call(says(CHUNKED, b"-1\r\n", *[b"x" * 10_000] * 20))


def test_many_addresses_have_one_time(names, monkeypatch):
    names[0]["many.example.org"] = [" ".join(f"93.184.215.{n}" for n in range(1, 100))]
    now = iter(range(10_000))
    dialled = []

    def dial(place, timeout):
        dialled.append(place[0])
        raise TimeoutError("timed out")

    monkeypatch.setattr(calls, "monotonic", lambda: next(now))
    monkeypatch.setattr(socket, "create_connection", dial)
    with pytest.raises(UnreachableError):
        call("http://many.example.org/", allowed=(), timeout=5.0)
    assert len(dialled) < 5
