"""Games that are played here and shown on the page of a server: where that server is, and how it is told of them."""
