"""Draw the README's first picture, docs/images/welcome.svg: six games in play.

    python docs/draw_welcome.py            draw the games in docs/welcome
    python docs/draw_welcome.py --play     let bots play new games first

Each board is animated and shows the last third of a game between bots. With reduced motion it shows the last position.
"""

import re
import sys
from pathlib import Path

import gtp_variants as gv

DOCS = Path(__file__).resolve().parent
GAMES, PICTURE = DOCS / "welcome", DOCS / "images" / "welcome.svg"
# SPEC: the number of stones and tries, and the seat whose view is drawn (None: the whole board).
SHOWN = {
    "aleago:size=9": (42, None),
    "phantom:size=9": (60, gv.BLACK),
    "rosette:n=3": (34, None),
    "alter-igo": (44, None),
    "pentalath:players=3": (42, None),
    "go:size=9": (50, None),
}
FRAMES, FRAME_S = 8, 1.2
# The share of a game that is over when the animation starts.
START = 0.65
CELL, GAP, TITLE, COLUMNS = 300, 16, 34, 3
PLAYOUTS = 400


def file_of(spec):
    """Return the file that holds the game of a SPEC."""
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
    """Return the numbers, from 1, of the events that placed a stone or tried to."""
    return [n for n, event in enumerate(game.events, 1) if event.actor != gv.CHANCE and event.action >= 0]


def frames(spec, game):
    """Yield the pictures of a board in order."""
    _, seat = SHOWN[spec]
    moves = stone_moves(game)
    shown = [moves[round((len(moves) - 1) * (START + (1 - START) * k / (FRAMES - 1)))] for k in range(FRAMES)]
    for last in shown:
        # With dice, the position that follows the throw shows what is open.
        end = last + 1 if last < len(game.events) and game.events[last].actor == gv.CHANCE else last
        part = gv.Game.replay(game.rules, game.events[:end])
        yield gv.svg(part) if seat is None else gv.svg(game.rules, None, game.rules.view(part.heard(seat), seat))


def inner(picture):
    """Return the body of an SVG, its width and height, and its definitions."""
    box = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', picture)
    body = re.sub(r"<title>.*?</title>", "", picture[picture.index(">") + 1 : picture.rindex("</svg>")])
    definitions = re.findall(r"<defs>(.*?)</defs>", body, re.DOTALL)
    return re.sub(r"<defs>.*?</defs>", "", body, flags=re.DOTALL), (float(box[1]), float(box[2])), definitions


def draw():
    """Return the whole picture as SVG."""
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
