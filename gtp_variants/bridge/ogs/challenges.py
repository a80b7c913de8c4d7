"""Challenges at OGS, theirs and ours: terms in our words, refusals in the server's, and what is published of us.

The order of what is looked at and the codes are those of the server's own bridge for bots, so that people are told
reasons that their page can translate. Reasons without a code are told in words. What we post to challenge somebody is
what the site's own page posts; the names of a few fields, and that a bot may do it at all, are guesses.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from gtp_variants.base.json_values import Json
from gtp_variants.bridge.core import server as core
from gtp_variants.bridge.core.config import TIME_SYSTEMS, BridgeConfig, ChallengeConfig, rank_word
from gtp_variants.bridge.core.tasks import BackgroundTasks, TaskWork, Timers
from gtp_variants.bridge.ogs import clock, values
from gtp_variants.bridge.ogs.transport import OgsTransport
from gtp_variants.bridge.ogs.values import OgsPeople
from gtp_variants.errors import PeerGarbled, PeerGone
from gtp_variants.lang import say
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.rules.colour_names import COLOUR_LETTERS

SPEEDS = ("blitz", "rapid", "live", "correspondence")
# An automatic handicap is not known before; that it comes to nine stones at most is a guess.
_AUTOMATIC, _MOST_AUTOMATIC = -1, 9
# Where stones may take their own last liberty we cannot follow; where territory counts, games that count areas cannot.
_WITHOUT_SUICIDE = ("chinese", "aga", "japanese", "korean")
_AREA_RULES = ("chinese", "aga")
# Countries of which we guess that people read French more easily than English.
_FRENCH = frozenset(
    ("fr", "bj", "bf", "ci", "cg", "ga", "gf", "gn", "gp", "mc", "ml", "mq", "nc", "ne", "pf", "re", "sn", "tg")
)
# Keys of our sentences -> codes of the server; of the rest people read the words.
_CODES = {
    "bridge.blocked": "blacklisted",
    "bridge.not_allowed": "blacklisted",
    "bridge.size": "board_size_not_allowed",
    "bridge.square": "board_size_not_square",
    "bridge.handicap": "handicap_not_allowed",
    "bridge.rated_handicap": "handicap_not_allowed",
    "bridge.free": "unranked_not_allowed",
    "bridge.rated": "ranked_not_allowed",
    "bridge.system": "time_control_system_not_allowed",
    "bridge.main": "main_time_out_of_range",
    "bridge.period": "period_time_out_of_range",
    "bridge.rank": "player_rank_out_of_range",
    "bridge.leaving": "not_accepting_new_challenges",
    "bridge.one_more": "too_many_games_for_player",
    "bridge.komi": "komi_out_of_range",
}
# By time system where it has a code of its own.
_PERIOD_CODES = {"fischer": "time_increment_out_of_range"}
_SIMPLE_CODE = "per_move_time_out_of_range"


@dataclass(frozen=True, slots=True)
class OgsChallenge:
    """A challenge as it was told: its number, the game's, the notification's, who, their language, and the terms.

    `fault` is why no terms of ours say it, as the key of a sentence and its parts, "" where they do.
    """

    id: int
    game_id: int
    notification: str
    user: str
    user_id: int
    lang: str
    terms: core.Terms
    system: str
    fault: str = ""
    parts: tuple[tuple[str, object], ...] = ()

    @property
    def challenge(self) -> core.Challenge:
        return core.Challenge(self.user, self.terms, id=str(self.id), lang=self.lang)


def proposal_of(data: Json, spec: str) -> OgsChallenge:
    """Return the proposal of a notification. Raises PeerGarbled, KeyError, TypeError or ValueError if there is none."""
    user = data.get("user")
    if not isinstance(user, Mapping):
        raise PeerGarbled(f"{str(user)[:40]}: expected a user")
    time = data.get("time_control")
    control = time if isinstance(time, Mapping) else {}
    width, height, handicap = int(data["width"]), int(data["height"]), int(data.get("handicap") or 0)
    fault, parts = _fault_of(data, spec)
    komi = data.get("komi")
    colour = {"black": WHITE, "white": BLACK}.get(str(data.get("challenger_color")))
    terms = core.Terms(
        width if width == height else 0,
        clock.control_of(control),
        colour,
        _MOST_AUTOMATIC if handicap == _AUTOMATIC else handicap,
        float(komi) if komi is not None else None,
        bool(data.get("ranked")),
        str(control.get("speed") or ""),
        values.rank_of(user),
        not data.get("disable_analysis"),
        values.is_program(user),
    )
    return OgsChallenge(
        int(data["challenge_id"]),
        int(data.get("game_id") or 0),
        str(data.get("id", "")),
        str(user["username"]),
        int(user["id"]),
        "fr" if str(user.get("country", "")).lower() in _FRENCH else "",
        terms,
        str(control.get("system") or control.get("time_control") or ""),
        fault,
        parts,
    )


def _fault_of(data: Json, spec: str) -> tuple[str, tuple[tuple[str, object], ...]]:
    """Return why we do not play such a game, as the key of a sentence and its parts; "" where we do."""
    width, height = int(data["width"]), int(data["height"])
    if width != height:
        return "bridge.square", (("width", width), ("height", height))
    rules, is_go = str(data.get("rules", "")).lower(), parse(spec).profile.is_go
    if rules and rules not in (_WITHOUT_SUICIDE if is_go else _AREA_RULES):
        return "bridge.unknown_game", (("what", rules),)
    if data.get("rengo"):
        return "bridge.unknown_game", (("what", "rengo"),)
    return "", ()


def rejection(proposal: OgsChallenge, key: str, text: str) -> Json:
    """Return the fields that refuse a challenge."""
    speed = proposal.terms.speed
    code = _CODES.get(key, "")
    if key == "bridge.speed" and speed in SPEEDS:
        code = f"{speed}_not_allowed"
    elif key == "bridge.crowded" and speed in SPEEDS:
        code = f"too_many_{speed}_games"
    elif key == "bridge.period":
        code = _SIMPLE_CODE if proposal.system == "simple" else _PERIOD_CODES.get(proposal.system, code)
    message = text or "The operator of this bot will not let you play against it."
    fields: Json = {"delete": True, "message": message}
    if code:
        fields["rejection_details"] = {"message": message, "rejection_code": code, "details": {}}
    return fields


def bot_config(config: BridgeConfig, bot_id: int, *, declines: bool) -> Json:
    """Return what the server publishes of a bot, as `bot/config` takes it; it holds nothing private."""
    given = config.challenges
    systems = given.systems or TIME_SYSTEMS
    # A time for each move is one period to us; nothing else is known there by another name.
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


# How long a game may take to begin that we accepted, in seconds.
_BEGIN_S = 20.0


class ReceivedChallenges:
    """Challenges of others, by number. One is judged at a time, so that no limit is passed meanwhile."""

    def __init__(
        self,
        config: BridgeConfig,
        line: OgsTransport,
        people: OgsPeople,
        background: BackgroundTasks,
        log: Callable[[str], None],
        wake: Callable[[], None],
    ) -> None:
        """`wake` lets `next` be asked soon."""
        self._config, self._line, self._people = config, line, people
        self._background, self._log, self._wake = background, log, wake
        self._timers = Timers[TaskWork](background.begin)
        self._proposals: dict[str, OgsChallenge] = {}
        self._waiting: deque[OgsChallenge] = deque()
        # The game of the challenge that was accepted last, None once it has begun.
        self._beginning: int | None = None

    def take(self, proposal: OgsChallenge) -> list[core.ServerEvent]:
        """Take a challenge that was told, or refuse it at once where no terms of ours say it."""
        if str(proposal.id) in self._proposals:
            return []
        self._people.ids[proposal.user] = proposal.user_id
        if proposal.lang:
            self._people.langs.setdefault(proposal.user, proposal.lang)
        if proposal.fault:
            self.refuse(proposal, proposal.fault, say(proposal.fault, self.lang_of(proposal), **dict(proposal.parts)))
            return []
        self._proposals[str(proposal.id)] = proposal
        self._waiting.append(proposal)
        return self.next()

    def lang_of(self, proposal: OgsChallenge) -> str:
        """The language that the challenger is spoken to in."""
        return proposal.lang or self._config.chat.lang

    def next(self) -> list[core.ServerEvent]:
        """The challenge to be judged now, if there is one and no game is about to begin."""
        if self._beginning is not None or not self._waiting:
            return []
        # The next one is judged when this one was.
        self._wake()
        return [self._waiting.popleft().challenge]

    def note_game(self, game_id: int) -> None:
        """A game has come: if it is that of the accepted challenge, the next one may be judged."""
        if game_id == self._beginning:
            self._beginning = None
            self._timers.stop("begin")

    async def accept(self, challenge: core.Challenge) -> None:
        """Play on these terms; a challenge that is gone is dropped."""
        proposal = self._proposals.get(challenge.id)
        if proposal is not None:
            self._beginning = proposal.game_id or -proposal.id
            self._timers.set("begin", _BEGIN_S, self._stop_waiting_for_game)
            self._background.start(self._accept(proposal))

    async def _accept(self, proposal: OgsChallenge) -> None:
        try:
            await self._line.post(f"/api/v1/me/challenges/{proposal.id}/accept", {})
        except (PeerGone, PeerGarbled) as error:
            self._log(f"a challenge could not be accepted: {error}")
            await self._stop_waiting_for_game()
            self._proposals.pop(str(proposal.id), None)
            text = "The challenge could not be accepted, and was removed."
            await self._line.try_post(f"me/challenges/{proposal.id}", {"delete": True, "message": text})
            if proposal.notification:
                await self._line.ask("notification/delete", {"notification_id": proposal.notification})

    async def _stop_waiting_for_game(self) -> None:
        self._beginning = None
        self._timers.stop("begin")
        self._wake()

    def decline(self, reason: core.DeclineReason) -> None:
        """Refuse the challenge that a reason names; one that is gone is dropped."""
        proposal = self._proposals.pop(reason.challenge_id, None)
        if proposal is not None:
            self.refuse(proposal, reason.key, reason.text)

    def refuse(self, proposal: OgsChallenge, key: str, text: str) -> None:
        """Refuse a challenge, for the reason of a sentence's key and in these words."""
        fields = rejection(proposal, key, text)
        self._background.start(self._line.try_post(f"me/challenges/{proposal.id}", fields))

    def close(self) -> None:
        """Wait for no game any more."""
        self._timers.stop_all()


