"""What suits each game: settings of the search that measured best there, for what the caller leaves open."""

from typing import Any

from gtp_variants.rules.rules import Rules

# Where a game is not named, the defaults of `tree.SearchSettings` suit it.
_SUITED: dict[str, dict[str, Any]] = {
    # The answer to an atari is open in one of several throws only.
    "aleago": {"atari": False, "shapes": False},
}


def suited(rules: Rules) -> dict[str, Any]:
    """The settings that suit a game and are not the defaults."""
    return dict(_SUITED.get(rules.name, {}))
