"""Coming by a batch's link as somebody else: made-up ids, others' ids, one machine as many."""

import json
import time
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_network
from types import SimpleNamespace

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotate.content.judgments import judge_of
from annotate.models import Admission, AdmittedId, CrowdTry, Enrolment, Participant, User
from annotate.people import admission, prolific
from annotate.web.errors import Refused
from annotate.web.sealing import opened, seal_again
from tests.annotate.crowd import come, link, open_batch, page, same_browser, signed_in_as, text_of
from tests.annotate.desk import claim
from tests.background_server import in_background
from tests.shared_rows import shared_rows

TOKEN = "the-researchers-own-token"  # a made-up one


@pytest.fixture(autouse=True)
def nothing_cached(db):
    cache.clear()


@shared_rows
def batch(peaks):
    return open_batch(peaks, consent="We study citations.")


def terms(batch, **more):
    return admission.change_terms(batch, **{"rule": "listed", "own_codes": False, **more})


def knock(batch, pid, client=None, **more):
    """Follow the link with an id and press the button."""
    client = client or Client()
    return client.post(link(batch), {"PROLIFIC_PID": pid, "consent": "1"}, **more)


# Ids ---------------------------------------------------------------------------------------------


def test_made_up_ids_do_not_come_in(batch, settings):
    settings.ATTEST_IDS_PER_ADDRESS = 0
    terms(batch, ids=["real"])
    answers = [knock(batch, f"made-up-{n}") for n in range(25)]
    assert [answer.status_code for answer in answers] == [422] * 25
    assert "Your id may not take part" in text_of(answers[0])
    assert not Participant.objects.exists()
    assert not User.objects.filter(username__startswith="crowd-").exists()
    assert knock(batch, "real").status_code == 302


def test_looking_does_not_tell_which_ids_are_listed(batch):
    terms(batch, ids=["real"])
    pages = [text_of(Client().get(link(batch), {"PROLIFIC_PID": n})) for n in ("real", "none")]
    assert pages[0].replace("real", "none").count("none") == pages[1].count("none")
    assert "may not take part" not in pages[1]


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"x" * 201, b"one\ttwo"])
def test_a_file_that_is_no_list_is_refused_in_words(batch, bob, signed_in, content):
    sent = {"rule": "listed", "file": SimpleUploadedFile("ids.txt", content)}
    answer = signed_in(bob).post(reverse("admission", args=["peaks", batch.pk]), sent)
    assert answer.status_code == 422
    assert not batch.admitted.exists()


# One browser -------------------------------------------------------------------------------------


def test_a_second_browser_does_not_open_the_first_ones_task(batch):
    victim = come(batch, consent="1")
    assert claim(batch, judge(batch, victim))
    thief = Client()
    seen = thief.get(link(batch), {"PROLIFIC_PID": "5z3a"})
    assert seen.status_code == 403
    assert "in another browser" in text_of(seen)
    assert "researchers" in text_of(seen)
    assert "return the submission" not in text_of(seen), "which would end the victim's part"
    tried = knock(batch, "5z3a", client=thief)
    assert tried.status_code == 403
    assert "_auth_user_id" not in thief.session
    assert page("desk", batch, thief).redirect_chain[-1][0].startswith("/sign-in")
    assert come(batch, client=same_browser(victim)).session["_auth_user_id"]


def judge(batch, client):
    return judge_of(batch.study, signed_in_as(client))


def test_a_released_id_goes_to_the_next_browser_and_the_first_is_signed_out(batch, bob, signed_in):
    first = come(batch, consent="1")
    researcher = signed_in(bob)
    listed = text_of(researcher.get(reverse("participants", args=["peaks", batch.pk])))
    address = reverse("participant-release", args=["peaks", batch.pk, Enrolment.objects.get().pk])
    assert address in listed
    assert researcher.post(address).status_code == 302
    assert "/sign-in/" in page("desk", batch, first).redirect_chain[-1][0]
    second = come(batch)
    assert page("desk", batch, second).status_code == 200
    assert knock(batch, "5z3a", client=first).status_code == 403