_KEEPALIVE_S = 1.0
_COLOURS = {"b": "black", "w": "white"}


class Challenger(core.Invitations):
    """The challenge that we sent last: to whom, its own number and its game's."""

    def __init__(
        self,
        config: BridgeConfig,
        line: OgsTransport,
        background: BackgroundTasks,
        log: Callable[[str], None],
    ) -> None:
        self._config, self._line, self._background, self._log = config, line, background, log
        self._user = ""
        self._challenge_id = self._game_id = 0
        self._ids: dict[str, int] = {}

    def end(self, game_id: int) -> str:
        """The game of a challenge has begun, or was refused: whom we challenged, "" where it was not ours."""
        if not self._game_id or game_id != self._game_id:
            return ""
        user = self._user
        self._forget()
        return user

    def _forget(self) -> None:
        """Keep no challenge alive any more; it goes by itself."""
        self._user, self._challenge_id, self._game_id = "", 0, 0

    async def withdraw(self, user: str) -> None:
        self._forget()

    async def look_for_seekers(self) -> None:
        """Nothing: what is open to all there is listed nowhere for us."""

    async def look_up(self, user: str) -> core.Seeker | None:
        if user.isdecimal():
            return core.Seeker(user)
        try:
            found = await self._line.find_player(user)
            self._ids[user] = int(found["id"])
        except (PeerGone, PeerGarbled, TypeError, ValueError) as error:
            # What goes over HTTP may fail where the line of the games holds.
            self._log(f"{user} cannot be found: {error}")
            return None
        return core.Seeker(user, values.rank_of(found), values.is_program(found))

    async def invite(self, user: str, terms: core.Terms) -> core.InvitationRefused | None:
        try:
            player = int(user) if user.isdecimal() else self._ids[user]
            answer = await self._line.post(f"/api/v1/players/{player}/challenge", self._fields(terms))
            self._challenge_id, self._game_id = int(answer["challenge"]), int(answer["game"])
        except (PeerGone, *core.UNREADABLE) as error:
            self._log(f"{user} cannot be challenged: {error!r}")
            return core.InvitationRefused(user, is_absent=isinstance(error, PeerGone))
        self._user = user
        self._background.start(self._keep_alive())
        return None

    async def _keep_alive(self) -> None:
        """Keep the challenge open that was sent last, until it is answered or withdrawn. Raises PeerGone."""
        game_id, challenge_id = self._game_id, self._challenge_id
        while game_id and self._game_id == game_id:
            await self._line.send("challenge/keepalive", {"challenge_id": challenge_id, "game_id": game_id})
            await asyncio.sleep(_KEEPALIVE_S)

    def _fields(self, terms: core.Terms) -> Json:
        rules, control = parse(self._config.spec), terms.control
        game: Json = {
            "name": self._config.offer.text or rules.title,
            "rules": "chinese",
            "ranked": terms.rated,
            "width": terms.size,
            "height": terms.size,
            "handicap": 0,
            "komi_auto": "automatic" if terms.komi is None else "custom",
            "komi": terms.komi,
            "disable_analysis": True,
            "initial_state": None,
            "private": False,
            "rengo": False,
            "pause_on_weekends": False,
            "time_control": control.kind,
            "time_control_parameters": clock.time_fields(control, clock.speed_of(control)),
        }
        mine = "automatic" if terms.colour is None else _COLOURS[COLOUR_LETTERS[terms.colour]]
        return {"initialized": False, "min_ranking": -1000, "max_ranking": 1000, "challenger_color": mine, "game": game}
