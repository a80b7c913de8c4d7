"""Analyses that engines give with their moves, in the formats of CGOS, KataGo and Leela Zero."""

import contextlib
import re
from collections.abc import Sequence

from gtp_variants.base.json_values import Json, parse_json
from gtp_variants.gtp.client.peer import Peer

# Commands for a move with its analysis, the preferred first, with the arguments after the colour.
ANALYSING = {"cgos-genmove_analyze": (), "kata-genmove_analyze": ("100000",), "lz-genmove_analyze": ("100000",)}
_NUMBERS = {"visits": int, "winrate": float, "prior": float, "scoreMean": float, "scoreLead": float, "order": int}
_INFO = re.compile(r"\binfo\b")
_SHARE = re.compile(r"\b(?:winrate|prior|lcb) (\S+)")
# Leela Zero's whole numbers from 0 to this stand for shares from 0 to 1.
_WHOLE_SHARE = 10_000


class AnalysingPeer(Peer):
    """An engine that gives an analysis with each move if it can; `analysis` is the last one, or empty."""

    analysis = ""

    def send(self, command: str, *arguments: object, timeout_s: float | None = None) -> str:
        """Send a command and return its answer. For `genmove` ask for an analysis too, but return the move alone."""
        if command in ANALYSING:
            answer = super().send(command, *arguments, timeout_s=timeout_s)
            self.analysis = answer.strip().rpartition("\n")[0]
            return answer
        way = next((name for name in ANALYSING if self.knows(name)), None) if command == "genmove" else None
        if way is None:
            return super().send(command, *arguments, timeout_s=timeout_s)
        self.analysis = ""
        answer = super().send(way, *arguments, *ANALYSING[way], timeout_s=timeout_s)
        self.analysis, _, last = answer.rpartition("\n")
        return last.removeprefix("play").strip()


def read_analysis(said: str, most_moves: int | None = None) -> Json:
    """Return the last line of an analysis in CGOS's form: JSON as it is, or an object made of `info`; {} if there is
    none.

    Win shares made of `info` are from 0 to 1, for the side to move; a line with only whole numbers counts in
    ten-thousandths. Only its best `most_moves` are kept. JSON is not checked.
    """
    last = said.strip().rpartition("\n")[2].strip()
    try:
        note = parse_json(last)
    except ValueError:
        note = _read_info(last, most_moves)
    return note if isinstance(note, dict) else {}


def _read_info(line: str, most_moves: int | None) -> Json:
    scale = _WHOLE_SHARE if all(share.lstrip("-").isdigit() for share in _SHARE.findall(line)) else 1
    moves = [_read_one(part.split(), scale) for part in _INFO.split(line) if part.strip()]
    moves = sorted((move for move in moves if "move" in move), key=lambda move: move.pop("order", 0))
    if not moves:
        return {}
    best = moves[0]
    note: Json = {key: best[key] for key in ("winrate", "score") if key in best}
    note["visits"] = sum(move.get("visits", 0) for move in moves)
    return {**note, "moves": moves[:most_moves]}


def _read_one(words: Sequence[str], scale: int) -> Json:
    move: Json = {}
    for index, word in enumerate(words[:-1]):
        if word == "pv":
            move["pv"] = " ".join(words[index + 1 : index + 21])
            break
        if word == "move":
            move["move"] = words[index + 1]
        elif word in _NUMBERS:
            with contextlib.suppress(ValueError):
                move[word] = _NUMBERS[word](float(words[index + 1]))
    for name in ("scoreLead", "scoreMean"):
        if name in move:
            move["score"] = move.pop(name)
    for name in ("winrate", "prior"):
        if name in move:
            move[name] /= scale
    return move
