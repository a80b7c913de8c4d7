"""Access to a person's seat: the visitor who began the game or came by an invitation has it, and nobody else."""

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from gtp_variants.players.agreements import Participant
from gtp_variants.players.hosted_game import HostedGame, new_record
from gtp_variants.records.json import from_json
from gtp_variants.records.record import Record
from gtp_variants.records.sgf.games import from_sgf
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.site.game_store import GameStore
from gtp_variants.site.page.listeners import PageLimits
from gtp_variants.site.page.page_game import PageGame
from gtp_variants.site.page.page_games import PageGames
from gtp_variants.site.page.seat_locks import SeatLock, digest
from gtp_variants.site.refusals import PageRefused
from gtp_variants.site.site_file import open_site
from tests.site.page.serving import Answer, Client, Json, Site, process, site

QUICK = PageLimits(pause_s=0.0)


@pytest.fixture(scope="module")
def served() -> Iterator[Site]:
    with site(limits=QUICK) as running:
        yield running


def begin(served: Site, spec: str = "phantom:size=5", invited: str = "w") -> Json:
    answer = served.ask("/api/games", {"spec": spec, "seats": {letter: {"kind": "invited"} for letter in invited}})
    assert answer.status == 201, answer.body
    made: Json = answer.json
    return {**made, "cookie": answer.cookie}


def new_visitor(served: Site) -> str:
    """The cookie of somebody who has just come."""
    return served.ask("/").cookie


def seat(served: Site, made: Json, visitor: str = "", **by: object) -> Answer:
    """The answer to a visitor, by default a new one, who wants a seat."""
    return served.ask(f"/api/games/{made['game']}/seat", by, cookie=visitor or new_visitor(served))


def renew(served: Site, made: Json, visitor: str, colour: str = "w") -> Answer:
    return served.ask(f"/api/games/{made['game']}/invitation", {"colour": colour}, cookie=visitor)


def sits(served: Site, made: Json, visitor: str, letter: str = "") -> object:
    """The colour at which a visitor sits down who wants this one, None for no seat."""
    with served.sit(made["game"], f"{visitor}|{letter}") as client:
        return client.whole.get("you")


def test_the_creator_cannot_open_the_invited_seat(served: Site) -> None:
    made, guest = begin(served), new_visitor(served)
    assert made["mine"] == ["b"]
    assert set(made["invitations"]) == {"w"}
    assert seat(served, made, guest, invitation=made["invitations"]["w"]).json == {"colour": "w"}
    with served.sit(made["game"], made["seats"]["b"]) as black:
        assert (black.whole["you"], black.whole["mine"], black.whole["creator"]) == ("b", ["b"], True)
        black.do("play", at="C3")
        black.until("turn", 2)
    for letter in ("", "b", "w"):
        assert sits(served, made, made["cookie"], letter) == "b"
        assert sits(served, made, guest, letter) == "w"
        assert sits(served, made, new_visitor(served), letter) is None


def test_an_invitation_is_good_once_and_the_next_visitor_reads_that_the_seat_is_taken(served: Site) -> None:
    made, guest = begin(served), new_visitor(served)
    # The first answer may be lost: who asks again has the seat.
    for _ in (1, 2):
        first = seat(served, made, guest, invitation=made["invitations"]["w"])
        assert (first.status, first.json["colour"]) == (201, "w")
    second = seat(served, made, invitation=made["invitations"]["w"])
    assert second.status == 409
    assert second.json["error"].startswith("seat taken")
    path = f"/api/games/{made['game']}/seat"
    french = served.ask(path, {"invitation": made["invitations"]["w"]}, **{"accept-language": "fr"})
    assert french.json["error"].startswith("place prise")
    assert seat(served, begin(served), guest, invitation=made["invitations"]["w"]).status == 404


def test_of_simultaneous_claims_one_gets_the_seat(served: Site) -> None:
    made, visitors = begin(served), [new_visitor(served) for _ in range(8)]
    with ThreadPoolExecutor(8) as crowd:
        answers = list(
            crowd.map(lambda each: seat(served, made, each, invitation=made["invitations"]["w"]), visitors * 2)
        )
    assert sorted(each.status for each in answers) == 2 * [201] + 14 * [409]


