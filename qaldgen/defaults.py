"""Default values that several signatures share."""

from __future__ import annotations

#: The language of questions and answers.
LANGUAGE = "en"
#: The measure by which systems are compared.
MEASURE = "macro-f1"
#: The seed of whatever is random.
SEED = 0
#: The level of significance.
ALPHA = 0.05
#: The share of intervals that hold the true value.
LEVEL = 0.95
#: The level in messages.
LEVEL_LABEL = f"{100 * LEVEL:g} %"
#: The quantile of a symmetric distribution at which an interval of that level ends.
UPPER_QUANTILE = (1 + LEVEL) / 2
#: Decimals of scores in tables and reports, as many as in GERBIL.
DECIMALS = 4
#: Half the width of an interval that is narrow enough.
HALF_WIDTH = 0.05
#: The layout of a picture.
LAYOUT = "screen"
#: Permutations of a test: its smallest p is 1 in 10,001.
RESAMPLES = 10_000
#: Further tries of a server: each answer of a system may cost money.
RETRIES = 2
#: Further tries of an endpoint: if one of many pages fails, all are lost.
ENDPOINT_RETRIES = 4
#: Further tries of a download.
DOWNLOAD_RETRIES = 3
