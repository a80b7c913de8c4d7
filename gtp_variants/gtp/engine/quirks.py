"""Switches for hosts with special needs (GUIs, kgsGtp, gtp2ogs) that GTP has no command to ask for."""

from dataclasses import dataclass

# Bridges to servers where people play: kgsGtp asks for answers to their chat, gtp2ogs says lines of the log.
KGS, OGS = "kgs", "ogs"


@dataclass(frozen=True, slots=True)
class HostQuirks:
    """What a host needs that cannot ask for it.

    `accepts_off_line`  a stone off the open line is taken, and the log says so, because the host shows it anyway
    `logs_news`         the log tells every draw and what the referee says
    `handicap`          stones with which each new game begins, where the game has such
    `uses_decoys`       moves that the viewer of the screen must not see go under wrong names, which only we can read
    `version`           what `version` answers, for a host that wants another program's; "" for ours
    `chat`              the bridge that carries our words to people, KGS or OGS; "" for none
    """

    accepts_off_line: bool = False
    logs_news: bool = False
    handicap: int = 0
    uses_decoys: bool = False
    chat: str = ""
    version: str = ""
