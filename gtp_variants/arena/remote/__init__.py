"""Games of a match played on other machines: the serving side leases them over HTTP to whoever joins with its token."""
