"""What a run may cost."""

from __future__ import annotations


class Budget:
    """Keeps what was spent, and what questions that are being asked may cost at most.

    A question is begun only if even the dearest reply to it would not exceed the limit, so it never
    is.

    Parameters
    ----------
    limit : float or None
        What may be spent; None for anything.
    spent : float
        What earlier runs spent.

    Examples
    --------
    >>> budget = Budget(1.0)
    >>> budget.reserve(0.8)
    >>> budget.allows(0.8)
    False
    >>> budget.settle(0.8, 0.1)
    >>> budget.allows(0.8), budget.spent
    (True, 0.1)
    """

    def __init__(self, limit: float | None = None, spent: float = 0.0) -> None:
        self.limit, self.spent, self._reserved = limit, spent, 0.0

    def allows(self, most: float) -> bool:
        """Say whether something may begin that costs so much at most."""
        return self.limit is None or self.spent + self._reserved + most <= self.limit * (1 + 1e-12)

    def reserve(self, most: float) -> None:
        """Begin something that costs so much at most."""
        self._reserved += most

    def settle(self, most: float, cost: float | None) -> None:
        """End what was begun; None where nobody knows what it cost, which is then the most."""
        self._reserved = max(0.0, self._reserved - most)
        self.spent += most if cost is None else cost

    def reason(self, most: float) -> str:
        """Say why nothing more is begun."""
        return (
            f"the budget of {self.limit:g} allows no further question: {self.spent:.6g} is spent,"
            f" and the next may cost {most:.3g}"
        )
