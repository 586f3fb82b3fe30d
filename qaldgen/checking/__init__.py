"""What is wrong with a file of questions, features or answers: a lint with rules that have names."""
