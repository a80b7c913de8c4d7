"""What a `HostedGame` is made of besides its table: clocks, agreements, and its state as a journal keeps it."""
