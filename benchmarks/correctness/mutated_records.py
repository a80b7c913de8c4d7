"""Test damaged records: each must be read or refused quickly and with little memory.

    python -m benchmarks.correctness.mutated_records --records 20000 [--seed 1] [--foreign]

Records of every game, in JSON and SGF, and of other programs are damaged at random (see `tests/records/damage.py`);
those that are read are verified, shown and written again. An exception that is no RecordError ends the run with its
traceback; the file that caused it is kept, and the slowest one if it took too long.
"""

import argparse
import resource
import sys
import tempfile
import time
from pathlib import Path

from tests.records.damage import damaged_records, read_wholly, sources

_MOST_S = 1.0
_MOST_MIB = 200


def main() -> int:
    """Read all records and print figures; return 1 if one took too much time or memory."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--records", type=int, default=20_000, help="how many (default %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="another seed, other damage (default %(default)s)")
    parser.add_argument("--foreign", action="store_true", help="damage only records of other programs")
    arguments = parser.parse_args()
    print(f"{arguments.records} times one of {len(sources())} records is damaged; seed {arguments.seed}", flush=True)
    start_mib = _peak_mib()
    read = refused = games = 0
    slowest_s = 0.0
    where = Path(tempfile.mkdtemp(prefix="records-"))
    for suffix, content in damaged_records(arguments.seed, arguments.records, is_foreign=arguments.foreign):
        file = where / f"record{suffix}"
        file.write_bytes(content)
        began = time.process_time()
        found = read_wholly(file)
        took_s = time.process_time() - began
        file.unlink()
        if took_s > max(slowest_s, _MOST_S):
            (where / f"slowest{suffix}").write_bytes(content)
            print(f"{took_s:.2f} s for {where}/slowest{suffix}", flush=True)
        slowest_s = max(slowest_s, took_s)
        games += found
        read += bool(found)
        refused += not found
    more_mib = _peak_mib() - start_mib
    print(
        f"{read} read ({games} games), {refused} refused; the slowest took {slowest_s:.2f} s, memory {more_mib:.0f} MiB"
    )
    return int(slowest_s > _MOST_S or more_mib > _MOST_MIB)


def _peak_mib() -> float:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (2**20 if sys.platform == "darwin" else 2**10)


if __name__ == "__main__":
    sys.exit(main())
