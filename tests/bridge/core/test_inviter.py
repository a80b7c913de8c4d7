"""Games that we ask for, and how many of them are with people."""

import asyncio
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from gtp_variants.bridge.core import config_file, policies
from gtp_variants.bridge.core.challenges import InvitationLog, Inviter, OpponentCounts
from gtp_variants.bridge.core.config import BridgeConfig, ChallengeConfig, OfferConfig
from gtp_variants.bridge.core.server import Server, Terms
from gtp_variants.errors import ConfigError
from gtp_variants.players.clock import TimeControl
from tests.bridge.fakes.igs_server import IgsServer
from tests.bridge.fakes.nngs_server import NngsServer
from tests.bridge.fakes.running_bridge import ACCOUNTS, Person, config_of, running, text_of
from tests.support.waiting import until

# In a test nobody waits as long as among people.
OFTEN = "every: 20ms, again: 20ms"


def test_nobody_is_asked_too_soon_nor_all_day_in_vain() -> None:
    offer, asked = OfferConfig(again_s=100.0, tries=2), InvitationLog()
    assert asked.may_ask(offer, "Anna", 0.0)
    asked.note("Anna", 0.0)
    assert not asked.may_ask(offer, "anna", 99.0)
    assert asked.may_ask(offer, "bert", 99.0)
    asked.note("anna", 100.0)
    assert not asked.may_ask(offer, "anna", 300.0)
    assert asked.may_ask(offer, "anna", 100.0 + 86_400.0)
    # Who could not hear us, and who plays us, was not asked in vain.
    asked.note_absence("anna")
    assert asked.may_ask(offer, "anna", 300.0)
    asked.note_game("anna")
    assert asked.may_take(offer, "anna", 101.0)
    assert not asked.may_ask(offer, "anna", 101.0)


def test_people_come_before_the_next_program_also_after_a_restart(tmp_path: Path) -> None:
    days = [date(2026, 11, 22)]
    counts = OpponentCounts(tmp_path / "opponents.json", lambda line: None, lambda: days[0])
    counts.note_programs(["Cato"])
    assert counts.is_program("cato", ())
    assert counts.is_program("Zen", ("zen",))
    assert not counts.is_program("anna", ("zen",))
    for user, is_program in (("anna", False), ("cato", True), ("anna", False), ("Bert", False)):
        counts.add(user, is_program=is_program)
    again = OpponentCounts(tmp_path / "opponents.json", lambda line: None, lambda: days[0])
    assert (again.people, again.today("Anna"), again.today("bert"), again.today("cato")) == (2, 2, 1, 1)
    days[0] = date(2026, 11, 23)
    tomorrow = OpponentCounts(tmp_path / "opponents.json", lambda line: None, lambda: days[0])
    assert (tomorrow.people, tomorrow.today("anna"), again.today("anna")) == (2, 0, 0)


DAMAGED = [
    "",
    "[]",
    "[" * 100_000,
    '{"people": "x"}',
    '{"people": 1e999}',
    '{"people": 1, "day": "2026-11-22", "games": 3}',
]


@pytest.mark.parametrize("kept", DAMAGED)
def test_unreadable_counts_are_reset(tmp_path: Path, kept: str) -> None:
    (tmp_path / "opponents.json").write_text(kept)
    counts = OpponentCounts(tmp_path / "opponents.json", lambda line: None, lambda: date(2026, 11, 22))
    assert counts.today("anna") == 0
    counts.add("anna", is_program=False)
    assert counts.today("anna") == 1


def test_programs_are_refused_until_there_were_people_enough() -> None:
    config = ChallengeConfig(sizes=(9,), people=2, allow=("friend",))
    terms = Terms(9, TimeControl("absolute", 600.0), None, is_program=True)
    refusal = policies.refusal(config, "cato", terms, 0, people=1)
    assert refusal is not None
    assert (refusal.key, refusal.parts) == ("bridge.people_first", {"count": 1})
    assert policies.refusal(config, "cato", terms, 0, people=2) is None
    assert policies.refusal(config, "Friend", terms, 0, people=0) is None


def test_rank_limits_exclude_unranked_players() -> None:
    assert policies.is_of_rank(OfferConfig(), None)
    limited = OfferConfig(ranks=(25, 31))
    assert [policies.is_of_rank(limited, rank) for rank in (None, 24.9, 25.0, 31.9, 32.0)] == [
        *(False, False, True, True, False)
    ]


async def test_a_zero_pause_between_invitations_does_not_busy_loop() -> None:
    loop, looks = asyncio.get_running_loop(), 0

    def is_free() -> bool:
        nonlocal looks
        looks += 1
        return False

    config = SimpleNamespace(offer=OfferConfig(players=("anna",), every_s=0.0))
    inviter = Inviter(lambda: cast(BridgeConfig, config), lambda user, terms: None, is_free, lambda line: None)
    began_s = loop.time()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.1):
            await inviter.run(cast(Server, SimpleNamespace(invitations=object())))
    assert looks <= (loop.time() - began_s) * 100 + 1


