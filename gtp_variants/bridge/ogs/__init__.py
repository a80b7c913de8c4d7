"""OGS, the Online Go Server, by its WebSocket and REST, from the bottom up: each file knows those above it.

* `transport.py`: one login: frames over a WebSocket, pings and the server's time, answers by id, posts over HTTP.
* `values.py`: the protocol's values and ours: points, clocks, results.
* `challenges.py`: what somebody proposes as terms, why it is refused in the server's codes, what is published of us.
* `challenger.py`: a challenge of our own, looked up, sent and kept alive.
* `game.py`: a game as the server has it, from its data and from what happens.
* `adapter.py`: a bot that plays, for the bridge's core, and what all roles share.
* `reviews.py`: a demonstration board as the server has it, and the messages that draw a move on one.
* `demonstration_adapter.py` plays on such a board, and `private_adapter.py` referees by private messages; both are made
  of `adapter.py`.

Nothing here was tried on the real server. What is taken from the server's own clients is as certain as they are; what
nobody can know without an account is called a guess where it stands, and listed in docs/ogs.md.
"""
