"""A bot to begin with, in plain Python: it plays every game of gtp-variants at random, by told draws, variants, news.

    gtp-variants check python3 template_bot.py

It knows no captures: it plays where no stone ever stood, beside such a point, which is legal in every game.
Write `choose` anew and keep the rest. `used` are points with stones, `lines` the draws in Aléago by colour.
"""

import random
import sys

LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
FACTS = {"protocol_version": "2", "name": "Template", "version": "1", "quit": "", "komi": "", "aleago-draw": ""}
TOLD = ("boardsize", "clear_board", "play", "variant-set", "phantom-seat", "phantom-hear")


class Game:
    def __init__(self, spec):
        self.name, _, given = spec.partition(":")
        self.options = {"size": "0", **dict(pair.split("=") for pair in given.split(","))}
        self.steps = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1)][
            : 6 if self.name in ("rosette", "pentalath") else 4
        ]
        self.points = {vertex(x, y): (x, y) for x, y in self.cells()}
        self.used, self.lines = set(), {}

    def cells(self):
        if self.name == "pentalath":
            half = self.options["board"] == "trapezoid"
            return [
                (x, y) for x in range(13) for y in range(9) if (x < y + 7 < 14 if half else x < 9 and abs(x - y) < 5)
            ]
        if self.name == "rosette":  # the corners of hexagons, whose centres are some cells of the same grid
            n = int(self.options["n"])
            hexagons = [(a, b) for a in range(1 - n, n) for b in range(1 - n, n) if abs(a + b) < n]
            centres = {(2 * n - 1 + 2 * a + b, 2 * n - 1 + a + 2 * b) for a, b in hexagons}
            return {cell for centre in centres for cell in self.around(*centre)} - centres
        width, height = (int(self.options.get(key, self.options["size"])) for key in ("width", "height"))
        return [(x, y) for x in range(width) for y in range(height)]

    def around(self, x, y):
        return [(x + dx, y + dy) for dx, dy in self.steps]

    def is_open(self, line, x, y):  # a line is counted from the edge
        return line in (0, 1 + min(x, y, *(int(self.options["size"]) - 1 - at for at in (x, y))))

    def choose(self, colour):
        line = self.lines.get(colour, 0)
        free = {self.points[word] for word in self.points.keys() - self.used}
        points = [cell for cell in sorted(free) if free.intersection(self.around(*cell)) and self.is_open(line, *cell)]
        end = "resign" if self.name in ("alter-igo", "pentalath") else "pass"  # these two have no pass
        return vertex(*random.choice(points)) if points else end


def vertex(x, y):
    return ("A" if x > 24 else "") + LETTERS[x % 25] + str(y + 1)


def answer(command, words):
    global game
    if command in ("variant-set", "boardsize"):
        game = Game(words[0] if command == "variant-set" else f"go:size={int(words[0])}")
    elif command == "clear_board":
        game.used = set()
    elif command == "play" or command == "phantom-hear":  # b D4; b refused D4; w ? captured D4; end B+2
        word = words[2 if words[1] == "refused" else 1].upper()
        if command == "play" and word not in ("PASS", "SWAP"):
            game.points[word]
        game.used.add(word)
    elif command == "aleago-draw":
        game.lines[words[0]] = 0 if words[1] == "free" else sum(map(int, words[1:]))
    elif command == "genmove":
        word = game.choose(words[0])
        game.used |= {word} if game.name != "phantom" else set()  # there the referee says whether it stands
        return word
    known = [*FACTS, *TOLD, "genmove", "list_commands", "known_command"]
    if command == "known_command":
        return str(words[0] in known).lower()
    return "\n".join(known) if command == "list_commands" else FACTS.get(command, "") if command in known else None


game = Game("go:size=19")
for line in sys.stdin:
    words = line.partition("#")[0].split()
    number = words.pop(0) if words and words[0].isdigit() else ""
    if words:
        try:
            said = answer(words[0], words[1:])
            text = f"?{number} unknown command" if said is None else f"={number} {said}"
        except (IndexError, KeyError, ValueError):
            text = f"?{number} syntax error"
        print(text, end="\n\n", flush=True)
    if words == ["quit"]:
        break
