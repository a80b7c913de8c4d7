"""A GTP engine that plays Aléago and Alter Igo at random, written from docs/protocol/ alone."""

import random
import sys

LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
OTHER = {"b": "w", "w": "b"}
# For each game, the known options with their defaults. The last line of Aléago's does not matter to a random player.
OPTIONS = {
    "aleago": "size=13,dice=1d6,star=true,repetition=ssk,"
    "end_passes=2,agreement=true,free_player=none,crystal_ball=false,komi=7.5,dead=none,lang=en",
    "alter-igo": "size=9,width=,height=,first=b,repetition=board,repeat_count=3,white_passes=0,lang=en",
}
# Options that are known with these values only.
FIXED = "star_lines=all,overflow=fallback,fallback_ko=true,double_whole_board=false,mapping=concentric"


def pairs(text):
    return dict(pair.split("=") for pair in text.split(",") if pair)


class Refused(Exception):
    """A command that is answered with `?`."""


class Engine:
    """A game and the commands. A point is (column, row) from 0; `past` has the boards so far and who made each."""

    def __init__(self):
        self.start("aleago")
        self.commands = {"protocol_version": lambda: "2", "name": lambda: "Stranger", "version": lambda: "1.0"}
        self.commands |= {"known_command": lambda name: str(name in self.commands).lower(), "quit": lambda: ""}
        self.commands |= {"list_commands": lambda: "\n".join(self.commands), "komi": lambda komi: ""}
        self.commands |= {"boardsize": lambda size: self.start(f"{self.name}:size={size}"), "variant-set": self.start}
        self.commands |= {"clear_board": lambda: self.start(self.spec), "play": self.play, "genmove": self.genmove}
        self.commands |= {"variant-legal_moves": lambda: self.write(self.legal(self.to_play))}
        self.commands |= {"aleago-draw": self.draw, "aleago-resume": lambda: "", "set_random_seed": random.seed}

    def start(self, spec):
        name, _, text = spec.partition(":")
        fixed, known, given = pairs(FIXED), pairs(OPTIONS[name]), pairs(text)
        options = {**fixed, **known, **given}
        is_strange = given.keys() - {*fixed, *known} or fixed.items() - options.items()
        if is_strange or options["repetition"] not in ("board", "situation", "psk", "ssk"):
            raise Refused(f"cannot play {spec}")
        self.width, height = (int(options.get(key) or options["size"]) for key in ("width", "height"))
        self.spec, self.name, self.options, self.is_over = spec, name, options, False
        points = {(x, y) for y in range(height) for x in range(self.width)}
        self.near = {(x, y): {(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)} & points for x, y in points}
        self.stones, self.draws, self.to_play = {}, {}, options.get("first", "b")
        self.passes_left = {"b": 0, "w": int(options["white_passes"])} if name == "alter-igo" else {"b": 999, "w": 999}
        self.past = [({}, OTHER[self.to_play])]

    def dead(self, stones, point):
        """Return the chain at a point if it has no liberty, and else an empty set."""
        chain, todo = {point}, [point]
        for each in todo:
            if self.near[each] - stones.keys():
                return set()
            found = {near for near in self.near[each] if stones[near] == stones[point]} - chain
            chain |= found
            todo += found
        return chain

    def after(self, colour, point):
        """Return the board after a stone, and the stones that left it."""
        stones, taken = {**self.stones, point: colour}, set()
        for near in (near for near in self.near[point] if stones.get(near) == OTHER[colour]):
            taken |= self.dead(stones, near)
        if not taken or self.name == "alter-igo":
            taken |= self.dead(stones, point)
        return {each: stones[each] for each in stones if each not in taken}, taken

    def occurrences(self, colour, board):
        makers = OTHER if self.options["repetition"] in ("board", "psk") else {colour}
        return sum(board == past and maker in makers for past, maker in self.past)

    def legal(self, colour):
        """Return the points where a colour may play, and None if it may pass. Without a draw every line is open."""
        points, passes = [p for p in self.near if p not in self.stones], [None] * bool(self.passes_left[colour])
        if self.name == "alter-igo":
            return [] if self.is_over or colour != self.to_play else points + passes
        tries = [(point, *self.after(colour, point)) for point in points]
        points = [p for p, board, taken in tries if p not in taken and not self.occurrences(colour, board)]
        if faces := self.draws.get(colour):
            (dice, sides), total, last = map(int, self.options["dice"].split("d")), sum(faces), self.width - 1
            has_star = self.options["star"] == "true" and total == dice * sides
            lines = {total, *range(1, dice), *range(total, self.width)} if has_star else {total}
            while not (found := [(x, y) for x, y in points if 1 + min(x, y, last - x, last - y) in lines]) and total:
                total -= 1
                lines = {total}
            points = found
        return points + passes

    def move(self, colour, point):
        """Play a stone, or pass with None. Raises Refused."""
        if point not in self.legal(colour):
            reason = "line" if self.name == "aleago" else "not your turn" if colour != self.to_play else "no pass"
            reason = "game over" if self.is_over else "occupied" if point in self.stones else reason
            raise Refused(f"illegal move ({reason})")
        self.draws.pop(colour, None)
        self.to_play = OTHER[colour]
        self.passes_left[colour] -= point is None
        self.stones, taken = self.after(colour, point) if point else (self.stones, set())
        if point or self.name == "aleago":
            self.past.append((self.stones, colour))
        if point and self.name == "alter-igo":
            is_drawn = self.occurrences(colour, self.stones) >= int(self.options["repeat_count"])
            self.is_over = taken == {point} or is_drawn

    def play(self, colour, vertex):
        point = None if vertex.lower() == "pass" else (LETTERS.index(vertex[0].upper()), int(vertex[1:]) - 1)
        if point and point not in self.near:
            raise Refused("illegal move (off board)")
        self.move(colour[0].lower(), point)

    def genmove(self, colour):
        colour, good = colour[0].lower(), []
        if self.name == "aleago" and colour not in self.draws:
            dice, sides = map(int, self.options["dice"].split("d"))
            self.draw(colour, *random.choices(range(1, sides + 1), k=dice))
        for point in filter(None, self.legal(colour)):
            is_eye = all(self.stones.get(near) == colour for near in self.near[point])
            if not is_eye if self.name == "aleago" else self.after(colour, point)[1] != {point}:
                good.append(point)
        if not good and not self.passes_left[colour]:
            return "resign"
        self.move(colour, point := random.choice(good or [None]))
        return self.write([point])

    def draw(self, colour, *faces):
        self.draws[colour[0].lower()] = [int(face) for face in faces if face != "free"]

    def write(self, points):
        return " ".join(f"{LETTERS[point[0]]}{point[1] + 1}" if point else "pass" for point in points)


engine = Engine()
for words in filter(None, (line.partition("#")[0].split() for line in sys.stdin)):
    number = words.pop(0) if words[0].isdigit() else ""
    try:
        command = engine.commands.get(words[0])
        answer = f"={number} {command(*words[1:]) or ''}" if command else f"?{number} unknown command"
    except Refused as refusal:
        answer = f"?{number} {refusal}"
    except (LookupError, TypeError, ValueError):
        answer = f"?{number} syntax error: {' '.join(words)}"
    print(answer, end="\n\n", flush=True)
    if words[:1] == ["quit"]:
        break
