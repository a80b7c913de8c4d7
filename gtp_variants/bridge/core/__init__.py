"""The bridge's core, the same for every Go server: accounts, games, policies, engines, logs and stored state.

`server.py` says what a server is to us; each adapter beside this folder turns one server's protocol into its values.
"""
