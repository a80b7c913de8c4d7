"""Challenges at KGS: our own open one in the room, what is proposed there, and those of others that we take.

The core judges what is proposed. To accept is to propose the same; the other side's client then accepts.
"""

from collections.abc import Callable

from gtp_variants.base.json_values import Json
from gtp_variants.bridge.core.config import BridgeConfig
from gtp_variants.bridge.core.server import Challenge, ServerEvent
from gtp_variants.bridge.core.tasks import Timers
from gtp_variants.bridge.kgs import values
from gtp_variants.bridge.kgs.client import KgsClient, KgsNews
from gtp_variants.bridge.kgs.transport import Message
from gtp_variants.bridge.kgs.values import LONGEST_OFFER, name_of, same_name
from gtp_variants.errors import PeerGarbled
from gtp_variants.lang import say
from gtp_variants.rules import parse

# Seconds until a challenge that failed is tried again.
_TRY_AGAIN_S = 30.0


class KgsChallenges:
    """Challenges in our room: one of our own that is open while we are free, and those of others that we take."""

    def __init__(
        self,
        config: BridgeConfig,
        client: KgsClient,
        timers: Timers[Callable[[], None]],
        offer: Callable[[], None],
        log: Callable[[str], None],
    ) -> None:
        """`offer` lets whatever the role offers be offered again."""
        self._config, self._client, self._timers, self._offer, self._log = config, client, timers, offer, log
        # Our room once it is found; and whether we have tried to go on with the games that are open.
        self.room: int | None = None
        self.is_settled = False
        # Our own open challenge, and what has been submitted to it by whom.
        self.ours: int | None = None
        self._asked_for_challenge: int | None = None
        self._submitted: dict[str, Message] = {}
        # Whether the server was asked to pair us.
        self._is_in_automatch = False
        # Who was declined last, and is told why if they asked.
        self._declined = ""
        # Another's challenge that we took: whose, its channel, and what we agreed to.
        self._accepted: tuple[str, int, Message] | None = None
        self._open_to_all: dict[str, Message] = {}

    def open(self) -> None:
        """Open our challenge, unless there is one or we play, and let the server pair us."""
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
        """A game of ours is on: withdraw our challenge, and let the server begin no other game."""
        self._leave_automatch()
        if self.ours is not None:
            self._client.leave(self.ours)
            self.ours = None

    def _leave_automatch(self) -> None:
        """Let the server pair us no more."""
        if self._is_in_automatch:
            self._is_in_automatch = False
            self._client.post("AUTOMATCH_CANCEL")

    def read_automatch(self, message: Message) -> None:
        """Take in whether the server pairs us."""
        if message.get("enabled") or not self._is_in_automatch:
            return
        # It was refused, or a game of it begins; where none does it is tried again.
        self._is_in_automatch = False
        self._timers.add(_TRY_AGAIN_S, self._offer)

    def read(self, news: KgsNews) -> list[ServerEvent]:
        """Take in what is said of a challenge. Raises PeerGone and what is `UNREADABLE`."""
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

    def _read_submission(self, message: Message) -> list[ServerEvent]:
        user, proposal = name_of(message["user"]), _proposal(message)
        try:
            terms = values.terms_of(proposal, self._client.me, message["user"])
        except PeerGarbled as error:
            self._log(str(error))
            self._client.to(message["channelId"], "CHALLENGE_DECLINE", name=user)
            return []
        self._submitted[user.lower()] = proposal
        return [Challenge(user, terms)]

    def find_open(self) -> list[ServerEvent]:
        """Challenges of others in our room, if we take such."""
        if not self._config.offer.takes or self.room is None or not self.is_settled or self._client.is_playing:
            return []
        self._open_to_all.clear()
        happened: list[ServerEvent] = []
        for listed in self._client.rooms[self.room].challenges.values():
            owner = listed.get("players", {}).get("challengeCreator")
            creator = name_of(owner)
            if same_name(creator, self._client.me) or self._accepted is not None:
                continue
            proposal = values.upstream(listed["initialProposal"], self._client.me)
            self._open_to_all[creator.lower()] = listed
            happened.append(Challenge(creator, values.terms_of(proposal, self._client.me, owner), is_open=True))
        return happened

    def _read_our_challenge(self, news: KgsNews) -> list[ServerEvent]:
        """Something about another's challenge that we took."""
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
                elif any(same_name(str(seat.get("name")), self._client.me) for seat in proposal["players"]):
                    self._open_to_all[creator.lower()] = {**news.message, "initialProposal": proposal}
                    terms = values.terms_of(proposal, self._client.me)
                    return [Challenge(creator, terms, is_open=True, is_counter=True)]
            case "CHALLENGE_DECLINE" | "CHALLENGE_FINAL":
                self._client.leave(channel)
                self._accepted = None
        return []

    def accept(self, challenge: Challenge) -> None:
        """Play on these terms: propose the same, or take the challenge. Raises PeerGone."""
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
        """Whoever opened the challenge does not answer, or it is gone."""
        if self._accepted is not None and self._accepted[1] == channel:
            self._accepted = None
            if self._client.is_in(channel):
                self._client.leave(channel)

    def decline(self, user: str) -> None:
        """Refuse what somebody proposed. Raises PeerGone."""
        self._open_to_all.pop(user.lower(), None)
        if self.ours is not None and self._submitted.pop(user.lower(), None) is not None:
            self._client.to(self.ours, "CHALLENGE_DECLINE", name=user)
            self._declined = user

    def tell_decline_reason(self, user: str, text: str) -> bool:
        """Tell who was declined last why, in our challenge; False where it is somebody else. Raises PeerGone."""
        if self.ours is None or user != self._declined:
            return False
        self._client.chat(self.ours, f"{user}: {text}")
        self._declined = ""
        return True


def _proposal(message: Message) -> Message:
    """The proposal of a message: nested, or flat in it."""
    nested = message.get("proposal")
    if isinstance(nested, dict):
        return nested
    return {key: value for key, value in message.items() if key not in ("type", "channelId", "user", "callbackKey")}
