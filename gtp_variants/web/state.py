"""How a game stands for an audience, as values for JSON."""

from gtp_variants.players.table import Table, legal_actions
from gtp_variants.players.transcript import WATCHING, Json, Transcript, named_stones
from gtp_variants.records.state import describe_announcements, describe_for_seat, describe_game
from gtp_variants.rules.words import COLOUR_LETTERS


def standing(table: Table, transcript: Transcript, audience: int) -> Json:
    """How the game stands for an audience: the keys of `variant-state`."""
    if audience != WATCHING:
        return _state_for(table, audience) if audience > 0 else describe_game(table.game)
    # Of a hidden game those who watch are told these keys and no others.
    told = _state_for(table, table.rules.colours[0])
    # Of what was taken last, too, they see what was shown to every seat.
    shown: list[str] = next((item["captured"] for item in reversed(transcript.items) if not item["refused"]), [])
    last = told["last"] and {**told["last"], "captured": shown if told["last"]["captured"] else []}
    return {
        **{key: told[key] for key in ("variant", "move_number", "to_play", "over", "suspended", "result", "reason")},
        **{key: told[key] for key in ("captures", "passes", "draw")},
        "stones": {},
        "legal": [],
        "announcements": describe_announcements(table.rules, transcript.last_said),
        "last": last and {**last, "vertex": last["vertex"] if last["vertex"] in ("pass", "resign") else None},
    }


def _state_for(table: Table, colour: int) -> Json:
    return describe_for_seat(table.game, table.view(colour), legal_actions(table, colour))


def boards(table: Table) -> Json:
    """What each seat of a hidden game knew, by colour: shown when nothing is hidden any more."""
    return {COLOUR_LETTERS[colour]: named_stones(table, table.view(colour).stones) for colour in table.rules.colours}
