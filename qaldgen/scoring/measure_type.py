"""Where the type of measures was, which packages that add one import from here."""

from __future__ import annotations

from typing import NoReturn


def __getattr__(name: str) -> NoReturn:
    raise ImportError(f"import {name} from qaldgen.scoring.measures: measure_type moved there")
