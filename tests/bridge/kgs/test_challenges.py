"""Parts of the KGS adapter by themselves: challenges in the room, and the archive of unfinished games."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from gtp_variants.base.tasks import Timers
from gtp_variants.bridge.core.server import ADJOURNED, OVER, Challenge, ServerGame
from tests.bridge.fakes.running_bridge import config_of

pytest.importorskip("httpx", reason="KGS needs httpx: pip install 'gtp-variants[kgs]'")

from gtp_variants.bridge.kgs import values
from gtp_variants.bridge.kgs.adapter import KgsArchive, KgsChallenges
from gtp_variants.bridge.kgs.client import KgsClient, KgsNews

ROOM, OURS = 3, 9


class _Client(SimpleNamespace):
    """An account that is in a room and notes what it posts."""

    def __init__(self) -> None:
        super().__init__(me="botty", is_playing=False, rooms={}, posted=[])

    def next_key(self) -> int:
        return 1

    def to(self, channel: int, kind: str, **fields: object) -> None:
        self.posted.append((channel, kind))

    def post(self, kind: str, **fields: object) -> None:
        self.posted.append((0, kind))

    def leave(self, channel: int) -> None:
        self.posted.append((channel, "leave"))

    def chat(self, channel: int, text: str) -> None:
        self.posted.append((channel, text))


def _challenges(folder: Path) -> tuple[KgsChallenges, _Client, list[str]]:
    config = config_of("kgs", 80, folder, server="room: here")
    client, offered = _Client(), list[str]()
    timers = Timers[Any](lambda work: work())
    found = KgsChallenges(config, cast(KgsClient, client), timers, lambda: offered.append("offer"), print)
    found.room, found.is_settled = ROOM, True
    return found, client, offered


def _open(challenges: KgsChallenges) -> None:
    challenges.open()
    challenges.read(KgsNews({"type": "CHALLENGE_CREATED", "callbackKey": 1, "game": {"channelId": OURS}}, ROOM))


def _submit(challenges: KgsChallenges, user: str) -> Challenge:
    proposal = values.proposal_of(challenges._config.offer, "botty", 5, 6.5, challenges._config.challenges.colours)
    for seat in proposal["players"]:
        seat.setdefault("name", user)
    message = {"type": "CHALLENGE_SUBMIT", "channelId": OURS, "user": {"name": user}, "proposal": proposal}
    (happened,) = challenges.read(KgsNews(message, OURS))
    assert isinstance(happened, Challenge)
    return happened


def test_one_challenge_is_open_while_nothing_is_played(tmp_path: Path) -> None:
    challenges, client, offered = _challenges(tmp_path)
    client.is_playing = True
    challenges.open()
    client.is_playing = False
    _open(challenges)
    challenges.open()
    assert client.posted == [(ROOM, "CHALLENGE_CREATE")]
    challenges.note_game()
    assert client.posted[1:] == [(OURS, "leave")]
    assert challenges.ours is None
    assert offered == []


def test_acceptance_repeats_the_proposal_once(tmp_path: Path) -> None:
    challenges, client, _ = _challenges(tmp_path)
    _open(challenges)
    challenge = _submit(challenges, "alpha")
    assert (challenge.user, challenge.terms.size) == ("alpha", 5)
    challenges.accept(challenge)
    challenges.accept(challenge)
    assert client.posted[1:] == [(OURS, "CHALLENGE_PROPOSAL")]


def test_a_proposal_that_cannot_be_read_is_declined_with_a_sentence(tmp_path: Path) -> None:
    challenges, client, _ = _challenges(tmp_path)
    _open(challenges)
    message = {"type": "CHALLENGE_SUBMIT", "channelId": OURS, "user": {"name": "alpha"}, "proposal": {"rules": {}}}
    assert challenges.read(KgsNews(message, OURS)) == []
    said = "alpha: I cannot read the terms of this challenge. Please send one with other terms."
    assert client.posted[1:] == [(OURS, "CHALLENGE_DECLINE"), (OURS, said)]


def test_an_open_challenge_that_cannot_be_read_hides_no_other(tmp_path: Path) -> None:
    config = config_of("kgs", 80, tmp_path, "offer: {take: true}\n", server="room: here")
    good = {"players": {"challengeCreator": {"name": "bravo"}}, "initialProposal": {}}
    good["initialProposal"] = values.proposal_of(config.offer, "bravo", 5, 6.5, "any")
    wrong = {"players": {"challengeCreator": {"name": "alpha"}}, "initialProposal": {"players": 7}}
    client = _Client()
    client.rooms[ROOM] = SimpleNamespace(challenges={1: wrong, 2: good})
    timers = Timers[Any](lambda work: work())
    challenges = KgsChallenges(config, cast(KgsClient, client), timers, lambda: None, print)
    challenges.room, challenges.is_settled = ROOM, True
    (found,) = challenges.find_open()
    assert isinstance(found, Challenge)
    assert found.user == "bravo"


def test_only_the_last_declined_player_gets_the_reason_in_the_channel(tmp_path: Path) -> None:
    challenges, client, _ = _challenges(tmp_path)
    _open(challenges)
    _submit(challenges, "alpha")
    challenges.decline("alpha")
    assert not challenges.tell_decline_reason("bravo", "No.")
    assert challenges.tell_decline_reason("alpha", "No.")
    assert not challenges.tell_decline_reason("alpha", "No.")
    assert client.posted[1:] == [(OURS, "CHALLENGE_DECLINE"), (OURS, "alpha: No.")]


def test_a_challenge_that_is_closed_is_offered_again(tmp_path: Path) -> None:
    challenges, _, offered = _challenges(tmp_path)
    _open(challenges)
    challenges.read(KgsNews({"type": "CLOSE"}, OURS))
    assert offered == ["offer"]
    assert challenges.ours is None


def test_the_archive_has_the_newest_unfinished_game_with_each_opponent(tmp_path: Path) -> None:
    archive = KgsArchive(config_of("kgs", 80, tmp_path, server="room: here"), cast(KgsClient, _Client()))

    def summary(stamp: str, other: str, **more: object) -> dict[str, object]:
        players = {"black": {"name": "Botty"}, "white": {"name": other}}
        return {"timestamp": stamp, "players": players, "gameType": "free", "size": 9, **more}

    games = [
        summary("2026-02", "alpha", score="UNFINISHED"),
        summary("2026-01", "Alpha", score="UNFINISHED"),
        summary("2026-03", "bravo", score="B+RESIGN"),
    ]
    (ended,) = archive.read({"type": "ARCHIVE_JOIN", "games": games})
    assert isinstance(ended, ServerGame)
    assert (ended.key, ended.phase, ended.result) == ("botty-2026-03", OVER, "B+R")
    found = archive.find_with("ALPHA")
    assert found is not None
    assert found["timestamp"] == "2026-02"
    assert archive.find_with("bravo") is None


def test_a_game_that_we_left_is_not_loaded_again(tmp_path: Path) -> None:
    archive = KgsArchive(config_of("kgs", 80, tmp_path, server="room: here"), cast(KgsClient, _Client()))
    state = ServerGame("botty-1", 9, 1, {1: "botty", 2: "alpha"}, phase=ADJOURNED)
    archive.note(state, "1")
    assert archive.find_with("alpha") == {"timestamp": "1"}
    archive.abandon("botty-1")
    archive.note(state, "1")
    assert archive.find_with("alpha") is None
