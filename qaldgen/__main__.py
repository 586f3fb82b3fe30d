"""Run the command line as ``python -m qaldgen``."""

from qaldgen.cli.main import main

main()
