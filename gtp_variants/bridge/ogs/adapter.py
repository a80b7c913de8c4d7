"""A bot that plays at OGS: its games, its challenges and what is said to it, in the words of the bridge's core.

After the login the server tells of every game that goes on (`active_game`); each is connected to, and comes whole. So
the state is right after any lost line, and whenever something does not fit, the game is asked for again. Games of ours
that ended meanwhile are asked for, too.

The server scores the games of bots by itself. Only where it waits for us for long do we accept what it marked.
"""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Coroutine
from secrets import token_hex

from gtp_variants.bridge.core.config import BridgeConfig
from gtp_variants.bridge.core.server import (
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
    InvitationRefused,
    MoveNote,
    MoveRefused,
    Server,
    ServerEvent,
    ServerGame,
    UndoRefused,
    UndoRequest,
)
from gtp_variants.bridge.core.state_store import StateStore
from gtp_variants.bridge.ogs import challenges, values
from gtp_variants.bridge.ogs.challenges import SPEEDS, Challenger, OgsChallenge
from gtp_variants.bridge.ogs.game import OgsGame
from gtp_variants.bridge.ogs.transport import OgsNews, OgsTransport
from gtp_variants.errors import PeerGarbled, PeerGone, PeerSilent, Refused
from gtp_variants.json_values import Json
from gtp_variants.lang import say
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK
from gtp_variants.rules.boards.handicap import fixed_points

# How long the server may take to show a move of ours, and how often it is sent.
_ECHO_S, _MOST_TRIES = 10.0, 3
# How long it may take to score a game by itself, and to begin a game that we accepted.
_SCORE_S, _BEGIN_S = 20.0, 20.0
# The last words of a game may come after its end.
_LINGER_S = 1.0
# In so many moves a game can be cancelled without a loss.
_CANCEL_MOVES = 5
# A line of chat that is older was answered before, or waits for an answer no more.
_OLD_MS = 60_000.0
_WAKE = "(wake)"


