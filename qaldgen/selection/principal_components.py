"""Principal components, for pictures of questions in two dimensions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from qaldgen.selection.arrays import Matrix


class Components(NamedTuple):
    """The first two principal components of a matrix."""

    points: Matrix  # the coordinates of its rows, shape (rows, 2)
    shares: Matrix  # of the variance, shape (2,)
    loadings: Matrix  # of its columns, shape (2, columns)


def principal_components(matrix: Matrix) -> Components:
    """Return the first two principal components of a matrix.

    The columns are centred but not scaled; the largest loading of each component is positive.

    >>> components = principal_components(np.array([[0.0, 1.0], [1.0, 0.0]]))
    >>> components.points.round(3).tolist(), components.shares.tolist()
    ([[-0.707, 0.0], [0.707, 0.0]], [1.0, 0.0])
    """
    centred = matrix - matrix.mean(axis=0)
    # scikit-learn's PCA takes a second to import
    _, lengths, axes = np.linalg.svd(np.linalg.qr(centred, mode="r"), full_matrices=False)
    lengths = np.where(lengths > 1e-9 * max(1.0, float(np.abs(matrix).max())), lengths, 0.0)
    total = float(np.sum(lengths**2)) or 1.0
    loadings = np.zeros((2, matrix.shape[1]))
    shares = np.zeros(2)
    for index in range(min(2, int(np.count_nonzero(lengths)))):
        sign = np.sign(axes[index, np.abs(axes[index]).round(9).argmax()])
        loadings[index] = axes[index] * sign
        shares[index] = lengths[index] ** 2 / total
    return Components((centred @ loadings.T).round(9) + 0.0, shares, loadings)
