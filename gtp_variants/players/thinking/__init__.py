"""What bots and hosts think with beside a search: how long it may take, when to pass; hints, analysis in slices."""
