"""Access to KGS by its JSON protocol over HTTP: values, then the client, the adapter, and the roles."""
