"""A KGS on loopback: rooms, challenges both ways, games, archives, conversations, errors and all.

The end of a login that posts to a closed channel, unanswered joins, one game at a time, echoes of all that is said and
played. How the real server behaves where nobody knows it for sure can be chosen for the games that begin from then on.
"""

import random
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from starlette.responses import PlainTextResponse, Response

from tests.bridge.fakes.kgs_demonstration import Demonstration
from tests.bridge.fakes.kgs_http import ROOMS, HttpSide, Login
from tests.bridge.fakes.kgs_table import Fields, Table


@dataclass(eq=False)
class Challenge:
    """An open challenge: the owner's proposal now, and what was submitted."""

    channel: int
    room: int
    owner: str
    proposal: Fields
    text: str
    submitted: dict[str, Fields] = field(default_factory=dict)
    shown: Fields | None = None
    creator: Fields = field(default_factory=dict)

    def listed(self) -> Fields:
        return {
            "channelId": self.channel,
            "gameType": "challenge",
            "roomId": self.room,
            "name": self.text,
            "initialProposal": downstream(self.proposal),
            "players": {"challengeCreator": self.creator or {"name": self.owner}},
        }


def downstream(proposal: Fields) -> Fields:
    """Users are objects on their way down, and nested."""
    seats = []
    for seat in proposal["players"]:
        kept = {key: value for key, value in seat.items() if key != "name"}
        seats.append({**kept, **({"user": {"name": seat["name"], "rank": "?"}} if seat.get("name") else {})})
    return {**proposal, "players": seats}


def _proposal(message: Fields) -> Fields:
    """Nested or flat: both are taken."""
    if "proposal" in message:
        return dict(message["proposal"])
    return {key: value for key, value in message.items() if key not in ("type", "channelId", "callbackKey")}


