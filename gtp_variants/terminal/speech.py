"""The operating system's voice. Its program gets texts as arguments or in the environment, never through a shell."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping

from gtp_variants.base.json_values import Json
from gtp_variants.lang import RequestRefused

# The programs that can speak, the best first.
_PROGRAMS = ("say", "spd-say", "espeak-ng", "espeak", "powershell", "pwsh")
_TIMEOUT_S = 30.0
_LOCALES = {"en": "en-GB", "fr": "fr-FR"}
_TEXT_VARIABLE = "GTP_VARIANTS_TEXT"
_POWERSHELL = (
    "Add-Type -AssemblyName System.Speech; "
    "$voice = New-Object System.Speech.Synthesis.SpeechSynthesizer; "
    "try {{ $voice.SelectVoiceByHints('NotSet', 'NotSet', 0, [Globalization.CultureInfo]'{locale}') }} catch {{ }}; "
    f"$voice.Speak($env:{_TEXT_VARIABLE})"
)

Find = Callable[[str], str | None]


class Speaker:
    """A voice that says one text after another. `trouble` describes its last failure, or is "" if there was none."""

    def __init__(self, program: str, lang: str) -> None:
        self.program = program
        self.lang = lang
        self.trouble = ""

    def __call__(self, text: str) -> None:
        """Say a text, and wait until the voice has finished."""
        arguments, more = command(self.program, text, self.lang)
        try:
            silent: Json = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
            done = subprocess.run(arguments, env={**os.environ, **more}, timeout=_TIMEOUT_S, check=False, **silent)
        except (OSError, subprocess.TimeoutExpired) as error:
            self._complain(str(error))
        else:
            self._complain(f"exit status {done.returncode}" if done.returncode else "")

    def _complain(self, trouble: str) -> None:
        if trouble and not self.trouble:
            sys.stderr.write(f"{self.program}: {trouble}\n")
        self.trouble = trouble


def speaker(lang: str, find: Find = shutil.which) -> Speaker:
    """Return the voice of this system. Raises RequestRefused, which lists the usable programs, if there is none."""
    program = next(filter(None, map(find, _PROGRAMS)), None)
    if program is None:
        raise RequestRefused("hosts.no_speech", programs=", ".join(_PROGRAMS))
    return Speaker(program, lang)


def command(program: str, text: str, lang: str) -> tuple[list[str], Mapping[str, str]]:
    """Return the command line that says a text, and the environment variables it needs."""
    match os.path.basename(program).lower().removesuffix(".exe"):  # noqa: PTH119
        case "powershell" | "pwsh":
            script = _POWERSHELL.format(locale=_LOCALES[lang])
            return [program, "-NoProfile", "-NonInteractive", "-Command", script], {_TEXT_VARIABLE: text}
        case "say":
            options = _voice_of_mac(program, lang)
        case "spd-say":
            options = ["--wait", "--language", lang]
        case _:
            options = ["-v", lang]
    # After `--`, a text that begins with a dash is not read as an option.
    return [program, *options, "--", text], {}


def _voice_of_mac(program: str, lang: str) -> list[str]:
    """Return the option that selects the first voice of the language, or [] if there is none."""
    try:
        listed = subprocess.run([program, "-v", "?"], capture_output=True, timeout=_TIMEOUT_S, check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        return []
    voices = (line.partition(f" {lang}_") for line in listed.decode(errors="replace").splitlines())
    return next((["-v", name.strip()] for name, found, _ in voices if found), [])
