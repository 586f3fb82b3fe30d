"""Sequence-to-sequence models as a source of candidates; needs the extra ``[act]``."""
