"""Whom the bridge challenges on OGS: named players of the ranks that are asked for, and people before programs."""

from pathlib import Path
from unittest.mock import patch

import pytest

from gtp_variants.base.json_values import Json
from gtp_variants.errors import PeerGone
from tests.bridge.fakes.running_bridge import PASSWORD, running
from tests.support.waiting import until

pytest.importorskip("httpx", reason="OGS needs httpx: pip install 'gtp-variants[ogs]'")
pytest.importorskip("websockets", reason="OGS needs websockets: pip install 'gtp-variants[ogs]'")
pytest.importorskip("starlette", reason="the local OGS needs starlette and uvicorn: pip install 'gtp-variants[web]'")

from gtp_variants.bridge.ogs.transport import OgsTransport
from tests.bridge.fakes.ogs_people import OgsPerson, ogs_config
from tests.bridge.fakes.ogs_server import OgsServer

PEOPLE = {"botty": PASSWORD, "alpha": "sesame-1", "bravo": "sesame-2", "carol": "sesame-3"}


async def test_only_fitting_ranks_are_challenged_and_a_refusal_is_respected(tmp_path: Path) -> None:
    more = "offer: {players: [nobody, alpha, bravo, carol], ranks: [15k, 5k], every: 20ms, again: 1h}\n"
    async with OgsServer(PEOPLE) as server:
        server.users = {"alpha": {"ranking": 35.2}, "bravo": {"ranking": 17.9}, "carol": {"ranking": 20.0}}
        people = [await OgsPerson(server, name).come() for name in ("alpha", "bravo", "carol")]
        async with running(ogs_config(server, tmp_path, more)) as bridge:
            await until(lambda: any(each["to"] == "bravo" for each in server.challenges.values()), "the challenge")
            number = next(iter(server.challenges))
            server._reject("bravo", number, {})
            await until(lambda: any(each["to"] == "carol" for each in server.challenges.values()), "the next")
            assert "bravo declines" in bridge.written()
            assert "cannot find nobody" in bridge.written()
            assert [path for path, _ in server.posts if path.endswith("/challenge")] == [
                f"POST players/{server.ids[name]}/challenge" for name in ("bravo", "carol")
            ]
        for person in people:
            await person.go()
    assert server.faults == []


@pytest.mark.slow
@pytest.mark.parametrize("error", [None, PeerGone("the interface is down")])
async def test_after_a_challenge_that_failed_the_next_is_asked_at_once(tmp_path: Path, error: PeerGone | None) -> None:
    """Refused by the server, or lost on its way: who is next in line does not wait for that."""
    more = "offer: {players: [alpha, bravo], every: 1h, again: 1h}\n"
    post, failures = OgsTransport.post, [] if error is None else [error]

    async def fail_once(line: OgsTransport, path: str, data: Json) -> Json:
        if failures:
            raise failures.pop()
        return await post(line, path, data)

    with patch.object(OgsTransport, "post", fail_once):
        async with OgsServer(PEOPLE) as server:
            server.unchallenged = {"alpha"} if error is None else set()
            async with running(ogs_config(server, tmp_path, more)) as bridge:
                await until(lambda: any(each["to"] == "bravo" for each in server.challenges.values()), "the next")
                assert "cannot challenge alpha" in bridge.written()
                assert not any(each["to"] == "alpha" for each in server.challenges.values())
    assert server.faults == []


async def test_a_bot_is_told_that_people_come_first(tmp_path: Path) -> None:
    async with OgsServer(PEOPLE) as server, running(ogs_config(server, tmp_path, "challenges: {people: 2}\n")):
        server.users = {"alpha": {"ui_class": "bot"}}
        alpha = await OgsPerson(server, "alpha").come()
        await until(lambda: "botty" in server.bot_configs, "the bot")
        await alpha.challenge("botty", 5)
        await until(
            lambda: any("next game with a program: 2" in str(each) for each in alpha.got("notification")), "the reason"
        )
        await alpha.go()
    assert server.faults == []


async def test_names_of_several_words_are_matched_as_the_server_sends_them(tmp_path: Path) -> None:
    listed = tmp_path / "blocked"
    listed.write_text("Any Body  # left every game\n")
    names = {"some body": "sesame-4", "any body": "sesame-5", "no body": "sesame-6"}
    more = (
        f"challenges: {{block: [NO BODY], block_lists: ['{listed}']}}\n"
        "offer: {players: [some body], every: 20ms, again: 1h}\n"
    )
    async with OgsServer(PEOPLE | names) as server:
        people = [await OgsPerson(server, name).come() for name in names]
        async with running(ogs_config(server, tmp_path, more)) as bridge:
            await until(lambda: "Any Body" in bridge.session._account.settings.config.challenges.block, "the list")
            await until(lambda: any(each["to"] == "some body" for each in server.challenges.values()), "the challenge")
            for person in people[1:]:
                await person.challenge("botty", 5)
                await until(lambda person=person: "blacklisted" in str(person.got("notification")), "the refusal")  # type: ignore[misc]
        for person in people:
            await person.go()
    assert server.faults == []
