"""A bot that plays at KGS, for the bridge's core.

After the login it joins its room and resumes unfinished games from its archive. While it plays no game, it keeps a
challenge open in the room. The core judges each proposal; to accept one, we propose the same terms, and the other
client accepts. If the opponent leaves a game, we stay for a while and then leave, too. A user who loads the game later
brings us back into it.
"""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from gtp_variants.base.json_values import Json
from gtp_variants.base.tasks import Timers
from gtp_variants.bridge.core import server as core
from gtp_variants.bridge.core.config import BridgeConfig
from gtp_variants.bridge.kgs import values
from gtp_variants.bridge.kgs.client import REFUSED, KgsClient, KgsNews, Message
from gtp_variants.bridge.kgs.values import LONGEST_OFFER, KgsGame, name_of
from gtp_variants.errors import PeerGarbled, PeerGone, Refused
from gtp_variants.lang import say
from gtp_variants.rules import parse
from gtp_variants.rules.actions import EMPTY

# What a timer does.
Work = Callable[[], None]
# Seconds until a failed challenge is repeated.
_TRY_AGAIN_S = 30.0


class KgsChallenges:
    """Challenges in our room: our open challenge while we are free, and other users' challenges that we accept."""

    def __init__(
        self, config: BridgeConfig, client: KgsClient, timers: Timers[Work], offer: Work, log: Callable[[str], None]
    ) -> None:
        """`offer` is called to open our challenge again."""
        self._config, self._client, self._timers, self._offer, self._log = config, client, timers, offer, log
        # Our room, once found, and whether unfinished games have been resumed.
        self.room: int | None = None
        self.is_settled = False
        # The channel of our open challenge, and the proposals submitted to it, by lower-case user name.
        self.ours: int | None = None
        self._asked_for_challenge: int | None = None
        self._submitted: dict[str, Message] = {}
        # True while the server is looking for an opponent for us.
        self._is_in_automatch = False
        # The user who was declined last.
        self._declined = ""
        # The challenge of another user that we accepted: its owner, its channel and our proposal.
        self._accepted: tuple[str, int, Message] | None = None
        self._open_to_all: dict[str, Message] = {}

    def open(self) -> None:
        """Open our challenge and enter automatch, as configured, unless we are playing or have done so already."""
        offer, room = self._config.offer, self.room
        if room is None or not self.is_settled or self._client.is_playing:
            return
        if offer.automatch and not self._is_in_automatch:
            self._is_in_automatch = True
            self._client.post("AUTOMATCH_CREATE", **values.automatch_of(offer, self._config.challenges))
        if not offer.opens or self.ours is not None or self._asked_for_challenge is not None:
            return
        rules, lang = parse(self._config.spec), self._config.chat.lang
        title = rules.profile.chat_titles.get(lang, rules.title)
        text = offer.text or say("bridge.offer_go" if rules.profile.is_go else "bridge.offer", lang, title=title)
        komi = float(str(rules.values["komi"])) if "komi" in rules.values else 0.5
        colours = self._config.challenges.colours
        proposal = values.proposal_of(offer, self._client.me, rules.board.width, komi, colours)
        key = self._asked_for_challenge = self._client.next_key()
        fields: Json = {"callbackKey": key, "global": True, "text": text[:LONGEST_OFFER]}
        self._client.to(room, "CHALLENGE_CREATE", **fields, proposal=proposal)

    def note_game(self) -> None:
        """Withdraw our challenge and leave automatch, because we are in a game."""
        if self._is_in_automatch:
            self._is_in_automatch = False
            self._client.post("AUTOMATCH_CANCEL")
        if self.ours is not None:
            self._client.leave(self.ours)
            self.ours = None

    def read_automatch(self, message: Message) -> None:
        if message.get("enabled") or not self._is_in_automatch:
            return
        # Automatch was refused or a game is beginning, so repeat the offer later, unless we are playing by then.
        self._is_in_automatch = False
        self._timers.add(_TRY_AGAIN_S, self._offer)

    def read(self, news: KgsNews) -> list[core.ServerEvent]:
        """Process a message about a challenge. Raises PeerGone, or an `UNREADABLE` error if it is malformed."""
        message, mine = news.message, news.channel == self.ours
        match news.kind:
            case "CHALLENGE_CREATED" if message["callbackKey"] == self._asked_for_challenge:
                self.ours, self._asked_for_challenge = int(message["game"]["channelId"]), None
                self._submitted.clear()
            case "CHALLENGE_NOT_CREATED" | "CANT_PLAY_TWICE" | "CHALLENGE_CANT_PLAY_RANKED":
                self._asked_for_challenge = None
                self._timers.add(_TRY_AGAIN_S, self._offer)
            case "CHALLENGE_SUBMIT" if mine:
                return self._read_submission(message)
            case "CHALLENGE_FINAL" if mine:
                self._client.leave(news.channel)
                self.ours = None
            case "UNJOIN" | "CLOSE" if mine:
                self.ours = None
                self._offer()
            case "CHALLENGE_JOIN" | "CHALLENGE_PROPOSAL" | "CHALLENGE_DECLINE" | "CHALLENGE_FINAL":
                return self._read_our_challenge(news)
        return []

    def _read_submission(self, message: Message) -> list[core.ServerEvent]:
        user, proposal = name_of(message["user"]), _proposal(message)
        try:
            terms = values.terms_of(proposal, self._client.me, message["user"])
        except PeerGarbled as error:
            self._log(str(error))
            self._client.to(message["channelId"], "CHALLENGE_DECLINE", name=user)
            self._client.chat(message["channelId"], f"{user}: {say('bridge.unreadable', self._config.chat.lang)}")
            return []
        self._submitted[user.lower()] = proposal
        return [core.Challenge(user, terms)]

    def find_open(self) -> list[core.ServerEvent]:
        """Return other users' challenges in our room, or [] if we accept none or are playing."""
        if not self._config.offer.takes or self.room is None or not self.is_settled or self._client.is_playing:
            return []
        self._open_to_all.clear()
        happened: list[core.ServerEvent] = []
        for listed in self._client.rooms[self.room].challenges.values():
            owner = listed.get("players", {}).get("challengeCreator")
            creator = name_of(owner)
            if core.same_name(creator, self._client.me) or self._accepted is not None:
                continue
            try:
                proposal = values.upstream(listed["initialProposal"], self._client.me)
                terms = values.terms_of(proposal, self._client.me, owner)
            except core.UNREADABLE as error:
                self._log(f"cannot read {creator}'s challenge: {error!r}")
                continue
            self._open_to_all[creator.lower()] = listed
            happened.append(core.Challenge(creator, terms, is_open=True))
        return happened

    def _read_our_challenge(self, news: KgsNews) -> list[core.ServerEvent]:
        """Process a message about another user's challenge that we accepted."""
        if self._accepted is None or news.channel != self._accepted[1]:
            return []
        creator, channel, agreed = self._accepted
        match news.kind:
            case "CHALLENGE_JOIN":
                self._client.to(channel, "CHALLENGE_SUBMIT", **agreed)
            case "CHALLENGE_PROPOSAL":
                proposal = values.upstream(_proposal(news.message))
                if values.is_same(proposal, agreed):
                    self._client.to(channel, "CHALLENGE_ACCEPT", **proposal)
                elif any(core.same_name(str(seat.get("name")), self._client.me) for seat in proposal["players"]):
                    self._open_to_all[creator.lower()] = {**news.message, "initialProposal": proposal}
                    terms = values.terms_of(proposal, self._client.me)
                    return [core.Challenge(creator, terms, is_open=True, is_counter=True)]
            case "CHALLENGE_DECLINE" | "CHALLENGE_FINAL":
                self._client.leave(channel)
                self._accepted = None
        return []

    def accept(self, challenge: core.Challenge) -> None:
        """Accept an open challenge, or another proposal by proposing its terms. Raises PeerGone if disconnected."""
        name = challenge.user.lower()
        if challenge.is_open:
            self._take(challenge.user, self._open_to_all.pop(name, None))
        elif name in self._submitted and self.ours is not None:
            self._client.to(self.ours, "CHALLENGE_PROPOSAL", **values.upstream(self._submitted.pop(name)))

    def _take(self, creator: str, listed: Message | None) -> None:
        if listed is None:
            return
        channel, proposal = int(listed["channelId"]), values.upstream(listed["initialProposal"], self._client.me)
        if self._client.is_in(channel):
            self._accepted = creator, channel, proposal
            self._client.to(channel, "CHALLENGE_ACCEPT", **proposal)
        elif self._accepted is None:
            self._accepted = creator, channel, proposal
            self._client.join(channel)
            self._timers.add(_TRY_AGAIN_S, lambda: self._give_up_challenge(channel))

    def _give_up_challenge(self, channel: int) -> None:
        """Forget an accepted challenge whose owner does not answer."""
        if self._accepted is not None and self._accepted[1] == channel:
            self._accepted = None
            if self._client.is_in(channel):
                self._client.leave(channel)

    def decline(self, user: str) -> None:
        """Decline a user's proposal. Raises PeerGone if the connection is lost."""
        self._open_to_all.pop(user.lower(), None)
        if self.ours is not None and self._submitted.pop(user.lower(), None) is not None:
            self._client.to(self.ours, "CHALLENGE_DECLINE", name=user)
            self._declined = user

    def tell_decline_reason(self, user: str, text: str) -> bool:
        """Tell the user declined last the reason, once, in our challenge's chat. Return False if nothing was sent."""
        if self.ours is None or user != self._declined:
            return False
        self._client.chat(self.ours, f"{user}: {text}")
        self._declined = ""
        return True


