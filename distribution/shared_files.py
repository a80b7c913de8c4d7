"""Man pages and completions in the places of an environment's `share/`, where programs look for them.

The builds of a wheel and of a Debian package run `python distribution/shared_files.py FOLDER`.
"""

import sys
from pathlib import Path

from gtp_variants.cli import load_command
from gtp_variants.cli.help.completion import SHELLS
from gtp_variants.cli.help.manual import pages
from gtp_variants.records.files import write
from gtp_variants.rules.languages import LANGUAGES

# `man` falls back to the folder without a language.
_MANUALS = {lang: "share/man/man1" if lang == LANGUAGES[0] else f"share/man/{lang}/man1" for lang in LANGUAGES}
_COMPLETIONS = {
    "bash": "share/bash-completion/completions/gtp-variants",
    "zsh": "share/zsh/site-functions/_gtp-variants",
    "fish": "share/fish/vendor_completions.d/gtp-variants.fish",
}


def shared_files() -> dict[str, str]:
    """Return path in the environment -> content, for every file."""
    manuals = {
        f"{folder}/{name}": text
        for lang, folder in _MANUALS.items()
        for name, text in pages(load_command, lang).items()
    }
    return manuals | {path: SHELLS[shell](load_command) for shell, path in _COMPLETIONS.items()}


def main() -> None:
    """Write all files into the folder that the command line names."""
    folder = Path(sys.argv[1])
    for path, text in shared_files().items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        write(file, text.encode())


if __name__ == "__main__":
    main()
