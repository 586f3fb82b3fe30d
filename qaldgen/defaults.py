"""The values that signatures have in common, each said once."""

from __future__ import annotations

#: The language of questions and answers, where nothing says another.
LANGUAGE = "en"
#: What systems are compared by.
MEASURE = "macro-f1"
#: The seed of whatever is random.
SEED = 0
#: The level of significance.
ALPHA = 0.05
#: How often an interval holds the true value.
LEVEL = 0.95
#: The level in messages.
LEVEL_IN_WORDS = f"{100 * LEVEL:g} %"
#: Where an interval of that level ends, as a quantile of a symmetric distribution.
UPPER = (1 + LEVEL) / 2
#: Decimals of scores in what people read, the same number as in GERBIL.
DECIMALS = 4
#: Half the width of an interval that is narrow enough.
HALF_WIDTH = 0.05
#: Permutations of a test: its smallest p is 1 in 10,001.
RESAMPLES = 10_000
#: Further tries of a server: each answer of a system may cost money.
RETRIES = 2
#: Further tries of an endpoint, which is asked for many pages, and loses all if one fails.
ENDPOINT_RETRIES = 4
#: Further tries of a download.
DOWNLOAD_RETRIES = 3
