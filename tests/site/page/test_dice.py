"""Dice for a real board: thrown in order, stored before they are shown, and verifiable afterwards."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from gtp_variants.cli import main
from gtp_variants.rules.dice_stream import DiceStream, throw_face
from gtp_variants.site.page.listeners import PageLimits
from tests.site.page.serving import Json, Site, site


@pytest.fixture(scope="module")
def served() -> Iterator[Site]:
    with site() as running:
        yield running


def begin(served: Site, dice: str = "1d6", size: int = 13) -> Json:
    answer = served.ask("/api/dice", {"dice": dice, "size": size})
    assert answer.status == 201, answer.body
    made: Json = answer.json
    return made


def throw(served: Site, log: str, draw: int) -> Json:
    answer = served.ask(f"/api/dice/{log}", {"do": "throw", "draw": draw})
    assert answer.status == 200, answer.body
    told: Json = answer.json
    return told


def test_throws_agree_with_the_secret_revealed_at_the_end(
    served: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = begin(served, "2d6", 19)
    log, path = made["log"], f"/api/dice/{made['log']}"
    assert (made["throws"], made["next"], made["secret"]) == ([], "b", None)
    for draw in range(1, 6):
        told = throw(served, log, draw)
    assert [each["colour"] for each in told["throws"]] == ["b", "w", "b", "w", "b"]
    assert told["next"] == "w"
    assert told["secret"] is None
    assert '"secret"' not in served.ask(f"{path}/log").body.decode()
    told = served.ask(path, {"do": "reveal"}).json
    secret = bytes.fromhex(told["secret"])
    assert DiceStream(secret).commitment == made["commitment"]
    for each in told["throws"]:
        assert each["faces"] == [throw_face(secret, each["draw"], index, 6) for index in (0, 1)]
    file = tmp_path / "log.jsonl"
    file.write_bytes(served.ask(f"{path}/log").body)
    assert main(["verify", str(file)]) == 0
    assert "5 throws of 2d6 checked, 0 of them wrong" in capsys.readouterr().out
    assert served.ask(path, {"do": "throw", "draw": 6}).json == {"error": "these dice have been put away"}


@pytest.mark.parametrize(
    ("dice", "size", "faces", "opens"),
    [("1d4", 9, [4], [4, 5]), ("1d6", 13, [6], [6, 7]), ("1d6", 13, [2], [2]), ("2d6", 19, [6, 6], [10])],
)
def test_opened_lines_agree_with_the_rules(
    served: Site, dice: str, size: int, faces: list[int], opens: list[int]
) -> None:
    made = begin(served, dice, size)
    # Of two dice both are a 6 in one throw of 36.
    for draw in range(1, 2000):
        told = throw(served, made["log"], draw)["throws"][-1]
        if told["faces"] == faces:
            assert told["open"] == opens
            return
    pytest.fail("these faces never fell")


def test_two_phones_throw_once_for_one_turn(served: Site) -> None:
    log = begin(served)["log"]
    assert throw(served, log, 1) == throw(served, log, 1)
    assert len(throw(served, log, 2)["throws"]) == 2
    for draw in (0, 1, 4, -1, 10**9):
        assert served.ask(f"/api/dice/{log}", {"do": "throw", "draw": draw}).status == 400
    assert len(served.ask(f"/api/dice/{log}").json["throws"]) == 2


def test_dice_continue_after_the_server_was_restarted(tmp_path: Path) -> None:
    store = tmp_path / "games.sqlite3"
    with site(store) as served:
        made = begin(served)
        first = throw(served, made["log"], 1)
    with site(store) as served:
        assert served.ask(f"/api/dice/{made['log']}").json == first
        assert throw(served, made["log"], 2)["throws"][0] == first["throws"][0]


def test_a_throw_that_cannot_be_kept_is_not_told(served: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    log = begin(served)["log"]
    assert served.games is not None

    def full(*about: object) -> bool:
        raise OSError("disk full")

    with monkeypatch.context() as patched:
        patched.setattr(served.games.store, "keep_dice", full)
        assert served.ask(f"/api/dice/{log}", {"do": "throw", "draw": 1}).status == 503
    assert served.ask(f"/api/dice/{log}").json["throws"] == []


@pytest.mark.parametrize(
    ("body", "status"),
    [({}, 400), ({"dice": "1d6"}, 400), ({"dice": "0d6", "size": 13}, 400), ({"dice": 6, "size": 13}, 400),
     ({"dice": "1d6", "size": 99}, 400), ({"dice": "1d6,komi=1", "size": 13}, 400), ([], 400)],
)  # fmt: skip
def test_invalid_dice_are_refused(served: Site, body: object, status: int) -> None:
    assert served.ask("/api/dice", body).status == status


@pytest.mark.parametrize("body", [{}, {"do": "throw"}, {"do": "throw", "draw": "1"}, {"do": "throw", "draw": True}, 7])
def test_a_wrong_word_throws_nothing(served: Site, body: object) -> None:
    log = begin(served)["log"]
    assert served.ask(f"/api/dice/{log}", body).status == 400
    assert served.ask(f"/api/dice/{log}").json["throws"] == []


def test_an_unknown_dice_log_is_refused(served: Site) -> None:
    for path in ("/api/dice/nowhere", "/api/dice/nowhere/log"):
        assert served.ask(path).status == 404
    assert json.loads(served.ask("/api/dice/nowhere", **{"accept-language": "fr-CH, en"}).body) == {
        "error": "ces dés n'existent pas"
    }


def test_dice_logs_are_limited_and_need_the_token() -> None:
    with site(limits=PageLimits(games=2)) as served:
        first = begin(served)["log"]
        begin(served)
        assert served.ask("/api/dice", {"dice": "1d6", "size": 13}).status == 503
        assert served.ask(f"/api/dice/{first}", {"do": "reveal"}).status == 200
        begin(served)
        assert served.ask(f"/api/dice/{first}").status == 404
    with site(token="a token of some letters") as served:
        assert served.ask("/api/dice", {"dice": "1d6", "size": 13}).status == 401
