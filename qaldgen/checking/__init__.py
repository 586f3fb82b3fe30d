"""A lint with named rules for files of questions, features or answers."""