class KgsServer(HttpSide):
    """`async with KgsServer({"alpha": "sesame"}) as server`: it listens at `port` of 127.0.0.1."""

    def __init__(self, passwords: dict[str, str], *, poll_s: float = 5.0, seed: int = 1, first: int = 0) -> None:
        """Games are numbered after `first`."""
        super().__init__(passwords, poll_s)
        self.rng = random.Random(seed)
        self.rooms: dict[int, list[str]] = {channel: [] for channel in ROOMS}
        self.challenges: dict[int, Challenge] = {}
        self.tables: dict[int, Table] = {}
        self.archive: list[Table] = []
        self.conversations: dict[int, tuple[str, str]] = {}
        self.guests: set[str] = set()
        # Robots, ranks by name, and who waits for automatch with what they said of themselves.
        self.robots: set[str] = set()
        self.ranks: dict[str, str] = {}
        self.automatch: dict[str, Fields] = {}
        self.undo_plies = "one"
        self.chat_as = "both"
        self.state_first = False
        self._channel = 100
        self._number = first

    @property
    def finished(self) -> list[Table]:
        """The games that are over, in the order they began."""
        return [table for table in self.archive if table.over]

    # -- rooms and channels --------------------------------------------------------------------------------------------

    def _user(self, name: str) -> Fields:
        flags = "gc" if name in self.guests else "rc" if name in self.robots else ""
        return {"name": name, "rank": self.ranks.get(name, "?"), **({"flags": flags} if flags else {})}

    def _next_channel(self) -> int:
        self._channel += 1
        return self._channel

    def _do_room_names_request(self, login: Login, message: Fields) -> None:
        rooms = [{"channelId": channel, "name": ROOMS[channel]} for channel in message["rooms"]]
        self.push(login.name, "ROOM_NAMES", rooms=rooms)

    def _do_join_request(self, login: Login, message: Fields) -> None:
        """Join a channel; an unknown one is not answered."""
        channel = message["channelId"]
        if channel in login.channels:
            self.push(login.name, "CHANNEL_ALREADY_JOINED", channelId=channel)
        elif channel in self.rooms:
            for name in self.rooms[channel]:
                self.push(name, "USER_ADDED", channelId=channel, user=self._user(login.name))
            self.rooms[channel].append(login.name)
            login.channels.add(channel)
            users = [self._user(name) for name in self.rooms[channel]]
            games = [challenge.listed() for challenge in self.challenges.values() if challenge.room == channel]
            games += [table.listed() for table in self.tables.values() if table.room == channel]
            self.push(login.name, "ROOM_JOIN", channelId=channel, users=users, games=games)
            self.push(login.name, "JOIN_COMPLETE", channelId=channel)
        elif channel in self.challenges:
            self._join_challenge(login, self.challenges[channel])
        elif channel in self.tables:
            self._join_table(login, self.tables[channel])

    def _do_unjoin_request(self, login: Login, message: Fields) -> None:
        self.leave(login, message["channelId"])
        self.push(login.name, "UNJOIN", channelId=message["channelId"])

    def leave(self, login: Login, channel: int) -> None:
        login.channels.discard(channel)
        name = login.name
        if channel in self.rooms and name in self.rooms[channel]:
            self.rooms[channel].remove(name)
            for other in self.rooms[channel]:
                self.push(other, "USER_REMOVED", channelId=channel, user={"name": name})
        challenge, table = self.challenges.get(channel), self.tables.get(channel)
        if challenge is not None:
            challenge.submitted.pop(name, None)
            if challenge.owner == name:
                self._close_challenge(challenge)
        if table is not None and name in table.users:
            table.users.remove(name)
            self.tell(table, "USER_REMOVED", {"user": {"name": name}})
            table.leave(name)
            if not table.users:
                del self.tables[channel]
                for other in self.rooms[table.room]:
                    self.push(other, "GAME_CONTAINER_REMOVE_GAME", channelId=table.room, gameId=channel)

    def _close(self, channel: int) -> None:
        for login in self.online.values():
            if channel in login.channels:
                login.channels.discard(channel)
                self.push(login.name, "CLOSE", channelId=channel)

    def lose(self, table: Table) -> None:
        """Remove a game's channel."""
        del self.tables[table.channel]
        table.users.clear()
        table.adjourned = True
        self._close(table.channel)

    def _do_chat(self, login: Login, message: Fields) -> None:
        channel, text = message["channelId"], message["text"]
        if len(text) > 1000:
            self.faults.append(f"{login.name}: {len(text)} characters of chat")
        if channel in self.tables:
            self.tables[channel].chat(login.name, text)
            return
        for other in list(self.online.values()):
            if channel in other.channels:
                self.push(other.name, "CHAT", channelId=channel, user={"name": login.name}, text=text)

    def _do_convo_request(self, login: Login, message: Fields) -> None:
        key, name = message["callbackKey"], message["name"]
        other = self.online.get(name)
        if other is None:
            self.push(login.name, "CONVO_NO_SUCH_USER", callbackKey=key)
            return
        pair = sorted((login.name, name))
        found = [channel for channel, each in self.conversations.items() if sorted(each) == pair]
        channel = found[0] if found else self._next_channel()
        self.conversations[channel] = login.name, name
        for me, you, more in ((login, name, {"callbackKey": key}), (other, login.name, {})):
            if channel not in me.channels or more:
                me.channels.add(channel)
                self.push(me.name, "CONVO_JOIN", channelId=channel, user={"name": you}, **more)

    def _do_join_archive_request(self, login: Login, message: Fields) -> None:
        channel = self._next_channel()
        login.channels.add(channel)
        games = [table.summary() for table in self.archive if message["name"] in table.players.values()]
        self.push(login.name, "ARCHIVE_JOIN", channelId=channel, user={"name": message["name"]}, games=games)

    # -- challenges ----------------------------------------------------------------------------------------------------

    def _plays(self, name: str) -> bool:
        return any(table.role(name) and not table.over and name in table.users for table in self.tables.values())

    def _do_challenge_create(self, login: Login, message: Fields) -> None:
        key = message["callbackKey"]
        if self._plays(login.name):
            self.push(login.name, "CANT_PLAY_TWICE", callbackKey=key)
            return
        proposal = _proposal(message)
        if proposal["gameType"] == "demonstration":
            # No handshake: the owner is brought in at once.
            table = self._new_table(message["channelId"], proposal, Demonstration)
            self.push(login.name, "GAME_NOTIFY", game=table.summary())
            self._join_table(login, table)
            return
        if "proposal" not in message or len(message.get("text", "")) > 80 or proposal["gameType"] != "free":
            self.push(login.name, "CHALLENGE_NOT_CREATED", callbackKey=key)
            return
        channel = self._next_channel()
        challenge = Challenge(channel, message["channelId"], login.name, proposal, message["text"])
        challenge.creator = self._user(login.name)
        self.challenges[channel] = challenge
        login.channels.add(channel)
        self.push(login.name, "CHALLENGE_CREATED", callbackKey=key, game=challenge.listed())
        self.push(login.name, "CHALLENGE_JOIN", channelId=channel, proposal=downstream(proposal), actions=[])
        for name in self.rooms[challenge.room]:
            self.push(name, "GAME_LIST", channelId=challenge.room, games=[challenge.listed()])

    def _join_challenge(self, login: Login, challenge: Challenge) -> None:
        login.channels.add(challenge.channel)
        fields = {"channelId": challenge.channel, "proposal": downstream(challenge.proposal)}
        self.push(login.name, "CHALLENGE_JOIN", **fields, actions=[{"action": "CHALLENGE_SETUP"}])
        self.push(login.name, "JOIN_COMPLETE", channelId=challenge.channel)

    def _do_challenge_submit(self, login: Login, message: Fields) -> None:
        challenge = self.challenges[message["channelId"]]
        challenge.submitted[login.name] = proposal = _proposal(message)
        fields = {"user": self._user(login.name), "proposal": downstream(proposal)}
        self.push(challenge.owner, "CHALLENGE_SUBMIT", channelId=challenge.channel, **fields)

    def _do_challenge_proposal(self, login: Login, message: Fields) -> None:
        challenge = self.challenges[message["channelId"]]
        if challenge.owner != login.name:
            raise ValueError("only the owner proposes")
        challenge.shown = _proposal(message)
        for other in list(self.online.values()):
            if challenge.channel in other.channels:
                fields = {"channelId": challenge.channel, "proposal": downstream(challenge.shown)}
                self.push(other.name, "CHALLENGE_PROPOSAL", **fields)

    def _do_challenge_decline(self, login: Login, message: Fields) -> None:
        challenge = self.challenges[message["channelId"]]
        challenge.submitted.pop(message["name"], None)
        self.push(message["name"], "CHALLENGE_DECLINE", channelId=challenge.channel)

    def _do_challenge_accept(self, login: Login, message: Fields) -> None:
        challenge = self.challenges[message["channelId"]]
        proposal = _proposal(message)
        names = [seat["name"] for seat in proposal["players"]]
        if proposal != challenge.shown or login.name not in names or login.name == challenge.owner:
            raise ValueError("this is not what was proposed")
        if any(self._plays(name) for name in names):
            self.push(login.name, "CANT_PLAY_TWICE")
            return
        if proposal.get("nigiri"):
            roles = ["white", "black"]
            self.rng.shuffle(roles)
            seats = [{**seat, "role": role} for seat, role in zip(proposal["players"], roles, strict=True)]
            proposal = {**proposal, "players": seats, "nigiri": False}
        table = self._new_table(challenge.room, proposal)
        for other in list(self.online.values()):
            if challenge.channel in other.channels:
                fields = {"gameChannelId": table.channel, "proposal": downstream(proposal)}
                self.push(other.name, "CHALLENGE_FINAL", channelId=challenge.channel, **fields)
        self._close_challenge(challenge)
        for name in names:
            self._join_table(self.online[name], table)

    def _close_challenge(self, challenge: Challenge) -> None:
        self.challenges.pop(challenge.channel, None)
        self._close(challenge.channel)
        for name in self.rooms[challenge.room]:
            fields = {"channelId": challenge.room, "gameId": challenge.channel}
            self.push(name, "GAME_CONTAINER_REMOVE_GAME", **fields)

    # -- automatch -----------------------------------------------------------------------------------------------------

    def _do_automatch_create(self, login: Login, message: Fields) -> None:
        """Pair the second user with the first, on the server's terms."""
        for key in ("maxHandicap", "freeOk", "rankedOk", "robotOk", "humanOk", "blitzOk", "fastOk", "mediumOk"):
            _ = message[key]
        self.automatch[login.name] = message
        self.push(login.name, "AUTOMATCH_STATUS", enabled=True)
        names = list(self.automatch)[:2]
        if len(names) < 2:
            return
        rules = {"size": 19, "rules": "japanese", "komi": 6.5, "timeSystem": "absolute", "mainTime": 600}
        seats = [{"role": role, "name": name} for role, name in zip(("white", "black"), names, strict=True)]
        table = self._new_table(1, {"gameType": "free", "rules": rules, "players": seats})
        for name in names:
            del self.automatch[name]
            self.push(name, "AUTOMATCH_STATUS", enabled=False)
            self.push(name, "GAME_NOTIFY", game=table.summary())
            self._join_table(self.online[name], table)

    def _do_automatch_cancel(self, login: Login, message: Fields) -> None:
        self.automatch.pop(login.name, None)
        self.push(login.name, "AUTOMATCH_STATUS", enabled=False)

    # -- games ---------------------------------------------------------------------------------------------------------

    def _new_table(self, room: int, proposal: Fields, kind: type[Table] = Table) -> Table:
        self._number += 1
        players = {seat["role"]: seat["name"] for seat in proposal["players"]}
        stamp = f"{datetime(2026, 11, 20) + timedelta(hours=self._number):%Y-%m-%dT%H:%M:%S.000+0000}"
        channel = self._next_channel()
        table = kind(
            channel, stamp, room, proposal, players, self.tell, self.undo_plies, self.chat_as, self.state_first
        )
        self.archive.append(table)
        self._open_table(table)
        return table

    def _open_table(self, table: Table) -> None:
        """A game is in the list of its room as long as somebody is in it."""
        self.tables[table.channel] = table
        for name in self.rooms[table.room]:
            self.push(name, "GAME_LIST", channelId=table.room, games=[table.listed()])

    def tell(self, table: Table, kind: str, fields: Fields) -> None:
        # Players do not hear who looks on, but in lessons.
        is_observers = kind == "CHAT" and not table.role(fields["user"]["name"])
        deaf = set(table.players.values()) if is_observers and table.summary()["gameType"] == "free" else set()
        for name in [each for each in table.users if each not in deaf]:
            self.push(name, kind, channelId=table.channel, **fields)

    def _join_table(self, login: Login, table: Table) -> None:
        self.tell(table, "USER_ADDED", {"user": {"name": login.name}})
        table.users.append(login.name)
        login.channels.add(table.channel)
        table.come(login.name)
        users = [{"name": name} for name in table.users]
        fields = {"channelId": table.channel, "users": users, "gameSummary": table.summary(), "sgfEvents": table.tree()}
        self.push(login.name, "GAME_JOIN", **fields, **table.state())
        self.push(login.name, "JOIN_COMPLETE", channelId=table.channel)

    def _do_join_game_by_id(self, login: Login, message: Fields) -> None:
        """Not answered where there is no such game open."""
        for table in self.tables.values():
            if table.timestamp == message["timestamp"] and login.name not in table.users:
                self._join_table(login, table)

    def _do_room_load_game(self, login: Login, message: Fields) -> None:
        table = next((each for each in self.archive if each.timestamp == message["timestamp"]), None)
        if table is None or table.over or login.name not in table.players.values() or table.users:
            summary = table.summary() if table is not None else {}
            self.push(login.name, "LOAD_FAILED", channelId=message["channelId"], gameSummary=summary)
            return
        table.channel = self._next_channel()
        table.adjourned = True
        self._open_table(table)
        # Whoever plays already is not brought in.
        for name in table.players.values():
            if name in self.online and (name == login.name or not self._plays(name)):
                self.push(name, "GAME_NOTIFY", game=table.summary())
                self._join_table(self.online[name], table)

    def _table_of(self, message: Fields) -> Table:
        return self.tables[message["channelId"]]

    def _do_game_move(self, login: Login, message: Fields) -> Response | None:
        if self._table_of(message).move(login.name, message["loc"]):
            return None
        return PlainTextResponse(":KGS: illegal move :KGS:", 400)

    def _do_kgs_sgf_change(self, login: Login, message: Fields) -> None:
        fault = self._table_of(message).change(login.name, message["sgfEvents"])
        if fault:
            # What the real server does not understand ends the login.
            self.faults.append(f"{login.name}: {fault}")
            self._drop(login)

    def _do_game_list_entry_set_flags(self, login: Login, message: Fields) -> None:
        self._table_of(message).flags |= {name for name in ("saved", "private") if message.get(name)}

    def _do_game_resign(self, login: Login, message: Fields) -> None:
        self._table_of(message).resign(login.name)

    def _do_game_undo_request(self, login: Login, message: Fields) -> None:
        table = self._table_of(message)
        told = table.ask_undo(login.name)
        for name in table.users:
            if told is not None and name != login.name:
                self.push(name, "GAME_UNDO_REQUEST", channelId=table.channel, **told)

    def _do_game_undo_accept(self, login: Login, message: Fields) -> None:
        self._table_of(message).accept_undo(login.name)

    def _do_game_mark_life(self, login: Login, message: Fields) -> None:
        self._table_of(message).mark(login.name, {"x": message["x"], "y": message["y"]}, message["alive"])

    def _do_game_scoring_done(self, login: Login, message: Fields) -> None:
        self._table_of(message).finish(login.name, message["doneId"])

    def expire(self, table: Table) -> None:
        """The clock of the side to move is at zero: is it there?"""
        table.expires = table.players[table.to_play]
        self.push(table.expires, "GAME_TIME_EXPIRED", channelId=table.channel)

    def _do_game_time_expired(self, login: Login, message: Fields) -> None:
        table = self._table_of(message)
        if table.expires == login.name:
            table.end(f"{'W' if table.role(login.name) == 'black' else 'B'}+TIME")
