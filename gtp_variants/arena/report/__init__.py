"""Reports as HTML pages that load nothing: tables, plots, and a list of games that is sorted, filtered and paged."""
