"""ACT Selection: the candidates of a language model, ranked by the types that they share."""
