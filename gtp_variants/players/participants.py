"""Who plays a colour of a hosted game."""

from dataclasses import dataclass

from gtp_variants.players import bots

PERSON, BOT, ACCOUNT, ELSEWHERE = "person", "bot", "account", "elsewhere"


@dataclass(frozen=True, slots=True)
class Participant:
    """Who plays a colour: a person here, a bot by name, an account of a server, or somebody who plays elsewhere.

    `key` is the SHA-256 of the token that opens a person's seat, `level` that of a bot which has levels.
    """

    kind: str = PERSON
    name: str = ""
    level: int | None = None
    key: str = ""

    @property
    def bot(self) -> str:
        """The bot's name with its level."""
        return self.name if self.level is None else bots.with_parameter(self.name, "level", f"{self.level}")
