"""A bot that plays at KGS: its games, its challenges and what is said to it, in the words of the bridge's core.

After the login it joins its room and looks into its archive for games to go on with. While it plays nothing it keeps a
challenge open in the room. What is proposed there is judged by the core; accepting is proposing the same, and the other
side's client then accepts. A game that the opponent left is kept open for a while, then left as well: whoever loads it
again later brings us in unasked.
"""

from collections.abc import AsyncIterator, Callable

from gtp_variants.bridge.core.config import BridgeConfig
from gtp_variants.bridge.core.server import (
    ADJOURNED,
    ASKED,
    OVER,
    PLAYING,
    SCORING,
    UNREADABLE,
    Abilities,
    Challenge,
    ChatLine,
    DeclineReason,
    GameUpdate,
    MoveNote,
    MoveRefused,
    Server,
    ServerEvent,
    ServerGame,
    UndoRequest,
)
from gtp_variants.bridge.core.tasks import Timers
from gtp_variants.bridge.kgs import values
from gtp_variants.bridge.kgs.challenges import KgsChallenges
from gtp_variants.bridge.kgs.client import KgsClient, KgsNews
from gtp_variants.bridge.kgs.game_tree import KgsGame
from gtp_variants.bridge.kgs.transport import REFUSED, Message
from gtp_variants.bridge.kgs.values import name_of, same_name
from gtp_variants.errors import PeerGone, Refused
from gtp_variants.rules.actions import EMPTY

# Seconds that the opponent may be away before we leave the game, too.
_COMES_BACK_S = 180.0
# So many games of the archive, the newest, may be ones that ended while we were away.
_ENDED_LATELY = 20


class KgsArchive:
    """Our unfinished games in the server's archive, the newest with each opponent."""

    def __init__(self, config: BridgeConfig, client: KgsClient) -> None:
        self._config, self._client = config, client
        self._unfinished: dict[str, Message] = {}
        # Games that we left ourselves.
        self._abandoned: set[str] = set()

    @property
    def in_play(self) -> list[Message]:
        """The unfinished games that are open on the server."""
        return [summary for summary in self._unfinished.values() if summary.get("inPlay")]

    def find_with(self, user: str) -> Message | None:
        """The unfinished game with somebody."""
        return self._unfinished.get(user.lower())

    def abandon(self, key: str) -> None:
        """We leave a game: it is not loaded again."""
        self._abandoned.add(key)

    def note(self, state: ServerGame, timestamp: str) -> None:
        """Note whether a game waits to be gone on with."""
        if state.phase == ADJOURNED and state.key not in self._abandoned:
            self._unfinished[state.opponent.lower()] = {"timestamp": timestamp}
        else:
            self._unfinished.pop(state.opponent.lower(), None)

    def read(self, message: Message) -> list[ServerEvent]:
        """Note what is unfinished, with each opponent the newest; tell what may have ended while we were away."""
        summaries = sorted(message.get("games", ()), key=lambda each: str(each.get("timestamp", "")))
        happened: list[ServerEvent] = []
        for summary in summaries:
            players = {values.role_of(role): name_of(user) for role, user in summary.get("players", {}).items()}
            mine = next((role for role, name in players.items() if same_name(name, self._client.me)), "")
            other = next((name for role, name in players.items() if role != mine), None)
            if other is None or mine not in values.COLOURS:
                continue
            if values.can_go_on(summary):
                self._unfinished[other.lower()] = summary
            else:
                happened.append(GameUpdate(self._ended_game(summary, players, values.COLOURS[mine])))
        return happened[-_ENDED_LATELY:]

    def _ended_game(self, summary: Message, players: dict[str, str], colour: int) -> ServerGame:
        """A game of the archive that is over."""
        names = {each: players[role] for role, each in values.COLOURS.items() if role in players}
        result = values.result_of(summary.get("score"))
        key, size = f"{self._config.name}-{summary['timestamp']}", int(summary.get("size", 19))
        return ServerGame(key, size, colour, names, phase=OVER, result=result, is_whole=False)