class Ogs(Server):
    """A login at OGS that plays."""

    abilities = Abilities(chat=True, undo=ASKED, resumes=True, challenges=True, concurrent=True, passes_stay=True)

    def __init__(self, config: BridgeConfig, log: Callable[[str], None]) -> None:
        self._config = config
        self._log = log
        self._line = OgsTransport(config.server, log)
        self._store = StateStore(config.outputs.folder / "games")
        self._me = 0
        self._games: dict[int, OgsGame] = {}
        self._arrived: asyncio.Queue[OgsNews | Exception] = asyncio.Queue()
        self._tasks: set[asyncio.Task[None]] = set()
        self._timers: dict[tuple[str, int], asyncio.TimerHandle] = {}
        # Challenges that were told, by number; one is answered at a time, so that no limit is passed meanwhile.
        self._proposals: dict[str, OgsChallenge] = {}
        self._waiting: deque[OgsChallenge] = deque()
        self._beginning: int | None = None
        # People's ids and languages by name.
        self._ids: dict[str, int] = {}
        self._langs: dict[str, str] = {}
        # What we sent and did not see yet: at how many moves, the move, how often; and which answer is whose.
        self._sent: dict[int, tuple[int, str, int]] = {}
        self._asked_again: set[int] = set()
        self._answers: dict[int, int] = {}
        self._asked_undo: set[int] = set()
        self._chat_ids: set[str] = set()
        self._status: Counter[str] | None = None
        self.invitations = self._challenger = Challenger(config, self._line, self._background, log)

    # -- the login -----------------------------------------------------------------------------------------------------

    async def login(self) -> None:
        await self._line.open()
        server = self._config.server
        key = server.password.reveal()
        number = await self._line.ask("authenticate", {"jwt": "", "bot_apikey": key, "bot_username": server.account})
        try:
            async with asyncio.timeout(server.silence_s):
                while (news := await self._line.receive()).number != number:
                    self._arrived.put_nowait(news)
        except TimeoutError:
            raise PeerSilent("the login is not answered") from None
        if not isinstance(news.data, dict) or not news.data.get("id"):
            raise Refused("authenticate", news.error or "the server does not know this API key as a bot's")
        name = str(news.data.get("username", ""))
        if name.lower() != server.account.lower():
            raise Refused("authenticate", f"the API key is {name}'s, not {server.account}'s")
        self._me = self._line.bot_id = int(news.data["id"])
        self._ids[name] = self._me
        await self._begin()
        self._background(self._listen())

    async def _begin(self) -> None:
        """We are logged in: tell who we are, and ask for the games that we know of."""
        await self._line.send("bot/config", challenges.bot_config(self._config, self._me, declines=False))
        await self._send_status()
        prefix = f"{self._config.name}-"
        for key in self._store:
            number = key.removeprefix(prefix)
            if key.startswith(prefix) and number.isdecimal():
                await self._join(int(number))

    async def _listen(self) -> None:
        while True:
            try:
                self._arrived.put_nowait(await self._line.receive())
            except PeerGarbled as error:
                self._log(f"cannot be read: {error}")
            except Exception as error:
                self._arrived.put_nowait(error)
                return

    # -- what happens --------------------------------------------------------------------------------------------------

    async def events(self) -> AsyncIterator[ServerEvent]:
        while True:
            news = await self._arrived.get()
            if isinstance(news, Exception):
                raise news
            try:
                happened = await self._read(news)
            except UNREADABLE as error:
                self._log(f"cannot be read: {news.event}: {error!r}")
                continue
            for happening in happened:
                yield happening
            await self._send_status()

    async def _read(self, news: OgsNews) -> list[ServerEvent]:
        if news.number is not None:
            return self._read_answer(news)
        data = news.data
        match news.event.split("/"):
            case ["game", number, kind] if number.isdecimal() and int(number) in self._games:
                return await self._read_game(self._games[int(number)], kind, data)
            case ["active_game"] if isinstance(data, dict):
                await self._read_active_game(data)
            case ["notification"] if isinstance(data, dict):
                return await self._read_notification(data)
            case ["private-message"] if isinstance(data, dict):
                return self._read_private_message(data)
            case ["ERROR"]:
                self._log(f"the server says: {data}")
            case ["HUP"]:
                raise PeerGone("the server hangs up")
            case [event] if event == _WAKE:
                return self._next_challenge()
        return []

    def _read_answer(self, news: OgsNews) -> list[ServerEvent]:
        """What the server answers to a move."""
        game = self._games.get(self._answers.pop(news.number or 0, 0))
        if game is None or not news.error:
            return []
        self._sent.pop(game.id, None)
        return [MoveRefused(self._key(game.id), news.error)]

    # -- games ---------------------------------------------------------------------------------------------------------

    def _key(self, number: int) -> str:
        return f"{self._config.name}-{number}"

    async def _join(self, number: int) -> None:
        self._games.setdefault(number, OgsGame(number))
        await self._line.send("game/connect", {"game_id": number, "chat": True})

    async def _read_active_game(self, data: Json) -> None:
        number, is_over = int(data["id"]), data.get("phase") == "finished"
        self._challenger.end(number)
        game = self._games.get(number)
        if game is None and not is_over:
            await self._join(number)
        elif game is not None and game.data is not None and is_over and game.phase != OVER:
            # Its data may be on their way, or were lost.
            self._later("over", number, _LINGER_S, lambda: self._ask_if_over(number))

    async def _ask_if_over(self, number: int) -> None:
        game = self._games.get(number)
        if game is not None and game.phase != OVER:
            await self._join(number)

    async def _read_game(self, game: OgsGame, kind: str, data: object) -> list[ServerEvent]:
        match kind:
            case "gamedata" if isinstance(data, dict):
                return await self._read_data(game, data)
            case _ if game.data is None:
                return []
            case "move":
                # The pass that ends a game may come after the word of its end.
                if game.phase == OVER:
                    return []
                if not game.read_move(data):
                    await self._join(game.id)
                    return []
            case "clock" if isinstance(data, dict):
                game.read_clock(data)
            case "phase":
                return await self._read_phase(game, str(data))
            case "undo_requested" | "undo_accepted" | "undo_canceled":
                return await self._read_undo(game, kind, data)
            case "removed_stones" if isinstance(data, dict) and "all_removed" in data:
                game.known["removed"] = data["all_removed"]
            case "removed_stones_accepted" if isinstance(data, dict):
                self._read_acceptance(game, data)
            case "chat" if isinstance(data, dict):
                return self._read_chat(game, data)
            case "error":
                self._sent.pop(game.id, None)
                return [MoveRefused(self._key(game.id), str(data))]
            case _:
                return []
        return self._update_of(game)

    async def _read_data(self, game: OgsGame, data: Json) -> list[ServerEvent]:
        game.read(data)
        if self._me not in game.ids.values():
            del self._games[game.id]
            return []
        self._ids |= {game.names[colour]: number for colour, number in game.ids.items()}
        if game.id in self._asked_again:
            self._asked_again.discard(game.id)
            refused = await self._send_again(game)
            if refused:
                return [*self._update_of(game), *refused]
        if game.phase == SCORING:
            # On lines that are cut again and again the wait would never be over if it began anew with each.
            self._wait_for_score(game, game.since_last_move_s(self._line.now_ms()))
        if game.id == self._beginning:
            self._beginning = None
            self._stop("begin", 0)
        return self._update_of(game) + self._next_challenge()

    async def _read_phase(self, game: OgsGame, phase: str) -> list[ServerEvent]:
        was = game.phase
        if was == OVER:
            return []
        if phase == "finished":
            # The result comes with the whole game, before or after.
            self._later("over", game.id, _LINGER_S, lambda: self._join(game.id))
            return []
        game.known["phase"] = phase
        if phase == "stone removal":
            self._wait_for_score(game)
        elif was == SCORING:
            self._stop("score", game.id)
            # What has become of the passes, only the server knows.
            await self._join(game.id)
            return []
        return self._update_of(game)

    def _update_of(self, game: OgsGame) -> list[ServerEvent]:
        """The game as it is now."""
        sent = self._sent.get(game.id)
        if sent is not None and len(game.vertices) > sent[0]:
            del self._sent[game.id]
            self._stop("echo", game.id)
        if game.phase == OVER:
            for name in ("score", "pause", "over", "echo"):
                self._stop(name, game.id)
        else:
            self._watch_pause(game)
            self._place_handicap(game)
        me = game.colour_of(self._me)
        langs = {name: self._langs[name] for name in game.names.values() if name in self._langs}
        return [GameUpdate(game.state(self._key(game.id), self._me, self._line.now_ms(), langs))] if me else []

    def _place_handicap(self, game: OgsGame) -> None:
        """Put down our next handicap stone, where we have Black and may choose: on the points they are used to be."""
        count, placed = game.free_stones, len(game.vertices)
        if game.phase != PLAYING or placed >= count or game.colour_of(self._me) != BLACK or game.id in self._sent:
            return
        board = parse(f"{self._config.spec.split(':')[0]}:size={game.size}").board
        points = fixed_points(board, count) or [point for point in board.order if board.rings[point] > 1]
        free = [vertex for vertex in map(board.vertex, points) if vertex not in game.vertices]
        self._background(self._send_move(game, values.word_of(free[0], game.size)))

    # -- pauses and scoring --------------------------------------------------------------------------------------------

    def _watch_pause(self, game: OgsGame) -> None:
        """Let the clocks go on when the opponent has stopped them for too long."""
        since_ms = game.paused_by_player_ms
        if since_ms is None:
            self._stop("pause", game.id)
        elif ("pause", game.id) not in self._timers:
            gone_s = (self._line.now_ms() - since_ms) / 1000 if since_ms else 0.0
            longest_s = self._config.policies.pause_s
            self._later("pause", game.id, max(0.0, longest_s - gone_s), lambda: self._end_pause(game))

    async def _end_pause(self, game: OgsGame) -> None:
        minutes = f"{self._config.policies.pause_s / 60:g}"
        lang = next((self._langs[name] for name in game.names.values() if name in self._langs), self._config.chat.lang)
        self._say(game.id, say("bridge.paused", lang, minutes=minutes))
        await self._line.send("game/resume", {"game_id": game.id})

    def _wait_for_score(self, game: OgsGame, gone_s: float = 0.0) -> None:
        """The server scores by itself; if it waits for us instead, what it marked is accepted."""
        if ("score", game.id) not in self._timers:
            wait_s = min(_SCORE_S, max(_LINGER_S, _SCORE_S - gone_s))
            self._later("score", game.id, wait_s, lambda: self._accept_score(game))

    async def _accept_score(self, game: OgsGame) -> None:
        if game.phase == SCORING:
            stones = str(game.known.get("removed") or "")
            fields: Json = {"game_id": game.id, "stones": stones, "strict_seki_mode": False}
            await self._line.send("game/removed_stones/accept", fields)
            self._wait_for_score(game)

    def _read_acceptance(self, game: OgsGame, data: Json) -> None:
        """Somebody accepted, or the server scored: what it says of the end is the game's."""
        if data.get("outcome"):
            game.known.update({key: data[key] for key in ("phase", "outcome", "winner") if key in data})
        if data.get("stones") is not None:
            game.known["removed"] = data["stones"]

    # -- undo ----------------------------------------------------------------------------------------------------------

    async def _read_undo(self, game: OgsGame, kind: str, data: object) -> list[ServerEvent]:
        is_ours = game.id in self._asked_undo
        match kind:
            case "undo_requested":
                asked = game.read_undo_request(data)
                if asked.by == self._me or (asked.by is None and is_ours):
                    return []
                return [UndoRequest(self._key(game.id), game.name_of(asked.by))]
            case "undo_canceled":
                game.undo = None
                self._asked_undo.discard(game.id)
                return [UndoRefused(self._key(game.id))] if is_ours else []
        self._asked_undo.discard(game.id)
        game.undo_moves(data)
        # How the clocks stand now comes with the whole game.
        await self._join(game.id)
        return self._update_of(game)

    # -- chat ----------------------------------------------------------------------------------------------------------

    def _read_chat(self, game: OgsGame, data: Json) -> list[ServerEvent]:
        """A line of a player, once: all of them come again after a lost line, and at the end."""
        line = data.get("line")
        if not isinstance(line, dict):
            return []
        key = str(line.get("chat_id") or f"{line.get('player_id')} {line.get('date')} {line.get('body')}")
        user, channel = game.name_of(line.get("player_id")), str(line.get("channel") or data.get("channel") or "main")
        if key in self._chat_ids or line.get("player_id") == self._me or not user or channel != "main":
            return []
        self._chat_ids.add(key)
        body, date = line.get("body"), line.get("date")
        # What was said before we came was heard then.
        is_old = isinstance(date, int | float) and date * 1000 < self._line.now_ms() - _OLD_MS
        return [ChatLine(user, body, self._key(game.id))] if isinstance(body, str) and not is_old else []

    def _read_private_message(self, data: Json) -> list[ServerEvent]:
        sender, message = data["from"], data["message"]
        user = str(sender["username"])
        if int(sender["id"]) == self._me:
            return []
        self._ids[user] = int(sender["id"])
        return [ChatLine(user, str(message["m"]))]

    # -- challenges ----------------------------------------------------------------------------------------------------

    async def _read_notification(self, data: Json) -> list[ServerEvent]:
        kind = data.get("type")
        refused: list[ServerEvent] = []
        if kind == "challenge":
            try:
                proposal = challenges.proposal_of(data, self._config.spec)
            except UNREADABLE as error:
                self._log(f"a challenge that cannot be read: {error!r}")
                return []
            return await self._read_proposal(proposal)
        if kind == "friendRequest":
            self._background(self._post("me/friends/invitations", {"from_user": data["user"]["id"]}))
        elif kind == "gameOfferRejected":
            user = self._challenger.end(int(data.get("game_id") or 0))
            self._log(f"our challenge is refused: {data.get('message')}")
            refused = [InvitationRefused(user)] if user else []
        if kind != "delete" and data.get("id"):
            await self._line.ask("notification/delete", {"notification_id": data["id"]})
        return refused

    async def _read_proposal(self, proposal: OgsChallenge) -> list[ServerEvent]:
        if str(proposal.id) in self._proposals:
            return []
        self._proposals[str(proposal.id)] = proposal
        self._ids[proposal.user] = proposal.user_id
        if proposal.lang:
            self._langs.setdefault(proposal.user, proposal.lang)
        if proposal.fault:
            text = say(proposal.fault, self._lang_of(proposal), **dict(proposal.parts))
            await self.decline(proposal.user, DeclineReason(proposal.fault, text, str(proposal.id)))
            return []
        self._waiting.append(proposal)
        return self._next_challenge()

    def _lang_of(self, proposal: OgsChallenge) -> str:
        return proposal.lang or self._config.chat.lang

    def _next_challenge(self) -> list[ServerEvent]:
        if self._beginning is not None or not self._waiting:
            return []
        # The next one is judged when this one was.
        self._wake()
        return [self._waiting.popleft().challenge]

    def _wake(self) -> None:
        self._arrived.put_nowait(OgsNews(_WAKE))

    async def accept(self, challenge: Challenge) -> None:
        proposal = self._proposals.get(challenge.id)
        if proposal is not None:
            self._beginning = proposal.game_id or -proposal.id
            self._later("begin", 0, _BEGIN_S, self._stop_waiting_for_game)
            self._background(self._accept(proposal))

    async def _accept(self, proposal: OgsChallenge) -> None:
        try:
            await self._line.post(f"/api/v1/me/challenges/{proposal.id}/accept", {})
        except (PeerGone, PeerGarbled) as error:
            self._log(f"a challenge could not be accepted: {error}")
            await self._stop_waiting_for_game()
            self._proposals.pop(str(proposal.id), None)
            text = "The challenge could not be accepted, and was removed."
            await self._post(f"me/challenges/{proposal.id}", {"delete": True, "message": text})
            if proposal.notification:
                await self._line.ask("notification/delete", {"notification_id": proposal.notification})

    async def _stop_waiting_for_game(self) -> None:
        self._beginning = None
        self._stop("begin", 0)
        self._wake()

    async def decline(self, user: str, reason: DeclineReason | None = None) -> None:
        proposal = self._proposals.pop(reason.challenge_id, None) if reason is not None else None
        if proposal is not None and reason is not None:
            fields = challenges.rejection(proposal, reason.key, reason.text)
            self._background(self._post(f"me/challenges/{proposal.id}", fields))

    async def _post(self, path: str, data: Json) -> None:
        try:
            await self._line.post(f"/api/v1/{path}", data)
        except (PeerGone, PeerGarbled) as error:
            self._log(f"could not be posted: {error}")

    # -- what we do ----------------------------------------------------------------------------------------------------

    def _game(self, game: ServerGame) -> OgsGame:
        """The game as we have it. Raises PeerGone where we are not in it on this connection."""
        found = next((each for each in self._games.values() if self._key(each.id) == game.key), None)
        if found is None or found.data is None:
            raise PeerGone(f"{game.key} is not open")
        return found

    async def play(self, game: ServerGame, vertex: str, note: MoveNote) -> None:
        ours = self._game(game)
        if ours.paused_by_player_ms is not None:
            await self._line.send("game/resume", {"game_id": ours.id})
        await self._send_move(ours, values.word_of(vertex, ours.size))

    async def _send_move(self, game: OgsGame, word: str, tries: int = 1) -> None:
        self._sent[game.id] = len(game.vertices), word, tries
        self._later("echo", game.id, _ECHO_S, lambda: self._ask_again(game))
        self._answers[await self._line.ask("game/move", {"game_id": game.id, "move": word})] = game.id

    async def _ask_again(self, game: OgsGame) -> None:
        """A move of ours was not shown: the whole game tells whether it is there."""
        if game.id in self._sent:
            self._asked_again.add(game.id)
            await self._join(game.id)

    async def _send_again(self, game: OgsGame) -> list[ServerEvent]:
        """The game has come anew: send the move that is missing in it again, unless it was sent too often."""
        sent = self._sent.pop(game.id, None)
        if sent is None or len(game.vertices) != sent[0] or game.phase != PLAYING:
            return []
        _, word, tries = sent
        if tries >= _MOST_TRIES:
            return [MoveRefused(self._key(game.id), f"{word} was sent {tries} times and is not shown")]
        await self._send_move(game, word, tries + 1)
        return []

    async def resign(self, game: ServerGame) -> None:
        await self._line.send("game/resign", {"game_id": self._game(game).id})

    async def ready(self, game: ServerGame) -> None:
        found = next((each for each in self._games.values() if self._key(each.id) == game.key), None)
        if found is not None:
            self._later("leave", found.id, _LINGER_S, lambda: self._leave(found.id))

    async def _leave(self, number: int) -> None:
        self._games.pop(number, None)
        await self._line.send("game/disconnect", {"game_id": number})
        self._wake()

    async def say(self, game: ServerGame, text: str) -> None:
        self._say(self._game(game).id, text)

    def _say(self, number: int, text: str) -> None:
        count = len(self._games[number].vertices) if number in self._games else 0
        fields: Json = {"game_id": number, "type": "main", "move_number": count, "body": text}
        self._line.chat(number, "game/chat", fields, "body")

    async def tell(self, user: str, text: str) -> None:
        if user not in self._ids:
            self._log(f"{user} is not known, and not told: {text}")
            return
        fields: Json = {"player_id": self._ids[user], "username": user, "uid": token_hex(8), "message": text}
        self._line.chat(user, "chat/pm", fields, "message")

    async def undo(self, game: ServerGame) -> None:
        ours = self._game(game)
        if ours.phase == SCORING:
            self._stop("score", ours.id)
            self._wait_for_score(ours)
            await self._line.send("game/removed_stones/reject", {"game_id": ours.id})
        else:
            self._asked_undo.add(ours.id)
            await self._line.send("game/undo/request", {"game_id": ours.id, "move_number": len(ours.vertices)})

    async def answer_undo(self, game: ServerGame, allowed: bool) -> None:
        ours = self._game(game)
        number = ours.undo.move_number if ours.undo is not None else len(ours.vertices)
        command = "game/undo/accept" if allowed else "game/undo/cancel"
        await self._line.send(command, {"game_id": ours.id, "move_number": number})

    async def adjourn(self, game: ServerGame) -> None:
        """Cancel the game while that can be done, else leave it to its clock: nothing is put off there."""
        ours = self._game(game)
        if len(ours.vertices) < _CANCEL_MOVES:
            await self._line.send("game/cancel", {"game_id": ours.id})
        else:
            await self._line.send("game/disconnect", {"game_id": ours.id})

    async def close(self) -> None:
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()
        await self._line.close()
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    # -- our own ways --------------------------------------------------------------------------------------------------

    async def _send_status(self) -> None:
        """Tell how many games of each speed are on, whenever that changes."""
        on = [game for game in self._games.values() if game.data is not None and game.phase != OVER]
        status = Counter(game.speed for game in on if not game.is_paused)
        if status != self._status:
            self._status = status
            await self._line.send("bot/status", {f"ongoing_{speed}_count": status[speed] for speed in SPEEDS})

    def _background(self, work: Coroutine[object, object, None]) -> None:
        async def safely() -> None:
            try:
                await work
            except PeerGone as error:
                self._log(f"could not be sent: {error}")

        task = asyncio.get_running_loop().create_task(safely())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _later(
        self, name: str, number: int, seconds: float, work: Callable[[], Coroutine[object, object, None]]
    ) -> None:
        """Do something after a while, once, unless it is stopped before or put off anew."""
        self._stop(name, number)

        def start() -> None:
            self._timers.pop((name, number), None)
            self._background(work())

        self._timers[name, number] = asyncio.get_running_loop().call_later(seconds, start)

    def _stop(self, name: str, number: int) -> None:
        timer = self._timers.pop((name, number), None)
        if timer is not None:
            timer.cancel()
