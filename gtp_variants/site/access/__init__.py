"""Who may come in: addresses and bans, accounts and passwords."""