def _proposal(message: Message) -> Message:
    """Return the proposal in a message, either nested or flat."""
    nested = message.get("proposal")
    if isinstance(nested, dict):
        return nested
    return {key: value for key, value in message.items() if key not in ("type", "channelId", "user", "callbackKey")}


# Seconds that an absent opponent has to return before we leave, too.
_COMES_BACK_S = 180.0
# Maximum number of archived games that are reported as having ended while we were away: the newest games.
_ENDED_LATELY = 20


class KgsArchive:
    """Our unfinished games in the server's archive: the newest game with each opponent."""

    def __init__(self, config: BridgeConfig, client: KgsClient) -> None:
        self._config, self._client = config, client
        self._unfinished: dict[str, Message] = {}
        # Keys of games that we left for good.
        self._abandoned: set[str] = set()

    def join_open(self) -> None:
        """Join the unfinished games that are open on the server. Raises PeerGone if the connection is lost."""
        for summary in self._unfinished.values():
            if summary.get("inPlay"):
                self._client.post("JOIN_GAME_BY_ID", timestamp=summary["timestamp"])

    def find_with(self, user: str) -> Message | None:
        return self._unfinished.get(user.lower())

    def abandon(self, key: str) -> None:
        self._abandoned.add(key)

    def note(self, state: core.ServerGame, timestamp: str) -> None:
        """Note whether a game is unfinished."""
        if state.phase == core.ADJOURNED and state.key not in self._abandoned:
            self._unfinished[state.opponent.lower()] = {"timestamp": timestamp}
        else:
            self._unfinished.pop(state.opponent.lower(), None)

    def read(self, message: Message) -> list[core.ServerEvent]:
        """Read the archive, and return the games that may have ended while we were away."""
        summaries = sorted(message.get("games", ()), key=lambda each: str(each.get("timestamp", "")))
        happened: list[core.ServerEvent] = []
        for summary in summaries:
            players = {values.role_of(role): name_of(user) for role, user in summary.get("players", {}).items()}
            mine = next((role for role, name in players.items() if core.same_name(name, self._client.me)), "")
            other = next((name for role, name in players.items() if role != mine), None)
            if other is None or mine not in values.COLOURS:
                continue
            if values.can_go_on(summary):
                self._unfinished[other.lower()] = summary
                continue
            names = {each: players[role] for role, each in values.COLOURS.items() if role in players}
            result, colour = values.result_of(summary.get("score")), values.COLOURS[mine]
            key, size = f"{self._config.name}-{summary['timestamp']}", int(summary.get("size", 19))
            happened.append(core.ServerGame(key, size, colour, names, phase=core.OVER, result=result, is_whole=False))
        return happened[-_ENDED_LATELY:]


