"""The program that an engine claims to be: its name, version, numbers and command line.

Some hosts show scores and ownership, or accept an engine at all, only if they know its name and version. An identity
belongs to the process. No game or command changes it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gtp_variants._version import __version__
from gtp_variants.lang import load


@dataclass(frozen=True, slots=True)
class Identity:
    """The program that the engine claims to be.

    `ready` is the line on standard error for which hosts wait, or "". `effects` maps the program's own options on the
    command line to GTP commands, and `ignored` lists options that are accepted without effect.
    """

    name: str
    version: str = __version__
    ready: str = ""
    effects: Mapping[str, str] = field(default_factory=dict)
    ignored: Sequence[str] = ()

    def write_score(self, score: str) -> str:
        """Return the answer to `final_score`. Programs other than ours always write a decimal, as in B+3.0."""
        return score if self is OURS or not score[2:].isdigit() else f"{score}.0"


IDENTITIES = {name: Identity(**facts) for name, facts in load(Path(__file__).with_name("identities.toml")).items()}
OURS = IDENTITIES["gtp-variants"]
