"""Systems and a judge, for `--system python:answering:...`."""


def answer(text: str) -> str:
    """Answer by the last word."""
    return text.split()[-1]


def refuse(text: str) -> str:
    """Fail."""
    raise RuntimeError(f"no answer to {len(text)} characters")


def verdict(text: str) -> str:
    """Judge by the length of the prompt; every fifth time in no usable way."""
    return ("yes", "no", "Yes.", "no", "I cannot tell")[len(text) % 5]
