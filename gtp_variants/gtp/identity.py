"""The program that an engine claims to be: its name, version, numbers and command line.

Hosts show scores and ownership, or start at all, only if they know an engine's name and version. An identity belongs to
the process. No game and no command changes it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gtp_variants._version import __version__
from gtp_variants.lang import load


@dataclass(frozen=True, slots=True)
class Identity:
    """A program as hosts see it.

    `ready` is the line on standard error for which hosts wait, or "". `effects` maps the program's own parameters to
    GTP commands, and `ignored` lists those without an effect here.
    """

    name: str
    version: str = __version__
    ready: str = ""
    effects: Mapping[str, str] = field(default_factory=dict)
    ignored: Sequence[str] = ()

    def write_score(self, score: str) -> str:
        """Return a result of `final_score`. Other programs always write a decimal, as in B+3.0."""
        return score if self is OURS or not score[2:].isdigit() else f"{score}.0"


IDENTITIES = {name: Identity(**facts) for name, facts in load(Path(__file__).with_name("identities.toml")).items()}
OURS = IDENTITIES["gtp-variants"]