def test_a_made_up_cookie_opens_nothing(batch):
    come(batch, consent="1")
    thief = Client()
    thief.cookies["attest-browser"] = Participant.objects.get().browser
    assert knock(batch, "5z3a", client=thief).status_code == 403


# Addresses ---------------------------------------------------------------------------------------


def test_too_many_ids_from_one_address(batch, settings):
    settings.ATTEST_IDS_PER_ADDRESS = 3
    assert [knock(batch, f"p{n}").status_code for n in range(4)] == [302, 302, 302, 422]
    refused = knock(batch, "p9")
    assert "Very many different ids came from your network" in text_of(refused)
    assert knock(batch, "p9", REMOTE_ADDR="203.0.113.7").status_code == 302
    assert Participant.objects.count() == 4
    kept = json.dumps(list(CrowdTry.objects.values("address", "external_id")))
    assert "127.0.0.1" not in kept
    CrowdTry.objects.update(at=timezone.now() - timedelta(hours=25))
    assert knock(batch, "p5").status_code == 302


def test_guessing_listed_ids_is_counted_too(batch, settings):
    settings.ATTEST_IDS_PER_ADDRESS = 3
    terms(batch, ids=["real"])
    for n in range(3):
        assert "may not take part" in text_of(knock(batch, f"guess-{n}"))
    assert "Very many" in text_of(knock(batch, "real"))


def test_who_came_comes_back_from_a_network_that_is_full(batch, settings):
    settings.ATTEST_IDS_PER_ADDRESS = 1
    client = come(batch, consent="1")
    assert knock(batch, "another").status_code == 422
    come(batch, client=same_browser(client))


def test_codes_of_ones_own_differ_and_researchers_see_them(batch, bob, signed_in):
    terms(batch, rule="anybody", own_codes=True)
    for name in ("one", "two"):
        come(batch, {"PROLIFIC_PID": name}, consent="1")
    codes = [admission.code_of(part) for part in batch.enrolments.all()]
    assert len(set(codes)) == 2
    assert all(code.startswith("C0DE-") and len(code) == 13 for code in codes)
    assert codes == [admission.code_of(part) for part in batch.enrolments.all()]
    listed = text_of(signed_in(bob).get(reverse("participants", args=["peaks", batch.pk])))
    assert all(code in listed for code in codes)


# Prolific: addresses that are signed -------------------------------------------------------------

KEY = rsa.generate_private_key(public_exponent=65_537, key_size=2_048)
OTHER = rsa.generate_private_key(public_exponent=65_537, key_size=2_048)


@pytest.fixture
def keys(tmp_path, settings):
    """The public keys, as the operator gives them."""
    public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(KEY.public_key()))
    path = tmp_path / "jwks.json"
    path.write_text(json.dumps({"keys": [public | {"kid": "k1", "alg": "RS256", "use": "sig"}]}))
    settings.ATTEST_PROLIFIC_KEYS = str(path)


def signed(key=KEY, kid="k1", algorithm="RS256", **claims):
    said = {
        "aud": "http://testserver",
        "exp": int(time.time()) + 600,
        "prolific": {"PROLIFIC_PID": "5z3a", "STUDY_ID": "st1", "SESSION_ID": "se1"},
    }
    return jwt.encode({**said, **claims}, key, algorithm=algorithm, headers={"kid": kid})


def follow(batch, token, client=None):
    return (client or Client()).post(link(batch), {"prolific_token": token, "consent": "1"})


@pytest.mark.usefixtures("keys")
def test_a_signed_address_comes_in_and_no_other(batch):
    terms(batch, rule="signed", prolific_study="st1")
    assert knock(batch, "5z3a").status_code == 422
    client = Client()
    seen = client.get(link(batch), {"prolific_token": signed()})
    assert 'name="prolific_token"' in text_of(seen)
    assert follow(batch, signed(), client).status_code == 302
    part = Enrolment.objects.get()
    assert (part.participant.external_id, part.session, part.project) == ("5z3a", "se1", "st1")


