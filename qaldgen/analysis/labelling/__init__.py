"""Hand labels on a small probability sample of answers, which correct what an automatic verdict says of all."""