def test_the_creator_renews_an_invitation_until_it_is_taken_and_sees_when_it_is(served: Site) -> None:
    made = begin(served)
    old = made["invitations"]["w"]
    for stranger in ("", new_visitor(served), made["cookie"].rpartition(":")[0]):
        assert renew(served, made, stranger).status == 403
    with served.sit(made["game"], made["seats"]["b"]) as black:
        assert {letter: each["claimed"] for letter, each in black.whole["seats"].items()} == {"b": True, "w": False}
        new = renew(served, made, made["cookie"]).json["invitation"]
        assert seat(served, made, invitation=old).status == 404
        assert seat(served, made, invitation=new).status == 201
        while not black.take_one("who")["seats"]["w"]["claimed"]:
            pass
    for colour in "wbr":
        assert renew(served, made, made["cookie"], colour).status == 409


def test_a_game_without_invitations_has_none_to_renew(served: Site) -> None:
    made = begin(served, invited="")
    assert (made["mine"], made["invitations"]) == (["b", "w"], {})
    assert renew(served, made, made["cookie"]).status == 403
    # One person at both seats takes the one they want, or else the one that is to move.
    assert [sits(served, made, made["cookie"], letter) for letter in ("b", "w", "", "x")] == ["b", "w", "b", "b"]


def locks_of(served: Site, name: str) -> Mapping[int, SeatLock]:
    """The locks of a game in the store."""
    assert served.games is not None
    stored = served.games.store.load(name)
    return {} if stored is None else stored.locks


def test_all_seats_of_a_guest_go_to_the_account_that_they_claim(served: Site) -> None:
    made, other = begin(served), begin(served)
    assert served.games is not None
    guest = made["cookie"].partition("=")[2].partition(":")[0]
    with served.sit(made["game"], made["seats"]["b"]):
        served.games.owners.adopt(guest, "ann")
        for name, owner in (
            (made["game"], "ann"),
            (other["game"], other["cookie"].partition("=")[2].partition(":")[0]),
        ):
            game = asyncio.run_coroutine_threadsafe(served.games.fetch(name), served.loop).result()
            assert game.locks[BLACK].owner == owner
            assert game.is_creator(owner)
    assert sits(served, made, made["cookie"]) is None
    assert locks_of(served, made["game"])[BLACK].owner == "ann"


def test_the_creator_of_a_game_of_an_older_version_renews_its_invitation() -> None:
    async def renew_with(token: str) -> str:
        games = PageGames(GameStore(open_site(None)), QUICK)
        game, _ = games.begin({"spec": "go:size=5", "seats": {"w": {"kind": "invited"}}}, "~creator")
        # An older version noted the digest of a token, and gave each seat a token when it was taken.
        game.hosted.remember("creator", digest("the creator's"))
        invited = SeatLock(token=digest("white's"), invitation=digest("to white"))
        game.locks = {BLACK: SeatLock(token=digest("black's")), WHITE: invited, 3: SeatLock(invitation=digest("open"))}
        assert games.owners.find(game, "~ann", None, token) in (BLACK, WHITE)
        try:
            return games.owners.renew(game, "~ann", "r")
        except PageRefused as error:
            return error.key
        finally:
            await games.close()

    assert len(asyncio.run(renew_with("black's"))) == 22
    assert asyncio.run(renew_with("white's")) == "page.not_creator"


def test_only_who_has_all_seats_removes_a_game(served: Site) -> None:
    made = begin(served)
    seat(served, made, invitation=made["invitations"]["w"])
    alone = begin(served, invited="")
    for game, visitor, status in (
        (made, made["cookie"], 403),
        (alone, new_visitor(served), 403),
        (alone, alone["cookie"], 200),
    ):
        assert served.ask(f"/api/games/{game['game']}", method="DELETE", cookie=visitor).status == status
    assert served.ask(f"/api/games/{alone['game']}").status == 404


