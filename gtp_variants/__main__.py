"""`python -m gtp_variants` is the command `gtp-variants`."""

import sys

from gtp_variants.cli import main

if __name__ == "__main__":
    sys.exit(main())