async def test_players_are_asked_in_turn_until_there_is_a_game(tmp_path: Path) -> None:
    more = "offer: {players: [nobody, alpha, bravo], every: 20ms, again: 1h}\nchallenges: {colours: white}\n"
    async with NngsServer(ACCOUNTS) as server:
        alpha, bravo = [await Person(server, name).come() for name in ("alpha", "bravo")]
        async with running(config_of("nngs", server.port, tmp_path, more)) as bridge:
            await alpha.hears("9 Use <match botty B 5 10 10> or <decline botty>")
            alpha.type("decline botty")
            await bravo.hears("9 Use <match botty B 5 10 10>")
            bravo.type("match botty b 5 10 10")
            await until(lambda: bool(bridge.session.games), "the game")
            written = bridge.written()
            assert "nobody is unavailable" in written
            assert "alpha declines" in written
            bravo.type("resign")
            await until(lambda: not bridge.session.games, "the end")
        for person in (alpha, bravo):
            await person.go()


async def test_a_seeker_with_a_fitting_rank_is_invited(tmp_path: Path) -> None:
    more = f"offer: {{take: true, ranks: [10k, 5k], time: 20m, {OFTEN}}}\n"
    async with NngsServer({**ACCOUNTS, "carol": "sesame", "dora": "sesame"}) as server:
        server.looking = {"alpha", "bravo", "carol"}
        server.ranks = {"alpha": "3d", "carol": "7k", "dora": "7k"}
        people = [await Person(server, name).come() for name in ("alpha", "bravo", "carol", "dora")]
        async with running(config_of("nngs", server.port, tmp_path, more)):
            await people[2].hears("in 20 minutes requested with botty")
        for person in people:
            assert person.name == "carol" or not any("requested" in line for line in person.lines)
            await person.go()


async def test_a_challenge_ends_a_pending_invitation(tmp_path: Path) -> None:
    more = f"offer: {{players: [alpha], {OFTEN}}}\n"
    async with NngsServer(ACCOUNTS) as server:
        alpha, bravo = [await Person(server, name).come() for name in ("alpha", "bravo")]
        async with running(config_of("nngs", server.port, tmp_path, more)) as bridge:
            await alpha.hears("9 Use <match botty")
            bravo.type("match botty b 5 10 0")
            await until(lambda: server.match is not None and "bravo" in server.match.names.values(), "the game")
            await until(lambda: "invitation to alpha withdrawn" in bridge.written(), "the end of the question")
        for person in (alpha, bravo):
            await person.go()


async def test_at_igs_a_game_is_asked_for_in_the_newer_words(tmp_path: Path) -> None:
    more = f"offer: {{players: [alpha], time: 10m+5m/15, {OFTEN}}}\n"
    async with IgsServer(ACCOUNTS) as server:
        alpha = await Person(server, "alpha").come()
        alpha.type("toggle nmatch on")
        await until(lambda: ("alpha", "nmatch") in server.toggles, "the word")
        async with running(config_of("igs", server.port, tmp_path, more)):
            await alpha.hears("9 Use <nmatch botty N 0 5 600 300 15 0 0 0>")
        await alpha.go()


@pytest.mark.parametrize(
    ("kind", "more", "fault"),
    [
        ("nngs", "offer: {automatch: true}\n", "offer.automatch: is for KGS only, not for NNGS"),
        (
            "nngs",
            "offer: {players: [a], time: 10m+5x30s}\n",
            "offer.time: NNGS has only absolute and Canadian time in whole minutes, with 25 stones a period",
        ),
        ("nngs", "offer: {players: [a], time: 90s}\n", "expected a time such as 10m or 10m+10m/25"),
        ("nngs", "offer: {players: [a]}\nchallenges: {main: 30m}\n", "offer: would be refused by `challenges`"),
        ("igs", "offer: {open: true}\n", "offer.open: is for KGS only, not for IGS"),
        ("ogs", "offer: {take: true}\n", "offer.take: is for KGS and NNGS and IGS only, not for OGS"),
        ("cgos", "offer: {players: [a]}\n", "cgos pairs the players itself"),
        ("nngs", "offer: {players: [a], ranks: [3d, 5k]}\n", "offer.ranks"),
        ("nngs", "offer: {players: [a], every: often}\n", "offer.every"),
        ("nngs", "challenges: {people: some}\n", "challenges.people: expected a whole number of 0 or more"),
    ],
)
def test_offer_faults_are_reported(tmp_path: Path, kind: str, more: str, fault: str) -> None:
    with pytest.raises(ConfigError) as raised:
        config_file.read(text_of(kind, 443, tmp_path, more))
    assert fault in str(raised.value)