@pytest.mark.usefixtures("keys")
@pytest.mark.parametrize(
    "token",
    [
        lambda: signed(key=OTHER),
        lambda: signed(kid="k2"),
        lambda: signed(exp=int(time.time()) - 10),
        lambda: signed(aud="https://elsewhere.example.org"),
        lambda: signed(prolific="5z3a"),
        lambda: signed(prolific={"PROLIFIC_PID": 7}),
        lambda: jwt.encode({"prolific": {"PROLIFIC_PID": "5z3a"}}, "", algorithm="none"),
        lambda: jwt.encode({"prolific": {}}, "k" * 32, algorithm="HS256", headers={"kid": "k1"}),
        lambda: signed()[:-6] + "AAAAAA",
        lambda: "no.token.atall",
        lambda: "é",
    ],
)
@pytest.mark.parametrize("rule", ["signed", "anybody"])
def test_what_is_not_signed_for_here_and_now_does_not(batch, token, rule):
    terms(batch, rule=rule, prolific_study="st1")
    for client in (Client(), Client()):
        assert client.get(link(batch), {"prolific_token": token()}).status_code == 403
        assert follow(batch, token(), client).status_code == 403
    assert not Participant.objects.exists()


@pytest.mark.usefixtures("keys")
def test_addresses_signed_for_another_study_there_do_not(batch):
    """Anybody can have a study there, with this link as its address."""
    with pytest.raises(Refused, match="signs the same for everybody's studies"):
        terms(batch, rule="signed")
    terms(batch, rule="signed", prolific_study="st1")
    said = {"PROLIFIC_PID": "5z3a", "SESSION_ID": "se1"}
    assert follow(batch, signed(prolific=said | {"STUDY_ID": "thiefs"})).status_code == 422
    assert follow(batch, signed(prolific=said)).status_code == 422
    assert not Participant.objects.exists()


# Prolific: asked ---------------------------------------------------------------------------------


@pytest.fixture
def asked(settings, monkeypatch):
    """What Prolific is asked, and what it answers."""
    server = SimpleNamespace(asked=[], status=200, ids=["5z3a"])

    def get(url, headers, **more):
        server.asked.append((url, dict(headers)))
        rows = [{"participant_id": name, "status": "ACTIVE"} for name in server.ids]
        rows.append({"participant_id": "gave-up", "status": "RETURNED"})
        body = json.dumps({"results": rows}).encode()
        return SimpleNamespace(status=server.status, body=body)

    monkeypatch.setattr(prolific, "get", get)
    return server


def asking(batch):
    return terms(batch, rule="prolific", prolific_study="st/1", token=TOKEN)


def test_only_whom_prolific_names_comes_in(batch, asked):
    asking(batch)
    assert knock(batch, "made-up").status_code == 422
    assert knock(batch, "gave-up").status_code == 422
    assert knock(batch, "5z3a").status_code == 302
    url, headers = asked.asked[0]
    path = "/api/v1/studies/st%2F1/submissions/?ordering=-started_at"
    assert url == f"https://api.prolific.com{path}"
    assert headers["Authorization"] == f"Token {TOKEN}"


@pytest.mark.parametrize("status", [401, 429, 500])
def test_where_prolific_does_not_answer_nobody_new_comes_in(batch, asked, status):
    asking(batch)
    asked.status = status
    answer = knock(batch, "5z3a")
    assert answer.status_code == 422
    assert "cannot be asked of Prolific now" in text_of(answer)


def test_the_token_is_shown_to_nobody_and_kept_encrypted(batch, asked, bob, signed_in, settings):
    client = signed_in(bob)
    address = reverse("admission", args=["peaks", batch.pk])
    sent = {"rule": "prolific", "prolific_study": "st1", "token": TOKEN}
    assert client.post(address, sent).status_code == 302
    kept = Admission.objects.get()
    assert TOKEN not in kept.sealed_token
    assert opened(kept.sealed_token, admission.TOKEN_FOR) == TOKEN
    assert TOKEN not in text_of(client.get(address))
    client.post(address, sent | {"token": ""})
    kept.refresh_from_db()
    assert opened(kept.sealed_token, admission.TOKEN_FOR) == TOKEN
    settings.ATTEST_SEALING_SECRETS = ["new", settings.SECRET_KEY]
    assert seal_again()[0] == 1
    settings.ATTEST_SEALING_SECRETS = ["new"]
    kept.refresh_from_db()
    assert opened(kept.sealed_token, admission.TOKEN_FOR) == TOKEN
    client.post(reverse("admission-fetch", args=["peaks", batch.pk]))
    assert list(batch.admitted.values_list("external_id", flat=True)) == ["5z3a"]


