"""Run the command line as ``python -m qaldgen``."""

from qaldgen.commands.cli import main

main()
