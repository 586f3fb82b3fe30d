"""Run the command line as ``python -m qaldgen``."""

from qaldgen.cli import main

main()
