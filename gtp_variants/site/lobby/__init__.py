"""A server on which bots play over the network, using the CGOS line protocol with the extensions in
docs/protocol/server.md. Viewers need no account, see `observers.py`.
"""
