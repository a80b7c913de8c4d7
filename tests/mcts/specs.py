"""Games to try everything of a search on."""

from tests.support.specs import ENDLESS, SMALL

SPECS = (*SMALL, *ENDLESS)
