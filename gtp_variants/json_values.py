"""The type of JSON objects, as they are written, and as they are read once somebody has checked what they hold."""

from typing import Any

Json = dict[str, Any]
