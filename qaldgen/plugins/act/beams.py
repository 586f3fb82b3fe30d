"""Diverse beam search (Vijayakumar et al. 2018), which transformers 5 no longer has.

With one group it finds the same sequences as the beam search of transformers.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
import transformers
from transformers import EncoderDecoderCache

from qaldgen.errors import DataError

if TYPE_CHECKING:
    from transformers import GenerationConfig, LogitsProcessorList, StoppingCriteriaList


#: A score below that of any sequence, as in transformers.
_IMPOSSIBLE = -1.0e9


class Hypothesis(NamedTuple):
    """A finished sequence."""

    score: float  # its log probability with the penalties, divided by its length
    tokens: tuple[int, ...]  # the sequence, with the start token


class _Group:
    """The beams that compete with each other."""

    def __init__(self, start: torch.Tensor, config: GenerationConfig, prompt_length: int) -> None:
        self.beams = start
        self.finished: list[Hypothesis] = []
        self.is_open = True
        self._size = len(start)
        self._prompt_length = prompt_length
        self._config = config
        # all beams are equal at first, so only the first one is extended
        self.scores = torch.full((self._size,), _IMPOSSIBLE)
        self.scores[0] = 0.0

    def step(self, log_probs: torch.Tensor, stop: StoppingCriteriaList, width: int) -> torch.Tensor:
        """Extend the beams by one token; return the index of the beam that each one continues."""
        totals = log_probs + self.scores[:, None]
        best, indices = torch.topk(totals.flatten(), min(width * self._size, totals.numel()))
        parents = indices // totals.shape[1]
        tokens = indices % totals.shape[1]
        extended = torch.cat([self.beams[parents], tokens[:, None]], dim=1)
        ended = stop(extended, None)
        self._finish(best, extended, ended)
        self.scores, unfinished = torch.topk(best + ended * _IMPOSSIBLE, self._size)
        self.beams = extended[unfinished]
        self.is_open = self._can_improve(extended.shape[1]) and not bool(ended.all())
        return parents[unfinished]

    def wait(self, filler: int) -> torch.Tensor:
        """Pad the beams to the length of the other groups; each beam continues itself."""
        self.beams = torch.cat([self.beams, torch.full((self._size, 1), filler)], dim=1)
        return torch.arange(self._size)

    def _finish(self, best: torch.Tensor, extended: torch.Tensor, ended: torch.Tensor) -> None:
        """Add the ended beams to the finished ones, and keep the best of both."""
        is_full = len(self.finished) == self._size
        indices = ended[: self._size].nonzero().flatten()
        if not len(indices) or (is_full and self._config.early_stopping is True):
            return
        length = (extended.shape[1] - self._prompt_length) ** self._config.length_penalty
        # as lists, since reading tensors one by one takes longer than the search
        scored_tokens = zip(best[indices].tolist(), extended[indices].tolist(), strict=True)
        hypotheses = [Hypothesis(score / length, tuple(tokens)) for score, tokens in scored_tokens]
        ranked = sorted([*self.finished, *hypotheses], key=lambda beam: -beam.score)
        self.finished = ranked[: self._size]

    def _can_improve(self, length: int) -> bool:
        """Return whether a longer sequence can still be among the best, as transformers does."""
        if len(self.finished) < self._size:
            return True
        config = self._config
        if config.early_stopping is True:
            return False
        final_length = length
        if config.early_stopping == "never" and config.length_penalty > 0:
            final_length = config.max_length
        n_tokens = final_length - self._prompt_length
        best_possible = float(self.scores[0]) / n_tokens**config.length_penalty
        return bool(best_possible > self.finished[-1].score)


def diverse_beam_search(
    model: Any,  # noqa: ANN401 - any model of transformers
    input_ids: torch.Tensor,
    *,
    logits_processor: LogitsProcessorList,
    stopping_criteria: StoppingCriteriaList,
    generation_config: GenerationConfig,
    groups: int,
    penalty: float,
    **inputs: Any,  # noqa: ANN401 - inputs of the model
) -> list[Hypothesis]:
    """Return the best sequences for one input; ``custom_generate`` of ``model.generate``."""
    prompt_length = input_ids.shape[1]
    config = generation_config
    size = len(input_ids) // groups
    all_groups = [_Group(start, config, prompt_length) for start in input_ids.split(size)]

    # the version of transformers decides on its name: past_key_values or cache
    caches = [value for value in inputs.values() if isinstance(value, EncoderDecoderCache)]
    cache = caches[0] if caches else None
    if cache is None and config.use_cache:
        raise DataError(
            f"transformers {transformers.__version__} keeps what the model said in another way than"
            " groups of beams expect; use `groups=1`, or a version that qaldgen[act] allows"
        )

    end_tokens = config._eos_token_tensor
    end_ids = [] if end_tokens is None else end_tokens.tolist()
    filler = end_ids[0] if end_ids else 0
    width = max(2, 1 + len(end_ids))  # enough beams remain even if each end token ends one

    rows = input_ids
    while any(group.is_open for group in all_groups):
        new_tokens = rows if cache is None else rows[:, -1:]
        output = model(decoder_input_ids=new_tokens, return_dict=True, **inputs)
        scores = torch.log_softmax(output.logits[:, -1].float(), dim=-1)
        scores = logits_processor(rows, scores)

        token_counts = torch.zeros(scores.shape[1])
        parents = []
        for number, group in enumerate(all_groups):
            group_scores = scores[number * size : (number + 1) * size]
            if penalty and number:
                group_scores = group_scores - penalty * token_counts
            if group.is_open:
                group_parents = group.step(group_scores, stopping_criteria, width)
            else:
                group_parents = group.wait(filler)
            parents.append(number * size + group_parents)
            if penalty and group.is_open:
                token_counts += torch.bincount(group.beams[:, -1], minlength=len(token_counts))

        rows = torch.cat([group.beams for group in all_groups])
        if cache is not None:
            # of the decoder only, as the encoded question is the same for all beams
            cache.self_attention_cache.reorder_cache(torch.cat(parents))

    hypotheses = chain.from_iterable(group.finished for group in all_groups)
    return sorted(hypotheses, key=lambda beam: -beam.score)
