"""What is wrong with a file of questions, features or answers.

A lint with rules that have names.
"""
