"""Write the games that the boards of the front door replay, into the static files of the page.

    python docs/write_front_games.py aleago.sgf rosette.sgf

Each move has the point `at` which it is played, the points that it `put`s a stone on or takes one off (""), and with
dice the lines that were `open` to it.
"""

import json
import sys
from pathlib import Path

import gtp_variants as gv
from gtp_variants.players.hosted_game import HostedGame
from gtp_variants.players.transcript import NoSeat, Transcript
from gtp_variants.records.files import load_record

FOLDER = Path(gv.__file__).parent / "site" / "page" / "static" / "games"


def moves_of(record):
    """Yield the moves of a game that changed its board."""
    open_lines = None
    for item in Transcript(HostedGame.new(record, {}).table, NoSeat.ALL).catch_up():
        if item["kind"] == "draw":
            open_lines = (item.get("draw") or {}).get("open")
        elif item["put"]:
            yield {"at": item["at"], "put": item["put"]} | ({"open": open_lines} if open_lines else {})


def spec_of(game):
    """Return the shortest SPEC of a game's board: the options that are not the usual ones."""
    usual = gv.parse(game.rules.name).spec.partition(":")[2].split(",")
    given = [each for each in game.rules.spec.partition(":")[2].split(",") if each not in usual]
    return ":".join(filter(None, [game.rules.name, ",".join(given)]))


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for file in sys.argv[1:]:
        record = load_record(file)
        told = {"spec": spec_of(record.game), "moves": list(moves_of(record))}
        text = json.dumps(told, separators=(",", ":"))
        (FOLDER / f"{record.game.rules.name}.json").write_text(text + "\n", encoding="utf-8")
