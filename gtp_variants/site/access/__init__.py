"""Admission to the server: accounts, passwords, logins and bans."""
