"""The types of arrays of numbers, positions and marks."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

#: Questions by features, or any other table of numbers.
Matrix: TypeAlias = NDArray[np.float64]
#: Positions of questions in a table.
Indices: TypeAlias = NDArray[np.intp]
#: A mask of questions.
Flags: TypeAlias = NDArray[np.bool_]