def test_the_creator_sees_no_draw_before_the_invited_seat_is_taken(tmp_path: Path) -> None:
    with site(tmp_path / "games.sqlite3") as served:
        made = begin(served, "aleago:size=9,crystal_ball=true")
        path = f"/api/games/{made['game']}/record.json"
        with served.sit(made["game"], made["seats"]["b"]) as black:
            assert black.whole["state"]["waiting"]
            assert (black.whole["news"], black.state["draw"]) == ([], None)
            commitment = black.whole["commitment"]
            assert served.ask(path).json["error"] == "this is not possible until all seats are taken"
            assert black.refused("pass") == "this is not possible until all seats are taken"
            assert black.refused("dice", dice="1d4") == "this is not possible until all seats are taken"
            assert black.state["waiting"]
            seat(served, made, invitation=made["invitations"]["w"], name="Zoé")
            black.until("waiting", None)
            assert black.whole["commitment"] == commitment
            assert [item["kind"] for item in black.whole["news"]] == ["draw", "draw"]
            assert black.whole["seats"]["w"]["name"] == "Zoé"
            black.do("pass")
            black.until("turn", 2)
            state = black.state
    with site(tmp_path / "games.sqlite3") as served, served.sit(made["game"], made["seats"]["b"]) as black:
        assert (black.state, black.whole["commitment"]) == (state, commitment)


def test_no_bot_begins_a_game_with_dice_before_the_person_it_waits_for(served: Site) -> None:
    seats = {"b": {"kind": "bot", "bot": "uniform"}, "w": {"kind": "invited"}}
    made = served.ask("/api/games", {"spec": "aleago:size=9", "seats": seats}).json
    with served.sit(made["game"]) as watcher:
        assert watcher.whole["state"]["waiting"]
        assert seat(served, made, invitation=made["invitations"]["w"]).status == 201
        watcher.until("turn", 2)


def test_player_names_are_shown_to_all_and_recorded(served: Site) -> None:
    seats = {"b": {"kind": "person", "name": "  Ada\n<b>]\\\u202e"}, "w": {"kind": "invited", "name": "nobody"}}
    made = served.ask("/api/games", {"spec": "phantom:size=5", "seats": seats}).json
    with served.sit(made["game"], made["seats"]["b"]) as black, served.sit(made["game"]) as watcher:
        assert black.whole["seats"]["b"]["name"] == "Ada <b>]\\"
        assert "name" not in black.whole["seats"]["w"]
        seat(served, made, invitation=made["invitations"]["w"], name="Zoé")
        for each in (black, watcher):
            while each.take_one("who")["seats"]["w"].get("name") != "Zoé":
                pass
        black.do("resign")
        black.until("final", True)
    record = read_record(served, made["game"], "json", from_json)
    assert record.players == {BLACK: "Ada <b>]\\", WHITE: "Zoé"}
    assert read_record(served, made["game"], "sgf", from_sgf).players == record.players
    (listed,) = [each for each in served.ask("/api/games").json["games"] if each["game"] == made["game"]]
    assert listed["seats"]["w"]["name"] == "Zoé"


def read_record(served: Site, game: str, form: str, read: Callable[[str], Record]) -> Record:
    return read(served.ask(f"/api/games/{game}/record.{form}").body.decode())


@pytest.mark.parametrize("name", [3, None, ["x"], "x" * 31])
def test_invalid_names_are_refused(served: Site, name: object) -> None:
    made = begin(served)
    assert seat(served, made, invitation=made["invitations"]["w"], name=name).status == 400
    asked = {"spec": "go:size=5", "seats": {"b": {"kind": "person", "name": name}}}
    assert served.ask("/api/games", asked).status == 400
    assert seat(served, made, invitation=made["invitations"]["w"], name="x" * 30).status == 201


def test_names_are_kept_and_a_referee_names_who_plays_at_real_boards(tmp_path: Path) -> None:
    seats = {letter: {"kind": "person", "name": name} for letter, name in (("b", "Ada"), ("w", "Zoé"))}
    with site(tmp_path / "games.sqlite3") as served:
        made = served.ask("/api/games", {"spec": "phantom:size=5", "referee": True, "seats": seats}).json
    with site(tmp_path / "games.sqlite3") as served, served.sit(made["game"]) as watcher:
        assert [each["name"] for each in watcher.whole["seats"].values()] == ["Ada", "Zoé"]


@pytest.mark.parametrize("code", [3, None, ""])
def test_an_invalid_invitation_opens_no_seat(served: Site, code: object) -> None:
    made = begin(served)
    assert seat(served, made, invitation=code).status in (400, 404)
    assert seat(served, {"game": "nowhere"}, invitation=code).status in (400, 404)
    assert seat(served, made).status == 400


