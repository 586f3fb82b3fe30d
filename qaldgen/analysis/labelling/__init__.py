"""Hand labels on a small probability sample of answers, to correct an automatic verdict on all."""
