"""`python -m occusite`: the command line."""

from occusite.cli import main

main()
