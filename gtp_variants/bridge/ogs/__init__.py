"""Access to OGS, the Online Go Server, by WebSocket and REST. Each file imports only files above it in this list:

* `transport.py`: one login: frames over a WebSocket, pings, the server's time, and HTTP requests
* `values.py`: the protocol's values and ours: points, results, people, clocks
* `challenges.py`: received challenges, their refusal by the server's codes, and our own challenges
* `game.py`: one game as the server reports it, and all our games: resent moves, pauses, scoring, undo
* `adapter.py`: a bot that plays, and what all roles share
* `roles.py`: the roles with demonstration boards: `board` plays on one, `private` referees by private messages

Nothing here has been tried on the real server. Facts from the server's own clients are as reliable as those clients.
Whatever cannot be known without an account is called a guess and listed in docs/ogs.md.
"""
