"""qaldgen."""

from qaldgen._version import __version__
