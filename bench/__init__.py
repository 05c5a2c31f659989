"""What pith costs and how well it recalls: `make bench`, or `python -m bench --help`."""
