"""Files as other programs write them, generated: random trees, properties, encodings and damage."""

from random import Random

from gtp_variants.records.sgf.syntax import GameTree, property_text

_POINTS = "abcdefghi"
_TEXTS = (
    *("Honinbo Shusaku", "a [b\\] c: (;B[dd])", "back\\slash", "two\nlines", "tab\there", "", "  blanks  "),
    *("本因坊秀策", "古力 九段", "이창호", "Zoé Müller", "ソ表示", "½ point"),
)
_ROOT = (
    "PB",
    "PW",
    "BR",
    "WR",
    "BT",
    "WT",
    "DT",
    "EV",
    "RO",
    "PC",
    "GN",
    "GC",
    "SO",
    "AN",
    "CP",
    "US",
    "ON",
    "C",
    "XX",
)
_NODE = ("C", "N", "GB", "GW", "DM", "UC", "HO", "TE", "BM", "DO", "IT", "V", "LB", "TR", "SQ", "CR", "MA", "TW", "VW")


def foreign_tree(rng: Random) -> GameTree:
    """Return a game tree with most properties of FF[4] and some that nobody knows, in any order."""
    root = ["GM[1]", "FF[4]", "SZ[9]", "CA[UTF-8]", "KM[6.5]"]
    root += [property_text(name, rng.choice(_TEXTS)) for name in rng.sample(_ROOT, rng.randrange(12))]
    rng.shuffle(root)
    tree = GameTree(["".join(root)])
    _grow(tree, rng, 3)
    return tree


def _grow(tree: GameTree, rng: Random, depth: int) -> None:
    tree.nodes += [_node(rng, number) for number in range(rng.randrange(1, 12))]
    if depth and rng.random() < 0.6:
        tree.trees += [GameTree() for _ in range(rng.randrange(1, 4))]
        for each in tree.trees:
            _grow(each, rng, depth - 1)


def _node(rng: Random, number: int) -> str:
    point = rng.choice(_POINTS) + rng.choice(_POINTS)
    parts = [property_text("BW"[number % 2], rng.choice([point, point, point, ""]))]
    if rng.random() < 0.1:
        parts = [property_text(rng.choice(("AB", "AW", "AE")), point)]
    for name in rng.sample(_NODE, rng.choice((0, 0, 1, 3))):
        values = [point] if name in ("TR", "SQ", "CR", "MA", "TW", "VW") else [rng.choice(_TEXTS)]
        parts.append(property_text(name, *([f"{point}:{rng.choice(_TEXTS)}"] if name == "LB" else values)))
    rng.shuffle(parts)
    return "".join(parts)
