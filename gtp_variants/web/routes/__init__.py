"""The addresses of the page's server, by subject; each module gives its routes."""
