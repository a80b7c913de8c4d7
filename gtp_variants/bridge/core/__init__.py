"""The part of the bridge that is the same for every Go server: accounts, games, policies, engines, logs and state.

`server.py` defines a server's interface; each adapter beside this folder implements it for one protocol.
"""
