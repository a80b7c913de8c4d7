"""Draw the picture that the README begins with: the six games as they are played, docs/images/welcome.svg.

    python docs/draw_welcome.py            draw the games in docs/welcome
    python docs/draw_welcome.py --play     let the bots play them first, anew

Each board shows positions of a game that was played, one after the other; whoever wants no motion sees the last one.
"""

import re
import sys
from pathlib import Path

import gtp_variants as gv

DOCS = Path(__file__).resolve().parent
GAMES, PICTURE = DOCS / "welcome", DOCS / "images" / "welcome.svg"
# What is played, for how many stones, and with whose eyes it is shown.
SHOWN = {
    "aleago:size=9": (26, None),
    "phantom:size=9": (36, gv.BLACK),
    "rosette:n=3": (26, None),
    "alter-igo": (30, None),
    "pentalath:players=3": (30, None),
    "go:size=9": (40, None),
}
FRAMES, FRAME_S = 8, 1.2
CELL, GAP, TITLE, COLUMNS = 300, 16, 34, 3
PLAYOUTS = 400


def file_of(spec):
    """Where the game of a SPEC is kept."""
    return GAMES / f"{spec.partition(':')[0]}.json"


def play(spec, stones):
    """Let the default bot play a game up to a number of stones."""
    rules = gv.parse(spec)
    table = gv.Table(rules, gv.DiceStream)
    for colour in rules.colours:
        table.seat(colour, gv.load_bot(f"{rules.profile.default_bot}:playouts={PLAYOUTS}"), seed="welcome")
    while table.asked() is not None and len(stone_moves(table.game)) < stones:
        table.step()
    return table.game


def stone_moves(game):
    """The numbers of the events that placed a stone or were a try, counted from 1."""
    return [n for n, event in enumerate(game.events, 1) if event.actor != gv.CHANCE and event.action >= 0]


def frames(spec, game):
    """The pictures of a board, from early to the last."""
    _, seat = SHOWN[spec]
    moves = stone_moves(game)
    shown = [moves[max(0, len(moves) * k // FRAMES - 1)] for k in range(1, FRAMES + 1)]
    for last in shown:
        # With dice, the position that follows the throw shows what is open.
        end = last + 1 if last < len(game.events) and game.events[last].actor == gv.CHANCE else last
        part = gv.Game.replay(game.rules, game.events[:end])
        yield gv.svg(part) if seat is None else gv.svg(game.rules, None, game.rules.view(part.heard(seat), seat))


def inner(picture):
    """What is inside an SVG, its box, and its definitions."""
    box = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', picture)
    body = re.sub(r"<title>.*?</title>", "", picture[picture.index(">") + 1 : picture.rindex("</svg>")])
    definitions = re.findall(r"<defs>(.*?)</defs>", body, re.DOTALL)
    return re.sub(r"<defs>.*?</defs>", "", body, flags=re.DOTALL), (float(box[1]), float(box[2])), definitions


def draw():
    """The whole picture."""
    rows = -(-len(SHOWN) // COLUMNS)
    width, height = COLUMNS * (CELL + GAP) + GAP, rows * (CELL + TITLE + GAP) + GAP
    definitions, boards = {}, []
    for number, spec in enumerate(SHOWN):
        game = gv.load(file_of(spec))
        title = game.rules.title
        x, y = GAP + number % COLUMNS * (CELL + GAP), GAP + number // COLUMNS * (CELL + TITLE + GAP)
        boards.append(f'<text class="t" x="{x + CELL / 2:g}" y="{y + 22}" text-anchor="middle">{title}</text>')
        for frame, picture in enumerate(frames(spec, game)):
            body, (wide, high), found = inner(picture)
            for each in found:
                for name, text in re.findall(r'(<\w+ id="[^"]+")(.*?(?:</\w+>|/>))(?=<\w+ id=|$)', each, re.DOTALL):
                    definitions.setdefault(name, name + text)
            scale = CELL / max(wide, high)
            at = f"{x + (CELL - wide * scale) / 2:.4g} {y + TITLE + (CELL - high * scale) / 2:.4g}"
            boards.append(f'<g class="f f{frame}" transform="translate({at}) scale({scale:.4g})">{body}</g>')
    share, delays = 100 / FRAMES, "".join(f".f{k}{{animation-delay:{k * FRAME_S:g}s}}" for k in range(FRAMES))
    style = (
        f".f{{opacity:0;animation:show {FRAMES * FRAME_S:g}s step-end infinite}}{delays}"
        f"@keyframes show{{0%{{opacity:1}}{share:g}%{{opacity:0}}}}"
        f"@media (prefers-reduced-motion:reduce){{.f{{animation:none}}.f{FRAMES - 1}{{opacity:1}}}}"
        ".t{fill:#8a6a3a;font-weight:bold;font-size:20px}"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" font-family="Helvetica, Arial, sans-serif" font-size="16">\n'
        f"<title>The six games, as bots play them</title>\n<style>{style}</style>\n"
        f"<defs>{''.join(definitions.values())}</defs>\n" + "\n".join(boards) + "\n</svg>\n"
    )


if __name__ == "__main__":
    if "--play" in sys.argv[1:]:
        GAMES.mkdir(exist_ok=True)
        for spec, (stones, _) in SHOWN.items():
            gv.save(play(spec, stones), file_of(spec))
    PICTURE.write_text(draw(), encoding="utf-8")
    print(PICTURE)
