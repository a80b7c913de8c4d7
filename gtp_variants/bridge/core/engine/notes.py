"""What an engine or a search thought of its move, as JSON in CGOS's form, for the server's record."""

import json

from gtp_variants.gtp.client.analysis import read_analysis
from gtp_variants.json_values import Json
from gtp_variants.mcts.result import SearchResult
from gtp_variants.records.notation import write_move
from gtp_variants.rules.rules import Rules
from gtp_variants.samples.thought import find_thought

# Of so many moves a server is told something, and of so many that follow each.
_MOST_MOVES = 5
_LONGEST_LINE = 20
_LONGEST_NOTE = 4000


def note_of_analysis(said: str) -> str:
    """What an engine said of its move; "" for nothing, and for too much."""
    return _write(read_analysis(said, _MOST_MOVES))


def note_of_search(rules: Rules, colour: int, found: object) -> str:
    """What a bot's search found, its shares those of the colour; "" for nothing. What is no search result says less."""
    thought = find_thought(rules, found)
    if thought is None or len(rules.colours) != 2:
        return ""
    note: Json = {}
    if thought.values:
        note["winrate"] = round(thought.values[rules.colours.index(colour)], 4)
    sign = 1 if colour == rules.colours[0] else -1
    result = found if isinstance(found, SearchResult) else None
    if result is not None and result.score is not None:
        note["score"] = round(sign * result.score, 2)
    visits = thought.visits
    best = sorted(visits, key=lambda move: -visits[move]) if result is None else result.rank_moves(visits)
    note["visits"] = sum(visits.values())
    note["moves"] = [_note_of_move(rules, action, visits[action], result) for action in best[:_MOST_MOVES]]
    return _write(note)


def _note_of_move(rules: Rules, action: int, visits: int, result: SearchResult | None) -> Json:
    move: Json = {"move": write_move(rules.board, action), "visits": visits}
    if result is None:
        return move
    for key, numbers in (("winrate", result.shares), ("prior", result.priors)):
        if action in numbers:
            move[key] = round(numbers[action], 4)
    line = result.lines.get(action, ())[:_LONGEST_LINE]
    if line:
        move["pv"] = " ".join(write_move(rules.board, each) for each in line)
    return move


def _write(note: Json) -> str:
    text = json.dumps(note, separators=(",", ":")) if note else ""
    return text if len(text) <= _LONGEST_NOTE else ""