class Kgs(Server):
    """A login at KGS that plays."""

    abilities = Abilities(chat=True, undo=ASKED, resumes=True, marks=True, challenges=True)
    # Whether commands that are typed in the room are for us.
    answers_room = False

    def __init__(self, config: BridgeConfig, log: Callable[[str], None]) -> None:
        self._config = config
        self._log = log
        self._client = KgsClient(config.server, log)
        self._timers = Timers[Callable[[], None]](lambda work: _run_safely(work, log))
        self._archive = KgsArchive(config, self._client)
        self._challenges = KgsChallenges(config, self._client, self._timers, self._offer, log)
        # What was told of each game last, and the marks we agreed to.
        self._last_states: dict[int, ServerGame] = {}
        self._agreed: dict[int, int] = {}

    @property
    def _room(self) -> int | None:
        """Our room, once it is found."""
        return self._challenges.room

    # -- the login -----------------------------------------------------------------------------------------------------

    async def login(self) -> None:
        await self._client.login()
        if self._client.room_names:
            self._client.post("ROOM_NAMES_REQUEST", rooms=sorted(self._client.room_names))
        self._client.fence(self._find_room)

    def _find_room(self) -> None:
        """The names of all rooms are here: join ours, unless we are in it."""
        wanted = self._config.server.room
        names = {name.strip().lower(): channel for channel, name in self._client.room_names.items()}
        self._challenges.room = names.get(wanted.strip().lower())
        if self._room is None:
            raise Refused("join", f"there is no room {wanted!r}")
        if not self._client.is_in(self._room):
            self._client.join(self._room)
        self._client.post("JOIN_ARCHIVE_REQUEST", name=self._client.me)
        self._client.fence(self._begin)

    def _begin(self) -> None:
        if self._room is None or not self._client.is_in(self._room):
            raise PeerGone(f"the room {self._config.server.room!r} does not let us in")
        for summary in self._archive.in_play:
            self._client.post("JOIN_GAME_BY_ID", timestamp=summary["timestamp"])
        self._client.fence(self._finish_login)

    def _finish_login(self) -> None:
        """Whatever is open we are in by now; a game whose opponent is here is loaded, else a challenge opened."""
        self._challenges.is_settled = True
        here = self._client.rooms[self._room].users if self._room in self._client.rooms else set()
        for user in sorted(here):
            self._load_with(user)
        self._client.fence(self._offer)

    def _load_with(self, user: str) -> None:
        summary, room = self._archive.find_with(user), self._room
        is_free = self._challenges.is_settled and not self._client.is_playing
        if summary is not None and room is not None and is_free:
            self._client.to(room, "ROOM_LOAD_GAME", timestamp=summary["timestamp"])

    # -- what happens --------------------------------------------------------------------------------------------------

    async def events(self) -> AsyncIterator[ServerEvent]:
        while True:
            news = await self._client.receive()
            try:
                happened = self._read(news)
            except UNREADABLE as error:
                self._log(f"cannot be read: {news.kind}: {error!r}")
                continue
            for happening in happened:
                yield happening

    def _read(self, news: KgsNews) -> list[ServerEvent]:
        message = news.message
        match news.kind:
            case "GAME_JOIN" | "GAME_UPDATE" | "GAME_STATE" | "GAME_OVER" | "UNJOIN" | "CLOSE" if news.game is not None:
                return self._read_chat(news) + self._update_of(news.game, is_left=news.kind in ("UNJOIN", "CLOSE"))
            case "GAME_UNDO_REQUEST" if news.game is not None:
                role = values.role_of(message.get("role"))
                is_mine = news.game.role(self._client.me) in ("", role)
                return [] if is_mine else [UndoRequest(self._key(news.game), news.game.players.get(role, ""))]
            case "CHAT":
                return self._read_chat(news)
            case "ARCHIVE_JOIN":
                self._client.leave(news.channel)
                return self._archive.read(message)
            case "ROOM_JOIN" | "GAME_LIST" if news.channel == self._room:
                return self._challenges.find_open()
            case "USER_ADDED" if news.channel == self._room:
                self._load_with(name_of(message["user"]))
            case "AUTOMATCH_STATUS":
                self._challenges.read_automatch(message)
            case kind if kind == REFUSED:
                return self._read_refusal(message["refused"], str(message["text"]))
            case kind if (
                kind.startswith("CHALLENGE") or kind == "CANT_PLAY_TWICE" or news.channel == self._challenges.ours
            ):
                return self._challenges.read(news)
        return []

    def _read_chat(self, news: KgsNews) -> list[ServerEvent]:
        """Return the lines of players in a game, private ones to us, and commands to us in the room."""
        if news.channel in self._client.rooms:
            return [
                ChatLine(chat.user, chat.text) for chat in news.chats if self.answers_room and _is_command(chat.text)
            ]
        if news.channel == self._challenges.ours:
            return []
        key = self._key(news.game) if news.game is not None else None
        return [
            ChatLine(chat.user, chat.text, key) for chat in news.chats if news.game is None or news.game.role(chat.user)
        ]

    # -- games ---------------------------------------------------------------------------------------------------------

    def _key(self, game: KgsGame) -> str:
        return f"{self._config.name}-{game.timestamp}"

    def _update_of(self, game: KgsGame, *, is_left: bool) -> list[ServerEvent]:
        """The game as it is now, if we play in it and something is new."""
        if not self._is_ours(game):
            return []
        if not is_left and "over" not in game.flags:
            self._challenges.note_game()
        state = self._state(game, is_left)
        last = self._last_states.get(game.channel)
        self._last_states[game.channel] = state
        self._archive.note(state, game.timestamp)
        if state.phase != SCORING:
            self._agreed.pop(game.channel, None)
        if is_left:
            # There may be another game.
            self._last_states.pop(game.channel, None)
            self._agreed.pop(game.channel, None)
            self._offer()
        if last == state:
            return []
        if state.phase == ADJOURNED and not is_left:
            self._timers.add(_COMES_BACK_S, lambda: _stop_waiting(self._client, game))
        return [GameUpdate(state)]

    def _is_ours(self, game: KgsGame) -> bool:
        """Return True if we play in a game."""
        return game.role(self._client.me) in values.COLOURS

    def _state(self, game: KgsGame, is_left: bool) -> ServerGame:
        colour = values.COLOURS.get(game.role(self._client.me), EMPTY)
        moves, phase, rules = game.moves(), _phase(game, is_left), game.rules
        may_move = game.may("MOVE", self._client.me) and not game.ends_in_passes
        placed = game.handicap_stones()
        return ServerGame(
            self._key(game),
            game.size,
            colour,
            {each: game.players[role] for role, each in values.COLOURS.items() if role in game.players},
            moves,
            game.clocks() if phase == PLAYING else {},
            phase,
            # What may be done and what was done come in two messages: after a move of ours it is never our turn.
            phase == PLAYING and may_move and (not moves or moves[-1][0] != colour),
            int(rules.get("handicap", 0)) or len(placed),
            float(rules["komi"]) if "komi" in rules else None,
            values.result_of(game.score) if phase == OVER else "",
            tuple(sorted(game.dead())) if phase == SCORING else (),
            placed=placed,
            programs=game.programs,
        )

    def _read_refusal(self, message: Message, why: str) -> list[ServerEvent]:
        game = self._client.games.get(int(message.get("channelId") or 0))
        if message["type"] != "GAME_MOVE" or game is None:
            return []
        return [MoveRefused(self._key(game), why)]

    # -- challenges ----------------------------------------------------------------------------------------------------

    def _offer(self) -> None:
        """Offer what the role has to offer: here a challenge, while we are free."""
        self._challenges.open()

    async def accept(self, challenge: Challenge) -> None:
        self._challenges.accept(challenge)

    async def decline(self, user: str, reason: DeclineReason | None = None) -> None:
        self._challenges.decline(user)
        if reason is not None and reason.text:
            await self.tell(user, reason.text)

    # -- what we do ----------------------------------------------------------------------------------------------------

    def _channel(self, game: ServerGame) -> int:
        """The channel of a game, 0 where it is closed: what is sent there is dropped."""
        games = self._client.games.items()
        return next((channel for channel, each in games if self._key(each) == game.key), 0)

    async def play(self, game: ServerGame, vertex: str, note: MoveNote) -> None:
        self._client.to(self._channel(game), "GAME_MOVE", loc=values.loc_of(vertex, game.size))

    async def resign(self, game: ServerGame) -> None:
        self._client.to(self._channel(game), "GAME_RESIGN")

    async def ready(self, game: ServerGame) -> None:
        channel = self._channel(game)
        if channel:
            self._client.leave(channel)
        else:
            self._offer()

    async def say(self, game: ServerGame, text: str) -> None:
        channel = self._channel(game)
        if channel:
            self._client.chat(channel, text)
        elif game.phase == OVER:
            # It ended while we were away; what is still to be said is said in private.
            self._client.tell(game.opponent, text)

    async def tell(self, user: str, text: str) -> None:
        if not self._challenges.tell_decline_reason(user, text):
            self._client.tell(user, text)

    async def undo(self, game: ServerGame) -> None:
        self._client.to(self._channel(game), "GAME_UNDO_REQUEST")

    async def answer_undo(self, game: ServerGame, allowed: bool) -> None:
        # To refuse is to say nothing.
        if allowed:
            self._client.to(self._channel(game), "GAME_UNDO_ACCEPT")

    async def mark_dead(self, game: ServerGame, vertex: str) -> None:
        self._client.to(self._channel(game), "GAME_MARK_LIFE", **values.point_of(vertex, game.size), alive=False)

    async def agree(self, game: ServerGame) -> None:
        channel = self._channel(game)
        open_game = self._client.games.get(channel)
        done_id = open_game.done_id if open_game is not None else None
        if done_id is not None and self._agreed.get(channel) != done_id:
            self._agreed[channel] = done_id
            self._client.to(channel, "GAME_SCORING_DONE", doneId=done_id)

    async def adjourn(self, game: ServerGame) -> None:
        self._archive.abandon(game.key)
        self._client.leave(self._channel(game))

    async def close(self) -> None:
        self._timers.stop_all()
        await self._client.close()


def _run_safely(work: Callable[[], None], log: Callable[[str], None]) -> None:
    """Do what was put off."""
    try:
        work()
    except PeerGone as error:
        log(f"could not be sent: {error}")


def _stop_waiting(client: KgsClient, game: KgsGame) -> None:
    """Leave a game that the opponent left and did not come back to."""
    if "adjourned" in game.flags and client.is_in(game.channel):
        client.leave(game.channel)


def _is_command(text: str) -> bool:
    return text.strip().startswith("!")


def _phase(game: KgsGame, is_left: bool) -> str:
    if "over" in game.flags and game.score is not None:
        return OVER
    if is_left or "adjourned" in game.flags:
        return ADJOURNED
    if game.ends_in_passes and any(action == "SCORE" for action, _ in game.actions):
        return SCORING
    return PLAYING
