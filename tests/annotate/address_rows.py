"""What an address answers to whom: its status for an anonymous visitor, an outsider, a rater, a
viewer, a researcher and the owner. Who has opened a share link gets nowhere more than an anonymous
visitor."""

from dataclasses import dataclass, field

WHO = ("anonymous", "outsider", "rater", "viewer", "researcher", "owner", "link")


@dataclass(frozen=True)
class Row:
    """What GET and POST answer; one word stands for all."""

    get: str
    post: str = ""
    data: dict = field(default_factory=dict)

    def expected(self, method, who):
        who = "anonymous" if who == "link" else who
        words = (self.post if method == "post" and self.post else self.get).split()
        return int(words[0] if len(words) == 1 else words[WHO.index(who)])


MEMBERS = "302 404 200 200 200 200"
RESEARCHERS = "302 404 403 403 200 200"
VIEWERS = "302 404 403 200 200 200"
OWNERS = "302 404 403 403 403 200"
OWNERS_ACT = "302 404 403 403 403 302"
ACTION = "302 404 403 403 302 302"
POST_ONLY = "302 405 405 405 405 405"
AT_THE_DESK = Row("405", "302 404 302 403 404 404")
RATING = "302 404 200 403 200 200"
OWN = Row("302 200 200 200 200 200")
API_READ = Row("401 404 403 403 200 200", "401 405 405 405 405 405")
API_POST = "401 405 405 405 405 405"
API_ACTION = Row(API_POST, "401 404 403 403 200 200")
API_REFUSED = Row(API_POST, "401 404 403 403 409 409")
API_JSON = Row("401 404 403 403 200 200", "401 404 403 403 415 415")
API_AT_DESK, AT_DESK_DONE = "401 404 200 403 404 404", "401 404 204 403 404 404"
API_VIEW = Row("401 404 403 200 200 200", "401 405 405 405 405 405")