def test_asking_needs_a_study_and_a_token(batch):
    with pytest.raises(Refused, match="id there and an API token"):
        terms(batch, rule="prolific", prolific_study="st1")
    assert not Admission.objects.exists()


class Prolific(BaseHTTPRequestHandler):
    """Answers as documented, to whoever has the token."""

    def do_GET(self):
        public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(KEY.public_key()))
        pages = {
            "/.well-known/study/jwks.json": {"keys": [public | {"kid": "k1", "alg": "RS256"}]},
            "/api/v1/studies/st1/submissions/?ordering=-started_at": {
                "results": [{"participant_id": "5z3a", "status": "AWAITING REVIEW"}]
            },
        }
        may = "well-known" in self.path or self.headers["Authorization"] == f"Token {TOKEN}"
        body = json.dumps(pages[self.path]).encode() if may else b"{}"
        self.send_response(200 if may else 401)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


@pytest.fixture
def platform(settings):
    settings.ATTEST_CALLED_NETWORKS = (ip_network("127.0.0.0/8"),)
    with in_background(ThreadingHTTPServer(("127.0.0.1", 0), Prolific)) as server:
        settings.ATTEST_PROLIFIC_URL = f"http://127.0.0.1:{server.server_port}"
        yield server


@pytest.mark.usefixtures("platform")
def test_a_real_server_is_asked_for_participants_and_keys(batch):
    terms(batch, rule="prolific", prolific_study="st1", token=TOKEN)
    assert knock(batch, "made-up").status_code == 422
    assert knock(batch, "5z3a").status_code == 302
    terms(batch, rule="signed", prolific_study="st1")
    said = {"PROLIFIC_PID": "another", "STUDY_ID": "st1", "SESSION_ID": "se2"}
    assert follow(batch, signed(prolific=said)).status_code == 302
    assert follow(batch, signed(key=OTHER)).status_code == 403


@pytest.mark.usefixtures("platform")
def test_a_wrong_token_is_told_to_researchers_alone(batch):
    terms(batch, rule="prolific", prolific_study="st1", token="wrong")
    with pytest.raises(Refused, match="Prolific did not accept the token"):
        admission.fetch(batch)
    refused = text_of(knock(batch, "5z3a"))
    assert "cannot be asked of Prolific now" in refused
    assert "token" not in refused.replace("csrfmiddlewaretoken", "")


def test_an_inner_address_is_not_called(batch, platform, settings):
    settings.ATTEST_CALLED_NETWORKS = ()
    terms(batch, rule="prolific", prolific_study="st1", token=TOKEN)
    assert knock(batch, "5z3a").status_code == 422


# Digests -----------------------------------------------------------------------------------------


def test_ids_kept_as_digests_are_known_again_and_read_by_nobody(batch, alice, bob, signed_in):
    terms(batch, ids=["5z3a", "listed"])
    began = come(batch, consent="1")
    address = reverse("hash-ids", args=["peaks"])
    assert signed_in(bob).post(address).status_code == 403
    assert signed_in(alice).post(address).status_code == 302
    batch.refresh_from_db()
    kept = Participant.objects.get()
    assert kept.external_id.startswith("hash:")
    assert not AdmittedId.objects.filter(external_id="listed").exists()
    assert Enrolment.objects.get().session == ""
    for name in ("participants", "admission"):
        shown = text_of(signed_in(bob).get(reverse(name, args=["peaks", batch.pk])))
        assert "5z3a" not in shown
        assert "se1" not in shown
    come(batch, client=same_browser(began))
    assert knock(batch, "listed").status_code == 302
    assert knock(batch, "made-up").status_code == 422
    assert knock(batch, kept.external_id).status_code == 422, "the digest is no id"
    assert Participant.objects.count() == 2
    assert not Enrolment.objects.exclude(session="").exists()