def test_one_person_has_a_seat_in_several_tabs(served: Site) -> None:
    made = begin(served, "go:size=5")
    guest = new_visitor(served)
    seat(served, made, guest, invitation=made["invitations"]["w"])
    token = f"{guest}|w"
    with (
        served.sit(made["game"], made["seats"]["b"]) as black,
        served.sit(made["game"], token) as one,
        served.sit(made["game"], token) as two,
    ):
        black.do("play", at="C3")
        one.until("turn", 2)
        one.do("play", at="A1")
        two.until("turn", 3)
        assert one.until("turn", 3) == two.state == black.until("turn", 3)


def test_seats_are_the_same_after_the_server_was_killed(tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite3"
    with process(path) as (served, _):
        made, other, guest = begin(served), begin(served, "pentalath:players=3", "br"), new_visitor(served)
        assert seat(served, made, guest, invitation=made["invitations"]["w"]).status == 201
        new = renew(served, other, other["cookie"], "r").json["invitation"]
    with process(path) as (served, _):
        assert seat(served, made, invitation=made["invitations"]["w"]).status == 409
        assert seat(served, made, guest, invitation=made["invitations"]["w"]).status == 201
        assert sits(served, made, guest) == "w"
        assert sits(served, made, made["cookie"]) == "b"
        assert seat(served, other, invitation=other["invitations"]["r"]).status == 404
        assert seat(served, other, invitation=new).json["colour"] == "r"
        assert renew(served, other, other["cookie"], "b").status == 201
    content = b"".join(file.read_bytes() for file in tmp_path.glob("games.sqlite3*"))
    for secret in (made["invitations"]["w"], made["cookie"].rpartition(":")[2]):
        assert secret.encode() not in content


def test_no_seat_is_given_that_cannot_be_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    with site() as served:
        made = begin(served)
        assert served.games is not None

        def fail(*_: object) -> None:
            raise OSError("disk is full")

        with monkeypatch.context() as full:
            full.setattr(served.games.store, "write_locks", fail)
            assert seat(served, made, invitation=made["invitations"]["w"]).status == 503
            assert renew(served, made, made["cookie"]).status == 503
            assert served.ask("/api/games", {"spec": "go:size=5"}).status == 503
        assert seat(served, made, invitation=made["invitations"]["w"]).status == 201


def test_dice_that_came_while_the_disk_was_full_are_the_same_after_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError("disk is full")

    with site(tmp_path / "games.sqlite3") as served:
        made = begin(served, spec="aleago:size=5")
        with served.sit(made["game"], made["seats"]["b"]) as black:
            with monkeypatch.context() as full:
                full.setattr(GameStore, "write", fail)
                assert seat(served, made, invitation=made["invitations"]["w"]).status == 201
                black.until("waiting", None)
            black.do("play", at=black.state["legal"][0])
            black.until("turn", 2)
            commitment, draw = black.whole["commitment"], black.state["draw"]
    with site(tmp_path / "games.sqlite3") as served, served.sit(made["game"], made["seats"]["b"]) as black:
        assert (black.whole["commitment"], black.state["draw"]) == (commitment, draw)


def test_the_links_of_an_older_version_open_their_seats(tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite3"
    database = open_site(path)
    seats = {BLACK: Participant(key=digest("black's token")), WHITE: Participant(key=digest("white's token"))}
    hosted = HostedGame.new(new_record(parse("go:size=5")), seats)
    GameStore(database).write(PageGame("an-old-game", hosted))
    database.close()
    with site(path) as served:
        for token, letter in (("black's token", "b"), ("white's token", "w")):
            with served.sit("an-old-game", token) as client:
                assert client.whole["you"] == letter
                assert client.whole["seats"][letter]["claimed"]
        # From now on the seat is that visitor's, without the link.
        visitor = new_visitor(served)
        with served.dial(Cookie=visitor) as line:
            line.send(json.dumps({"join": "an-old-game", "seat": "black's token"}))
            assert Client(line).whole["you"] == "b"
        assert sits(served, {"game": "an-old-game"}, visitor) == "b"


def test_the_keys_of_a_game_go_with_it() -> None:
    with site(limits=PageLimits(games=1)) as served:
        made = begin(served)
        assert served.games is not None
        with served.sit(made["game"], made["seats"]["b"]) as black:
            black.do("resign")
            black.until("final", True)
        store = served.games.store
        assert set(locks_of(served, made["game"])) == {BLACK, WHITE}
        assert store.forget_over(1) == [made["game"]]
        assert locks_of(served, made["game"]) == {}
