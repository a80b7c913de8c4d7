"""Access to KGS by its JSON protocol over HTTP. Each file imports only files above it in this list:

* `values.py`: the protocol's values and ours: points, proposals, clocks, results, and a game as a tree of SGF events
* `client.py`: an account in any role: its login, rooms, games and conversations
* `adapter.py`: a bot that plays, its challenges, and what all roles share
* `roles.py`: the roles `referee`, `board` and `private`
"""