class Kgs(core.Server):
    """A login at KGS in the role `player`."""

    abilities = core.Abilities(chat=True, undo=core.ASKED, resumes=True, marks=True, challenges=True)
    # True if commands typed in the room are for us.
    answers_room = False

    def __init__(self, config: BridgeConfig, log: Callable[[str], None]) -> None:
        self._config = config
        self._log = log
        self._client = KgsClient(config.server, log)
        self._timers = Timers[Work](lambda work: _run_safely(work, log))
        self._archive = KgsArchive(config, self._client)
        self._challenges = KgsChallenges(config, self._client, self._timers, self._offer, log)
        # The state last reported for each game, and the number of the marking that we last agreed to.
        self._last_states: dict[int, core.ServerGame] = {}
        self._agreed: dict[int, int] = {}

    @property
    def _room(self) -> int | None:
        return self._challenges.room

    async def login(self) -> None:
        await self._client.login()
        if self._client.room_names:
            self._client.post("ROOM_NAMES_REQUEST", rooms=sorted(self._client.room_names))
        self._client.fence(self._find_room)

    def _find_room(self) -> None:
        """Join the configured room, now that the rooms' names are known. Raises Refused if there is no such room."""
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
            raise PeerGone(f"cannot join the room {self._config.server.room!r}")
        self._archive.join_open()
        self._client.fence(self._finish_login)

    def _finish_login(self) -> None:
        """Load a game whose opponent is present, or else open a challenge."""
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

    async def _receive(self) -> Callable[[], Awaitable[Sequence[core.ServerEvent]]]:
        return partial(self._read, await self._client.receive())

    async def _read(self, news: KgsNews) -> list[core.ServerEvent]:
        message = news.message
        match news.kind:
            case "GAME_JOIN" | "GAME_UPDATE" | "GAME_STATE" | "GAME_OVER" | "UNJOIN" | "CLOSE" if news.game is not None:
                return self._read_chat(news) + self._update_of(news.game, is_left=news.kind in ("UNJOIN", "CLOSE"))
            case "GAME_UNDO_REQUEST" if news.game is not None:
                role = values.role_of(message.get("role"))
                is_mine = news.game.role(self._client.me) in ("", role)
                return [] if is_mine else [core.UndoRequest(self._key(news.game))]
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

    def _read_chat(self, news: KgsNews) -> list[core.ServerEvent]:
        """Return players' lines in a game, private messages, and commands to us in the room."""
        if news.channel in self._client.rooms:
            lines = news.chats if self.answers_room else ()
            return [core.ChatLine(line.user, line.text) for line in lines if line.text.strip().startswith("!")]
        if news.channel == self._challenges.ours:
            return []
        key = self._key(news.game) if news.game is not None else None
        chats = (chat for chat in news.chats if news.game is None or news.game.role(chat.user))
        return [core.ChatLine(chat.user, chat.text, key) for chat in chats]

    def _key(self, game: KgsGame) -> str:
        return f"{self._config.name}-{game.timestamp}"

    def _update_of(self, game: KgsGame, *, is_left: bool) -> list[core.ServerEvent]:
        """Return a list of our game's state if it has changed; otherwise []."""
        if not self._is_ours(game):
            return []
        if not is_left and "over" not in game.flags:
            self._challenges.note_game()
        state = self._state(game, is_left)
        last = self._last_states.get(game.channel)
        self._last_states[game.channel] = state
        self._archive.note(state, game.timestamp)
        if state.phase != core.SCORING:
            self._agreed.pop(game.channel, None)
        if is_left:
            # We are free for another game, so forget this game and make our offer.
            self._last_states.pop(game.channel, None)
            self._agreed.pop(game.channel, None)
            self._offer()
        if last == state:
            return []
        if state.phase == core.ADJOURNED and not is_left:
            self._timers.add(_COMES_BACK_S, lambda: _stop_waiting(self._client, game))
        return [state]

    def _is_ours(self, game: KgsGame) -> bool:
        return game.role(self._client.me) in values.COLOURS

    def _state(self, game: KgsGame, is_left: bool) -> core.ServerGame:
        colour = values.COLOURS.get(game.role(self._client.me), EMPTY)
        moves, phase, rules = game.moves(), _phase(game, is_left), game.rules
        may_move = game.may("MOVE", self._client.me) and not game.ends_in_passes
        placed = game.handicap_stones()
        return core.ServerGame(
            self._key(game),
            game.size,
            colour,
            {each: game.players[role] for role, each in values.COLOURS.items() if role in game.players},
            moves,
            game.clocks() if phase == core.PLAYING else {},
            phase,
            # Permitted actions may be older than the moves, so check that our own move is not the last.
            phase == core.PLAYING and may_move and (not moves or moves[-1][0] != colour),
            int(rules.get("handicap", 0)) or len(placed),
            float(rules["komi"]) if "komi" in rules else None,
            values.result_of(game.score) if phase == core.OVER else "",
            tuple(sorted(game.dead())) if phase in (core.SCORING, core.OVER) else (),
            placed=placed,
            programs=game.programs,
            options=values.go_options(rules),
        )

    def _read_refusal(self, message: Message, why: str) -> list[core.ServerEvent]:
        game = self._client.games.get(int(message.get("channelId") or 0))
        if message["type"] != "GAME_MOVE" or game is None:
            return []
        return [core.MoveRefused(self._key(game), why)]

    def _offer(self) -> None:
        """Make the role's offer: here an open challenge or automatch, while we are free."""
        self._challenges.open()

    async def accept(self, challenge: core.Challenge) -> None:
        self._challenges.accept(challenge)

    async def decline(self, user: str, reason: core.DeclineReason | None = None) -> None:
        self._challenges.decline(user)
        if reason is not None and reason.text:
            await self.tell(user, reason.text)

    def _channel(self, game: core.ServerGame) -> int:
        """Return a game's channel, or 0 if it is closed; messages to 0 are dropped."""
        games = self._client.games.items()
        return next((channel for channel, each in games if self._key(each) == game.key), 0)

    async def play(self, game: core.ServerGame, vertex: str, note: str) -> None:
        self._client.to(self._channel(game), "GAME_MOVE", loc=values.loc_of(vertex, game.size))

    async def resign(self, game: core.ServerGame) -> None:
        self._client.to(self._channel(game), "GAME_RESIGN")

    async def ready(self, game: core.ServerGame) -> None:
        channel = self._channel(game)
        if channel:
            self._client.leave(channel)
        else:
            self._offer()

    async def say(self, game: core.ServerGame, text: str) -> None:
        channel = self._channel(game)
        if channel:
            self._client.chat(channel, text)
        elif game.phase == core.OVER:
            # The game ended while we were away, so speak in private.
            self._client.tell(game.opponent, text)

    async def tell(self, user: str, text: str) -> None:
        if not self._challenges.tell_decline_reason(user, text):
            self._client.tell(user, text)

    async def undo(self, game: core.ServerGame) -> None:
        self._client.to(self._channel(game), "GAME_UNDO_REQUEST")

    async def answer_undo(self, game: core.ServerGame, allowed: bool) -> None:
        # Not answering refuses the undo, so answer only if it is allowed.
        if allowed:
            self._client.to(self._channel(game), "GAME_UNDO_ACCEPT")

    async def mark_dead(self, game: core.ServerGame, vertex: str) -> None:
        self._client.to(self._channel(game), "GAME_MARK_LIFE", **values.point_of(vertex, game.size), alive=False)

    async def agree(self, game: core.ServerGame) -> None:
        channel = self._channel(game)
        open_game = self._client.games.get(channel)
        done_id = open_game.done_id if open_game is not None else None
        if done_id is not None and self._agreed.get(channel) != done_id:
            self._agreed[channel] = done_id
            self._client.to(channel, "GAME_SCORING_DONE", doneId=done_id)

    async def adjourn(self, game: core.ServerGame) -> None:
        self._archive.abandon(game.key)
        self._client.leave(self._channel(game))

    async def close(self) -> None:
        self._timers.stop_all()
        await self._client.close()


def _run_safely(work: Work, log: Callable[[str], None]) -> None:
    try:
        work()
    except PeerGone as error:
        log(f"cannot send: {error}")


def _stop_waiting(client: KgsClient, game: KgsGame) -> None:
    """Leave a game whose opponent has left and not come back."""
    if "adjourned" in game.flags and client.is_in(game.channel):
        client.leave(game.channel)


def _phase(game: KgsGame, is_left: bool) -> str:
    if "over" in game.flags and game.score is not None:
        return core.OVER
    if is_left or "adjourned" in game.flags:
        return core.ADJOURNED
    if game.ends_in_passes and any(action == "SCORE" for action, _ in game.actions):
        return core.SCORING
    return core.PLAYING
