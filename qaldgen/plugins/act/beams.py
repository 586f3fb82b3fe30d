"""Diverse beam search (Vijayakumar et al. 2018), which transformers 5 no longer has.

With one group it is the beam search of transformers, list by list.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import torch
import transformers
from transformers import EncoderDecoderCache

from qaldgen.errors import DataError

if TYPE_CHECKING:
    from transformers import GenerationConfig, LogitsProcessorList, StoppingCriteriaList


#: As in transformers: a score that no real sequence has.
_NEVER = -1.0e9


class Hypothesis(NamedTuple):
    """A finished sequence."""

    score: float  # its log probability with the penalties, divided by its length
    tokens: tuple[int, ...]  # the sequence, with the start token


class _Group:
    """The beams that compete with each other."""

    def __init__(self, start: torch.Tensor, config: GenerationConfig, prompt: int) -> None:
        self.beams = start
        self.finished: list[Hypothesis] = []
        self.open = True
        self._size = len(start)
        self._prompt = prompt
        self._config = config
        # all beams are equal at first: only the first one may go on
        self.scores = torch.full((self._size,), _NEVER)
        self.scores[0] = 0.0

    def step(self, log_probs: torch.Tensor, ends: StoppingCriteriaList, width: int) -> torch.Tensor:
        """Extend the beams by one token; return which beam each one continues."""
        totals = log_probs + self.scores[:, None]
        best, indices = torch.topk(totals.flatten(), min(width * self._size, totals.numel()))
        parents = indices // totals.shape[1]
        tokens = indices % totals.shape[1]
        longer = torch.cat([self.beams[parents], tokens[:, None]], dim=1)
        ended = ends(longer, None)
        self._finish(best, longer, ended)
        self.scores, going = torch.topk(best + ended * _NEVER, self._size)
        self.beams = longer[going]
        self.open = self._goes_on(longer.shape[1]) and not bool(ended.all())
        return parents[going]

    def wait(self, filler: int) -> torch.Tensor:
        """Stay as long as the other groups; return that each beam continues itself."""
        self.beams = torch.cat([self.beams, torch.full((self._size, 1), filler)], dim=1)
        return torch.arange(self._size)

    def _finish(self, best: torch.Tensor, longer: torch.Tensor, ended: torch.Tensor) -> None:
        """Keep the ended beams among the best; the search goes on with the rest of the list."""
        full = len(self.finished) == self._size
        indices = ended[: self._size].nonzero().flatten()
        if not len(indices) or (full and self._config.early_stopping is True):
            return
        length = (longer.shape[1] - self._prompt) ** self._config.length_penalty
        # as lists, since reading tensors one by one takes longer than the search
        ends = zip(best[indices].tolist(), longer[indices].tolist(), strict=True)
        new = [Hypothesis(score / length, tuple(tokens)) for score, tokens in ends]
        ranked = sorted([*self.finished, *new], key=lambda beam: -beam.score)
        self.finished = ranked[: self._size]

    def _goes_on(self, length: int) -> bool:
        """Return whether a longer sequence can still be among the best, as transformers does."""
        if len(self.finished) < self._size:
            return True
        config = self._config
        if config.early_stopping is True:
            return False
        until = length
        if config.early_stopping == "never" and config.length_penalty > 0:
            until = config.max_length
        best_possible = float(self.scores[0]) / (until - self._prompt) ** config.length_penalty
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
    **inputs: Any,  # noqa: ANN401 - what the model takes
) -> list[Hypothesis]:
    """Return the best sequences for one input; ``custom_generate`` of ``model.generate``."""
    prompt = input_ids.shape[1]
    config = generation_config
    size = len(input_ids) // groups
    all_groups = [_Group(start, config, prompt) for start in input_ids.split(size)]
    # its name depends on the version of transformers: past_key_values or cache
    caches = [value for value in inputs.values() if isinstance(value, EncoderDecoderCache)]
    cache = caches[0] if caches else None
    if cache is None and config.use_cache:
        raise DataError(
            f"transformers {transformers.__version__} keeps what the model said in another way than"
            " groups of beams expect; use `groups=1`, or a version that qaldgen[act] allows"
        )
    end_tokens = config._eos_token_tensor
    ends = [] if end_tokens is None else end_tokens.tolist()
    filler = ends[0] if ends else 0
    width = max(2, 1 + len(ends))  # enough beams go on, even if all that can end do
    rows = input_ids
    while any(group.open for group in all_groups):
        new_tokens = rows if cache is None else rows[:, -1:]
        output = model(decoder_input_ids=new_tokens, return_dict=True, **inputs)
        scores = torch.log_softmax(output.logits[:, -1].float(), dim=-1)
        scores = logits_processor(rows, scores)
        token_counts = torch.zeros(scores.shape[1])
        parents = []
        for number, group in enumerate(all_groups):
            block = scores[number * size : (number + 1) * size]
            if penalty and number:
                block = block - penalty * token_counts
            if group.open:
                going = group.step(block, stopping_criteria, width)
            else:
                going = group.wait(filler)
            parents.append(number * size + going)
            if penalty and group.open:
                token_counts += torch.bincount(group.beams[:, -1], minlength=len(token_counts))
        rows = torch.cat([group.beams for group in all_groups])
        if cache is not None:
            # of the decoder only, as the encoded question is the same for all beams
            cache.self_attention_cache.reorder_cache(torch.cat(parents))
    finished = [beam for group in all_groups for beam in group.finished]
    return sorted(finished, key=lambda beam: -beam.score)
