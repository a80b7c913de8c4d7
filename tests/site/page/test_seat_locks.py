"""Access to a person's seat: by an invitation once, or by a recovery word, and in no other way."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed

from gtp_variants.players.agreements import Participant
from gtp_variants.players.hosted_game import HostedGame, new_record
from gtp_variants.records.json import from_json
from gtp_variants.records.record import Record
from gtp_variants.records.sgf.games import from_sgf
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.site.page.game_store import PageStore
from gtp_variants.site.page.listeners import PageLimits
from gtp_variants.site.page.seat_locks import digest
from tests.site.page.serving import Answer, Json, Site, process, site

QUICK = PageLimits(pause_s=0.0, recoveries=1000)


@pytest.fixture(scope="module")
def served() -> Iterator[Site]:
    with site(limits=QUICK) as running:
        yield running


def begin(served: Site, spec: str = "phantom:size=5", invited: str = "w") -> Json:
    answer = served.ask("/api/games", {"spec": spec, "seats": {letter: {"kind": "invited"} for letter in invited}})
    assert answer.status == 201, answer.body
    made: Json = answer.json
    return made


def seat(served: Site, made: Json, **by: object) -> Answer:
    return served.ask(f"/api/games/{made['game']}/seat", by)


def renew(served: Site, made: Json, creator: object, colour: str = "w") -> Answer:
    return served.ask(f"/api/games/{made['game']}/invitation", {"creator": creator, "colour": colour})


def opens(served: Site, made: Json, token: str) -> object:
    """The colour that a token opens, None for no seat."""
    with served.sit(made["game"], token) as client:
        return client.whole.get("you")


def test_the_creator_cannot_open_the_invited_seat(served: Site) -> None:
    made = begin(served)
    assert set(made["seats"]) == set(made["recovery"]) == {"b"}
    assert set(made["invitations"]) == {"w"}
    white = seat(served, made, invitation=made["invitations"]["w"]).json
    with served.sit(made["game"], made["seats"]["b"]) as black:
        black.do("play", at="C3")
        black.until("turn", 2)
    for known in (made["invitations"]["w"], made["creator"], made["recovery"]["b"]):
        assert opens(served, made, known) is None
    assert opens(served, made, white["token"]) == "w"
    assert opens(served, made, made["seats"]["b"]) == "b"


def test_an_invitation_is_good_once_and_the_next_visitor_reads_that_the_seat_is_taken(served: Site) -> None:
    made = begin(served)
    first = seat(served, made, invitation=made["invitations"]["w"])
    assert (first.status, first.json["colour"]) == (201, "w")
    second = seat(served, made, invitation=made["invitations"]["w"])
    assert second.status == 409
    assert second.json["error"].startswith("seat taken")
    path = f"/api/games/{made['game']}/seat"
    french = served.ask(path, {"invitation": made["invitations"]["w"]}, **{"accept-language": "fr"})
    assert french.json["error"].startswith("place prise")
    assert opens(served, made, first.json["token"]) == "w"


def test_of_simultaneous_claims_one_gets_the_seat(served: Site) -> None:
    made = begin(served)
    with ThreadPoolExecutor(8) as crowd:
        answers = list(crowd.map(lambda _: seat(served, made, invitation=made["invitations"]["w"]), range(8)))
    assert sorted(each.status for each in answers) == [201] + 7 * [409]


def test_the_creator_renews_an_invitation_until_it_is_taken_and_sees_when_it_is(served: Site) -> None:
    made = begin(served)
    old = made["invitations"]["w"]
    for stranger in ("", "x", old, made["seats"]["b"], made["game"]):
        assert renew(served, made, stranger).status == 403
    with served.sit(made["game"], made["seats"]["b"]) as black:
        assert {letter: each["claimed"] for letter, each in black.whole["seats"].items()} == {"b": True, "w": False}
        new = renew(served, made, made["creator"]).json["invitation"]
        assert seat(served, made, invitation=old).status == 404
        assert seat(served, made, invitation=new).status == 201
        while not black.take_one("who")["seats"]["w"]["claimed"]:
            pass
    for colour in "wbr":
        assert renew(served, made, made["creator"], colour).status == 409


def test_a_game_without_invitations_has_none_to_renew(served: Site) -> None:
    made = begin(served, invited="")
    assert set(made["seats"]) == {"b", "w"}
    assert made["invitations"] == {}
    assert "creator" not in made
    assert renew(served, made, "").status == 403


def test_a_recovery_word_opens_its_seat_again_and_the_lost_browser_is_sent_away(served: Site) -> None:
    made = begin(served)
    claim = seat(served, made, invitation=made["invitations"]["w"]).json
    with (
        served.sit(made["game"], claim["token"]) as lost,
        served.sit(made["game"], made["seats"]["b"]) as black,
    ):
        typed = f" {claim['recovery'].upper().replace('-', ' ')} "
        back = seat(served, made, recovery=typed)
        assert (back.status, back.json["colour"]) == (201, "w")
        with pytest.raises(ConnectionClosed):
            lost.drain()
        black.do("play", at="C3")
        black.until("turn", 2)
    assert opens(served, made, claim["token"]) is None
    assert opens(served, made, back.json["token"]) == "w"
    assert opens(served, made, made["seats"]["b"]) == "b"
    assert seat(served, made, recovery=claim["recovery"]).status == 404
    assert seat(served, made, recovery=back.json["recovery"]).status == 201


def test_a_repeated_claim_gets_the_same_answer(served: Site) -> None:
    made, token, other = begin(served), "made-by-the-browser-of-white", "made-by-the-browser-of-red"
    # The answer is lost on its way: nobody reads it.
    lost = seat(served, made, invitation=made["invitations"]["w"], token=token)
    again = seat(served, made, invitation=made["invitations"]["w"], token=token)
    assert (again.status, again.json) == (201, lost.json)
    assert again.json["token"] == token
    for stranger in (other, "", made["seats"]["b"], made["creator"]):
        assert seat(served, made, invitation=made["invitations"]["w"], token=stranger).status == 409
    assert seat(served, begin(served), invitation=made["invitations"]["w"], token=token).status == 404
    assert opens(served, made, token) == "w"
    # The word to come back by is told no more once the seat was opened.
    late = seat(served, made, invitation=made["invitations"]["w"], token=token)
    assert late.json == {"colour": "w", "token": token}
    assert seat(served, made, recovery=lost.json["recovery"]).status == 201
    assert seat(served, made, invitation=made["invitations"]["w"], token=token).status == 409


def test_a_recovery_request_can_be_repeated(served: Site) -> None:
    made, token = begin(served), "made-by-the-browser-of-black"
    lost = seat(served, made, recovery=made["recovery"]["b"], token=token)
    assert seat(served, made, recovery=made["recovery"]["b"]).status == 404
    assert seat(served, made, recovery=made["recovery"]["b"], token=token).json == lost.json
    assert opens(served, made, token) == "b"
    assert seat(served, made, recovery=lost.json["recovery"]).status == 201


def test_a_claim_repeated_after_a_restart_keeps_the_seat(tmp_path: Path) -> None:
    token = "made-by-the-browser-of-white"
    with site(tmp_path / "games.sqlite3") as served:
        made = begin(served)
        assert seat(served, made, invitation=made["invitations"]["w"], token=token).status == 201
    with site(tmp_path / "games.sqlite3") as served:
        again = seat(served, made, invitation=made["invitations"]["w"], token=token)
        assert again.json == {"colour": "w", "token": token}
        assert opens(served, made, token) == "w"


def test_of_two_simultaneous_tokens_one_gets_the_seat(served: Site) -> None:
    made, tokens = begin(served), [f"made-by-browser-number-{number}" for number in range(8)]
    with ThreadPoolExecutor(8) as crowd:
        answers = list(
            crowd.map(lambda token: seat(served, made, invitation=made["invitations"]["w"], token=token), tokens * 2)
        )
    assert sorted(each.status for each in answers) == 2 * [201] + 14 * [409]
    assert len({each.body for each in answers if each.status == 201}) == 1


@pytest.mark.parametrize("token", ["short", 3, None, "x" * 65, "with a blank, which is none", "é" * 30])
def test_a_guessable_or_invalid_token_is_rejected(served: Site, token: object) -> None:
    made = begin(served)
    assert seat(served, made, invitation=made["invitations"]["w"], token=token).status == 400
    assert seat(served, made, invitation=made["invitations"]["w"]).status == 201


def test_a_creator_back_by_recovery_word_can_renew_invitations(served: Site) -> None:
    made = begin(served, "pentalath:players=3", "wr")
    white = seat(served, made, invitation=made["invitations"]["w"]).json
    # Somebody who was invited renews nothing, also when they come back.
    assert "creator" not in white
    assert "creator" not in seat(served, made, recovery=white["recovery"]).json
    back = seat(served, made, recovery=made["recovery"]["b"]).json
    # What the lost browser keeps is good for nothing.
    assert renew(served, made, made["creator"], "r").status == 403
    new = renew(served, made, back["creator"], "r").json["invitation"]
    assert seat(served, made, invitation=made["invitations"]["r"]).status == 404
    assert seat(served, made, invitation=new).json["colour"] == "r"
    assert renew(served, made, back["creator"], "w").status == 409


def test_the_creator_sees_no_draw_before_the_invited_seat_is_taken(tmp_path: Path) -> None:
    with site(tmp_path / "games.sqlite3") as served:
        made = begin(served, "aleago:size=9,crystal_ball=true")
        path = f"/api/games/{made['game']}/record.json"
        with served.sit(made["game"], made["seats"]["b"]) as black:
            assert black.whole["state"]["waiting"]
            assert (black.whole["news"], black.whole["commitment"], black.state["draw"]) == ([], None, None)
            assert served.ask(path).json["error"] == "this is not possible until all seats are taken"
            assert black.refused("pass") == "this is not possible until all seats are taken"
            assert black.refused("dice", dice="1d4") == "this is not possible until all seats are taken"
            assert served.games is not None
            # Nor do they come from the dice that were there.
            before = served.games._games[made["game"]].hosted.record.commitment
            seat(served, made, invitation=made["invitations"]["w"], name="Zoé")
            while black.whole["commitment"] is None:
                black.take()
            assert black.whole["commitment"] != before
            assert [item["kind"] for item in black.whole["news"]] == ["draw", "draw"]
            assert black.whole["seats"]["w"]["name"] == "Zoé"
            black.do("pass")
            black.until("turn", 2)
            state, commitment = black.state, black.whole["commitment"]
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


def test_a_recovery_word_is_good_for_its_own_game_only(served: Site) -> None:
    made, other = begin(served), begin(served)
    assert seat(served, other, recovery=made["recovery"]["b"]).status == 404
    assert seat(served, made, recovery=made["recovery"]["b"]).json["colour"] == "b"


def test_recovery_words_cannot_be_tried_at_will() -> None:
    with site(limits=PageLimits(recoveries=3, recovery_hz=0.001)) as served:
        made = begin(served)
        tries = [seat(served, made, recovery=f"guess {number}").status for number in range(5)]
        assert tries == [404, 404, 404, 429, 429]
        assert seat(served, made, recovery=made["recovery"]["b"]).status == 429
        assert seat(served, begin(served), recovery="guess").status == 404


@pytest.mark.parametrize("by", [{}, {"invitation": 3}, {"recovery": None}, {"invitation": ""}, {"recovery": ""}])
def test_an_invalid_invitation_opens_no_seat(served: Site, by: dict[str, object]) -> None:
    made = begin(served)
    assert seat(served, made, **by).status in (400, 404)
    assert seat(served, {"game": "nowhere"}, **by).status in (400, 404)
    assert opens(served, made, "") is None


def test_one_person_has_a_seat_in_several_tabs(served: Site) -> None:
    made = begin(served, "go:size=5")
    token = seat(served, made, invitation=made["invitations"]["w"]).json["token"]
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
        made, other = begin(served), begin(served, "pentalath:players=3", "br")
        claim = seat(served, made, invitation=made["invitations"]["w"]).json
        new = renew(served, other, other["creator"], "r").json["invitation"]
    with process(path) as (served, _):
        assert seat(served, made, invitation=made["invitations"]["w"]).status == 409
        assert opens(served, made, claim["token"]) == "w"
        assert opens(served, made, seat(served, made, recovery=claim["recovery"]).json["token"]) == "w"
        assert seat(served, other, invitation=other["invitations"]["r"]).status == 404
        assert seat(served, other, invitation=new).json["colour"] == "r"
        assert renew(served, other, other["creator"], "b").status == 201
    content = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    for secret in (claim["token"], claim["recovery"], made["invitations"]["w"], made["creator"], made["seats"]["b"]):
        assert secret.encode() not in content


def test_no_token_is_issued_that_cannot_be_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    with site() as served:
        made = begin(served)
        assert served.games is not None

        def fail(*_: object) -> None:
            raise OSError("disk is full")

        with monkeypatch.context() as full:
            full.setattr(served.games.store, "write_locks", fail)
            assert seat(served, made, invitation=made["invitations"]["w"]).status == 503
            assert renew(served, made, made["creator"]).status == 503
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
                full.setattr(PageStore, "write", fail)
                assert seat(served, made, invitation=made["invitations"]["w"]).status == 201
                black.until("waiting", None)
            black.do("play", at=black.state["legal"][0])
            black.until("turn", 2)
            commitment, draw = black.whole["commitment"], black.state["draw"]
    with site(tmp_path / "games.sqlite3") as served, served.sit(made["game"], made["seats"]["b"]) as black:
        assert (black.whole["commitment"], black.state["draw"]) == (commitment, draw)


def test_the_links_of_an_older_version_open_their_seats(tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite3"
    store = PageStore(path)
    seats = {BLACK: Participant(key=digest("black's token")), WHITE: Participant(key=digest("white's token"))}
    hosted = HostedGame.new(new_record(parse("go:size=5")), seats)
    store.write("an-old-game", hosted.lines, is_over=False)
    store.close()
    with site(path) as served:
        for token, letter in (("black's token", "b"), ("white's token", "w")):
            with served.sit("an-old-game", token) as client:
                assert client.whole["you"] == letter
                assert client.whole["seats"][letter]["claimed"]
        assert seat(served, {"game": "an-old-game"}, recovery="x").status == 404


def test_the_keys_of_a_game_go_with_it() -> None:
    with site(limits=PageLimits(games=1)) as served:
        made = begin(served)
        assert served.games is not None
        with served.sit(made["game"], made["seats"]["b"]) as black:
            black.do("resign")
            black.until("final", True)
        store = served.games.store
        assert set(store.load_locks(made["game"])) == {BLACK, WHITE}
        assert store.forget_over(1) == 1
        assert store.load_locks(made["game"]) == {}
