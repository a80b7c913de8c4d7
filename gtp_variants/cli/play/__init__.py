"""Commands for somebody who plays."""
