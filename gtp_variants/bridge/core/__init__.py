"""What every Go server has in common for a bot at work: accounts, games, policies, engines, logs and stored state.

`server.py` says what a server is to us; each adapter beside this folder turns one server's protocol into its values.
"""
