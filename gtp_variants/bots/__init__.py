"""Our bots, one module each: `gtp_variants.bots.NAME` in a wheel, an editable install and a checkout.

The files live in the checkout's top-level `bots/`, where a reader finds them and copies one to begin their
own. A wheel carries them in this folder, beside this file. In a checkout, and in an editable install of one,
this package looks there too: it appends the checkout's `bots/` to its `__path__`.
"""

from gtp_variants.base.checkout import folder

_in_checkout = folder("bots")
if _in_checkout is not None:
    __path__.append(str(_in_checkout))
