"""Challenges at OGS, received and sent, and the limits that are published for the bot.

The order of checks and the codes follow the server's own bridge for bots, so that the web page can translate the
reasons; reasons without a code are sent as text. Our challenges have the same fields as challenges from the site's
own page. Some names of fields are guesses, and so is the assumption that a bot may challenge anybody.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from gtp_variants.base.json_values import Json
from gtp_variants.base.tasks import BackgroundTasks
from gtp_variants.bridge.core import server as core
from gtp_variants.bridge.core.config import TIME_SYSTEMS, BridgeConfig, ChallengeConfig, rank_word
from gtp_variants.bridge.core.policies import Refusal
from gtp_variants.bridge.ogs import values
from gtp_variants.bridge.ogs.transport import OgsTransport
from gtp_variants.bridge.ogs.values import OgsPeople
from gtp_variants.errors import PeerGarbled, PeerGone
from gtp_variants.lang import load, say
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.rules.colour_names import COLOUR_NAMES
from gtp_variants.rules.rule_sets import OGS_RULES

SPEEDS = ("blitz", "rapid", "live", "correspondence")
# The size of an automatic handicap is unknown; the maximum of nine stones is a guess.
_AUTOMATIC, _MOST_AUTOMATIC = -1, 9
# The server's rules that are accepted for our games other than Go, which use our own rules.
_AREA_RULES = ("chinese", "aga")
# Countries that presumably prefer French, the server's codes for our refusals, and the fields of our challenges.
_SERVER = load(Path(__file__).with_suffix(".toml"))


@dataclass(frozen=True, slots=True)
class OgsChallenge:
    """A received challenge and its ids. `fault` is a reason for refusal that the policies do not check."""

    challenge: core.Challenge
    game_id: int
    notification: str
    user_id: int
    system: str
    fault: Refusal | None = None


def proposal_of(data: Json, config: BridgeConfig) -> OgsChallenge:
    """Return the challenge in a notification. Raises PeerGarbled, KeyError, TypeError or ValueError if malformed."""
    user = data.get("user")
    if not isinstance(user, Mapping):
        raise PeerGarbled(f"{str(user)[:40]}: expected a user")
    time = data.get("time_control")
    control = time if isinstance(time, Mapping) else {}
    komi, handicap = data.get("komi"), int(data.get("handicap") or 0)
    colour = {"black": WHITE, "white": BLACK}.get(str(data.get("challenger_color")))
    terms = core.Terms(
        int(data["width"]),
        values.control_of(control),
        colour,
        _MOST_AUTOMATIC if handicap == _AUTOMATIC else handicap,
        float(komi) if komi is not None else None,
        bool(data.get("ranked")),
        str(control.get("speed") or ""),
        values.rank_of(user),
        not data.get("disable_analysis"),
        values.is_program(user),
    )
    lang = "fr" if str(user.get("country", "")).lower() in _SERVER["french_countries"] else ""
    challenge = core.Challenge(str(user["username"]), terms, id=str(int(data["challenge_id"])), lang=lang)
    system = str(control.get("system") or control.get("time_control") or "")
    game_id, notification = int(data.get("game_id") or 0), str(data.get("id", ""))
    return OgsChallenge(challenge, game_id, notification, int(user["id"]), system, _fault_of(data, config))


def _fault_of(data: Json, config: BridgeConfig) -> Refusal | None:
    """Return the reason to refuse a game with this data, or None if there is no reason."""
    width, height = int(data["width"]), int(data["height"])
    rules, is_go = str(data.get("rules", "")).lower(), parse(config.spec).profile.is_go
    if width != height and not is_go:
        return Refusal("bridge.square", {"width": width, "height": height})
    if width != height and height not in config.challenges.sizes:
        return Refusal("bridge.size", {"sizes": ", ".join(map(str, config.challenges.sizes)), "size": height})
    if rules and rules not in (OGS_RULES if is_go else _AREA_RULES):
        return Refusal("bridge.unknown_game", {"what": rules})
    return Refusal("bridge.unknown_game", {"what": "rengo"}) if data.get("rengo") else None


def rejection(proposal: OgsChallenge, key: str, text: str) -> Json:
    """Return the fields that refuse a challenge, for the reason with this key and text."""
    speed = proposal.challenge.terms.speed
    code: str = _SERVER["codes"].get(key.removeprefix("bridge."), "")
    if key == "bridge.speed" and speed in SPEEDS:
        code = f"{speed}_not_allowed"
    elif key == "bridge.crowded" and speed in SPEEDS:
        code = f"too_many_{speed}_games"
    elif key == "bridge.period":
        code = _SERVER["period_codes"].get(proposal.system, code)
    message = text or "The operator of this bot will not let you play against it."
    fields: Json = {"delete": True, "message": message}
    if code:
        fields["rejection_details"] = {"message": message, "rejection_code": code, "details": {}}
    return fields


def bot_config(config: BridgeConfig, bot_id: int, *, declines: bool) -> Json:
    """Return the data that the server publishes about the bot. With `declines`, the bot accepts no challenges."""
    given = config.challenges
    systems = given.systems or TIME_SYSTEMS
    # A fixed time per move counts as byo-yomi with one period, so `simple` is allowed if `byoyomi` is.
    names = [name for name in ("fischer", "byoyomi", "canadian", "absolute") if name in systems]
    return {
        "_config_version": 2,
        "hidden": declines,
        "bot_id": bot_id,
        "username": config.server.account,
        "allowed_time_control_systems": [*names, *(["simple"] if "byoyomi" in systems else [])],
        "allowed_board_sizes": list(given.sizes),
        **{f"allowed_{speed}_settings": _settings(given, speed) for speed in SPEEDS},
        "allow_ranked": given.rated,
        "allow_unranked": given.free,
        "allowed_rank_range": [rank_word(rank) for rank in given.ranks],
        "allow_ranked_handicap": given.rated and given.rated_handicap and given.handicap[1] > 0,
        "allow_unranked_handicap": given.handicap[1] > 0,
        "allowed_komi_range": list(given.komi),
        "decline_new_challenges": declines,
        "min_move_time": round(config.time.at_least_s * 1000),
        "max_games_per_player": given.at_once,
    }


def _settings(given: ChallengeConfig, speed: str) -> Json | None:
    limits = given.limits(speed)
    if not limits.games:
        return None
    main, period = (list(span or (0.0, 1e7)) for span in (limits.main_s, limits.period_s))
    return {
        "concurrent_games": limits.games,
        "simple": {"per_move_time_range": period},
        "byoyomi": {"main_time_range": main, "period_time_range": period, "periods_range": [1, 300]},
        "fischer": {"initial_time_range": main, "max_time_range": main, "time_increment_range": period},
    }


# Seconds within which the game of an accepted challenge must begin.
_BEGIN_S = 20.0


class ReceivedChallenges:
    """Challenges from others. They are judged one by one, so that accepted games cannot exceed a limit."""

    def __init__(
        self,
        config: BridgeConfig,
        line: OgsTransport,
        people: OgsPeople,
        background: BackgroundTasks,
        log: Callable[[str], None],
        wake: Callable[[], None],
    ) -> None:
        """`wake` causes `next` to be called soon."""
        self._config, self._line, self._people = config, line, people
        self._background, self._log, self._wake = background, log, wake
        self._timers = background.timers
        self._proposals: dict[str, OgsChallenge] = {}
        self._waiting: deque[OgsChallenge] = deque()
        # The game that was accepted last, or None once it has begun.
        self._beginning: int | None = None

    def take(self, proposal: OgsChallenge) -> list[core.ServerEvent]:
        """Queue a challenge, or refuse it at once for its fault. Return the challenge to judge now, if any."""
        challenge, fault = proposal.challenge, proposal.fault
        if challenge.id in self._proposals:
            return []
        self._people.ids[challenge.user] = proposal.user_id
        if challenge.lang:
            self._people.langs.setdefault(challenge.user, challenge.lang)
        if fault is not None:
            self.refuse(proposal, fault.key, say(fault.key, self.lang_of(proposal), **fault.parts))
            return []
        self._proposals[challenge.id] = proposal
        self._waiting.append(proposal)
        return self.next()

    def lang_of(self, proposal: OgsChallenge) -> str:
        """Return the language for answers to the challenger."""
        return proposal.challenge.lang or self._config.chat.lang

    def next(self) -> list[core.ServerEvent]:
        """Return the next challenge to judge, or [] if no challenge waits or an accepted game is about to begin."""
        if self._beginning is not None or not self._waiting:
            return []
        # Wake the judge for the next challenge.
        self._wake()
        return [self._waiting.popleft().challenge]

    def note_game(self, game_id: int) -> None:
        """Note that a game has begun. If it is the accepted game, the next challenge may be judged."""
        if game_id == self._beginning:
            self._beginning = None
            self._timers.stop("begin")

    async def accept(self, challenge: core.Challenge) -> None:
        """Accept a challenge, unless it is gone."""
        proposal = self._proposals.get(challenge.id)
        if proposal is not None:
            self._beginning = proposal.game_id or -int(challenge.id)
            self._timers.set("begin", _BEGIN_S, self._stop_waiting_for_game)
            self._background.start(self._accept(proposal))

    async def _accept(self, proposal: OgsChallenge) -> None:
        number = proposal.challenge.id
        try:
            await self._line.post(f"/api/v1/me/challenges/{number}/accept", {})
        except (PeerGone, PeerGarbled) as error:
            self._log(f"cannot accept a challenge: {error}")
            await self._stop_waiting_for_game()
            self._proposals.pop(number, None)
            text = "The challenge could not be accepted, and was removed."
            await self._line.try_post(f"me/challenges/{number}", {"delete": True, "message": text})
            if proposal.notification:
                await self._line.ask("notification/delete", {"notification_id": proposal.notification})

    async def _stop_waiting_for_game(self) -> None:
        self._beginning = None
        self._timers.stop("begin")
        self._wake()

    def decline(self, reason: core.DeclineReason) -> None:
        """Refuse the challenge that the reason names, unless it is gone."""
        proposal = self._proposals.pop(reason.challenge_id, None)
        if proposal is not None:
            self.refuse(proposal, reason.key, reason.text)

    def refuse(self, proposal: OgsChallenge, key: str, text: str) -> None:
        """Refuse a challenge, for the reason with this key and text."""
        fields = rejection(proposal, key, text)
        self._background.start(self._line.try_post(f"me/challenges/{proposal.challenge.id}", fields))


_KEEPALIVE_S = 1.0


class Challenger(core.Invitations):
    """The challenges that we send, one at a time."""

    def __init__(
        self, config: BridgeConfig, line: OgsTransport, background: BackgroundTasks, log: Callable[[str], None]
    ) -> None:
        self._config, self._line, self._background, self._log = config, line, background, log
        self._user = ""
        self._challenge_id = self._game_id = 0
        self._ids: dict[str, int] = {}

    def end(self, game_id: int) -> str:
        """Note that a challenge was refused or its game began. Return its opponent, or "" if it was not ours."""
        if not self._game_id or game_id != self._game_id:
            return ""
        user = self._user
        self._forget()
        return user

    def _forget(self) -> None:
        """Stop keeping the challenge open; the server then removes it."""
        self._user, self._challenge_id, self._game_id = "", 0, 0

    async def withdraw(self, user: str) -> None:
        self._forget()

    async def look_for_seekers(self) -> None:
        """Do nothing: OGS has no list of open challenges for bots."""

    async def look_up(self, user: str) -> core.Seeker | None:
        if user.isdecimal():
            return core.Seeker(user)
        try:
            found = await self._line.find_player(user)
            self._ids[user] = int(found["id"])
        except (PeerGone, PeerGarbled, TypeError, ValueError) as error:
            # HTTP may fail while the connection for games still works, so the error is only logged.
            self._log(f"cannot find {user}: {error}")
            return None
        return core.Seeker(user, values.rank_of(found), values.is_program(found))

    async def invite(self, user: str, terms: core.Terms) -> core.InvitationRefused | None:
        try:
            player = int(user) if user.isdecimal() else self._ids[user]
            answer = await self._line.post(f"/api/v1/players/{player}/challenge", self._fields(terms))
            self._challenge_id, self._game_id = int(answer["challenge"]), int(answer["game"])
        except (PeerGone, *core.UNREADABLE) as error:
            self._log(f"cannot challenge {user}: {error!r}")
            return core.InvitationRefused(user, is_absent=isinstance(error, PeerGone))
        self._user = user
        self._background.start(self._keep_alive())
        return None

    async def _keep_alive(self) -> None:
        """Keep the last challenge open until it is answered or withdrawn. Raises PeerGone if the connection is lost."""
        game_id, challenge_id = self._game_id, self._challenge_id
        while game_id and self._game_id == game_id:
            await self._line.send("challenge/keepalive", {"challenge_id": challenge_id, "game_id": game_id})
            await asyncio.sleep(_KEEPALIVE_S)

    def _fields(self, terms: core.Terms) -> Json:
        rules, control = parse(self._config.spec), terms.control
        game: Json = {
            **_SERVER["game"],
            "name": self._config.offer.text or rules.title,
            "ranked": terms.rated,
            "width": terms.size,
            "height": terms.size,
            "komi_auto": "automatic" if terms.komi is None else "custom",
            "komi": terms.komi,
            "initial_state": None,
            "time_control": control.kind,
            "time_control_parameters": values.time_fields(control, values.speed_of(control)),
        }
        mine = "automatic" if terms.colour is None else COLOUR_NAMES[terms.colour]
        return {"initialized": False, "min_ranking": -1000, "max_ranking": 1000, "challenger_color": mine, "game": game}
