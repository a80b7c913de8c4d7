"""A starter bot in plain Python: it plays every game of gtp-variants at random, following draws and news it is sent.

    gtp-variants check-engine python3 template_bot.py

It ignores captures: it plays on a point that has never held a stone, next to another such point, which is legal in
every game. Rewrite `choose` and keep the rest. `used` holds the points that have held stones, `lines` each colour's
draw in Aléago.
"""

import random
import sys

COMMANDS = "protocol_version name version list_commands known_command quit boardsize clear_board komi play genmove "
COMMANDS = (COMMANDS + "set_random_seed time_left variant-set aleago-draw phantom-seat phantom-hear").split()


class Game:
    def __init__(self, spec):
        self.name, _, given = spec.partition(":")
        self.options, self.used, self.lines = dict(pair.split("=") for pair in given.split(",")), set(), {}
        self.points = {vertex(x, y): (x, y) for x, y in self.cells()}

    def near(self, x, y):
        steps = [(1, 0), (-1, 0), (0, 1), (0, -1)] + [(1, 1), (-1, -1)] * (self.name in ("rosette", "pentalath"))
        return {(x + dx, y + dy) for dx, dy in steps}

    def cells(self):
        if self.name == "pentalath" and self.options["board"] == "trapezoid":
            return [(x, y) for y in range(7) for x in range(y + 7)]
        if self.name == "pentalath":
            return [(x, y) for y in range(9) for x in range(9) if abs(x - y) < 5]
        if self.name == "rosette":  # the corners of hexagons, whose centres are some cells of the same grid
            n = int(self.options["n"])
            hexagons = [(a, b) for a in range(1 - n, n) for b in range(1 - n, n) if abs(a + b) < n]
            centres = {(2 * n - 1 + 2 * a + b, 2 * n - 1 + a + 2 * b) for a, b in hexagons}
            return set().union(*(self.near(*centre) for centre in centres)) - centres
        width, height = (int(self.options.get(key) or self.options["size"]) for key in ("width", "height"))
        return [(x, y) for y in range(height) for x in range(width)]

    def is_open(self, line, x, y):  # lines are counted from the edge; 0 means no draw
        return not line or line == 1 + min(x, y, *(int(self.options["size"]) - 1 - at for at in (x, y)))

    def choose(self, colour):
        free, line = {self.points[word] for word in self.points.keys() - self.used}, self.lines.get(colour, 0)
        points = [cell for cell in sorted(free) if self.near(*cell) & free and self.is_open(line, *cell)]
        end = "resign" if self.name in ("alter-igo", "pentalath") else "pass"  # these two have no pass
        return vertex(*random.choice(points)) if points else end


def vertex(x, y):
    return ("A" if x > 24 else "") + "ABCDEFGHJKLMNOPQRSTUVWXYZ"[x % 25] + str(y + 1)


def answer(command, words):
    global game
    if command in ("variant-set", "boardsize"):
        game = Game(words[0] if command == "variant-set" else f"go:size={int(words[0])}")
    elif command == "clear_board":
        game.used = set()
    elif command == "set_random_seed":  # each game has its own seed, so that it can be played again
        random.seed(int(words[0]))
    elif command == "play" and not (
        words[0].lower()[0] in "bwr" and words[1].upper() in {*game.points, "PASS", "SWAP"}
    ):
        raise ValueError
    elif command in ("play", "phantom-hear"):  # b D4; b refused D4; w ? captured D4; end B+2
        game.used.add(words[2 if words[1] == "refused" else 1].upper())
    elif command == "aleago-draw":
        game.lines[words[0]] = 0 if words[1] == "free" else sum(map(int, words[1:]))
    elif command == "genmove":
        word = game.choose(words[0])
        game.used |= {word} if game.name != "phantom" else set()  # there the referee decides whether it counts
        return word
    elif command == "known_command":
        return str(words[0] in COMMANDS).lower()
    return {"protocol_version": "2", "name": "Template", "list_commands": "\n".join(COMMANDS)}.get(command, "")


game = Game("go:size=19")
for text in sys.stdin:
    words = text.partition("#")[0].split()
    number = words.pop(0) if words and words[0].isdigit() else ""
    try:
        if words:
            said = answer(words[0], words[1:]) if words[0] in COMMANDS else None
            print(f"?{number} unknown command" if said is None else f"={number} {said}", end="\n\n", flush=True)
    except (IndexError, KeyError, ValueError):
        print(f"?{number} syntax error", end="\n\n", flush=True)
    if words == ["quit"]:
        break
