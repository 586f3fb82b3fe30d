"""Answers in words.

Which part of a reply is the answer, how a gold answer may be worded, and whether the text says it.
"""
