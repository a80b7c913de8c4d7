"""Test the planes of learners in many positions: symmetry, equal news, and agreement of all implementations.

    python -m benchmarks.correctness.encoder_laws [symmetry news twins forms] [--positions 1000000] [--state FILE]

`symmetry`: games turned on the board look turned. `news`: after everything that can be done next, other news look
different and equal news alike. `twins`: hidden games that sound alike to a seat look alike to it. `forms`: `Batch`,
`State` and the rules agree, and in one position of 16 the plain encoder, too. Positions are shared out evenly among the
SPECs of the tests, of `twins` among those with hidden stones. A broken law ends the run and is printed; the progress
is kept in the state file, so that a stopped run can continue.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

from gtp_variants.rules import parse
from tests.ai.nets.laws import LawBroken, compare_forms, compare_news, compare_twins, turn_game
from tests.support.specs import EACH, ENDLESS, SMALL

SPECS = tuple(dict.fromkeys((*SMALL, *ENDLESS, *EACH)))
# Law name -> function that tests it in the positions of one seed.
LAWS: dict[str, Callable[[str, int], int]] = {
    "symmetry": lambda spec, seed: turn_game(parse(spec), seed, most=300),
    "news": lambda spec, seed: compare_news(parse(spec), seed, most=1500),
    "twins": lambda spec, seed: compare_twins(spec, seed),
    "forms": lambda spec, seed: compare_forms(parse(spec), seed, steps=60),
}
_SAVE_EVERY_S = 2.0


def main() -> int:
    """Test the laws and print figures. Return the exit status, 1 after a broken law."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("laws", nargs="*", metavar="LAW", help=f"of {', '.join(LAWS)} (default all)")
    parser.add_argument("--positions", type=int, default=1_000_000, help="of each law (default %(default)s)")
    parser.add_argument("--state", type=Path, default=Path("results/encoder_laws.json"), help="where progress is kept")
    arguments = parser.parse_args()
    if unknown := [law for law in arguments.laws if law not in LAWS]:
        parser.error(f"{unknown[0]}: expected one of {', '.join(LAWS)}")
    arguments.state.parent.mkdir(parents=True, exist_ok=True)
    try:
        for law in arguments.laws or LAWS:
            _try(law, arguments.positions, arguments.state)
    except LawBroken as broken:
        print(f"{law} is broken: {broken}")
        return 1
    return 0


def _try(law: str, positions: int, state: Path) -> None:
    """Test a law in the remaining positions, SPEC by SPEC."""
    specs = [spec for spec in SPECS if law != "twins" or not parse(spec).is_open]
    share = -(-positions // len(specs))
    known = json.loads(state.read_text()) if state.exists() else {}
    done: dict[str, list[int]] = known.setdefault(law, {})
    began = saved = time.monotonic()
    for spec in specs:
        seed, count = done.get(spec, [0, 0])
        while count < share:
            count += LAWS[law](spec, seed)
            seed += 1
            done[spec] = [seed, count]
            if count >= share or time.monotonic() - saved > _SAVE_EVERY_S:
                state.write_text(json.dumps(known))
                saved = time.monotonic()
        print(f"{law}: {count} positions of {seed} games, {time.monotonic() - began:.0f} s: {spec}", flush=True)
    total = sum(count for _, count in done.values())
    print(f"{law} holds in {total} positions of {len(specs)} SPECs", flush=True)


if __name__ == "__main__":
    sys.exit(main())
