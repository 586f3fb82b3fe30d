"""Training of a tiny model from scratch, or of an existing model further."""

from __future__ import annotations

import dataclasses
import itertools
import math
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from qaldgen.defaults import LANGUAGE, SEED
from qaldgen.errors import DataError, UsageError
from qaldgen.model import QuestionSet
from qaldgen.plugins.act.candidates import as_candidate
from qaldgen.plugins.act.graph import Graph
from qaldgen.plugins.act.seq2seq import (
    MAX_CANDIDATE_TOKENS,
    MAX_QUESTION_TOKENS,
    load_model,
    need_transformers,
    one_thread,
)
from qaldgen.plugins.act.settings import Selection
from qaldgen.stores.graphs import AnyGraph, open_knowledge_graph

#: The vocabulary of a tiny model, in pieces of words.
_VOCABULARY_SIZE = 1_000
#: The special tokens of a tiny model; T5 begins its output by ``<pad>``.
_SPECIAL = ("<pad>", "</s>", "<unk>")
#: The label that the loss of transformers ignores.
_IGNORED = -100
#: The number of batches of similar lengths that are made from one random block of examples.
_BATCHES_PER_BLOCK = 16
#: The tokens of a question and of its answer.
_Example = tuple[list[int], list[int]]


@dataclasses.dataclass(frozen=True)
class Learning:
    """Settings for the training of a model.

    Attributes
    ----------
    start : str
        The folder of a model that is trained further; empty for a tiny T5 from scratch.
    steps : int
        The number of updates of the weights.
    epochs : int
        The number of passes over all pairs, instead of steps; 0 for steps.
    batch, accumulation : int
        The number of pairs in a batch, and of batches in an update.
    rate : float
        The highest learning rate.
    warmup : int
        The number of updates until that rate; it then falls to 0 in a straight line.
    decay : float
        The decay of the weights.
    validation : float
        The share of the pairs that is only used to choose the best state, after every epoch; 0
        keeps the last state.
    width, layers : int
        The size of the tiny model; the width is a multiple of 32.
    dropout : float
        The dropout of the tiny model.
    seed : int
        The same seed and pairs give the same bytes on one machine.

    Examples
    --------
    >>> Learning(steps=100, seed=1).batch
    16
    """

    start: str = ""
    steps: int = 1700
    epochs: int = 0
    batch: int = 16
    accumulation: int = 1
    rate: float = 2e-3
    warmup: int = 50
    decay: float = 0.0
    validation: float = 0.0
    width: int = 128
    layers: int = 2
    dropout: float = 0.0
    seed: int = SEED

    def __post_init__(self) -> None:
        counts = (self.steps, self.batch, self.accumulation, self.width, self.layers)
        if min(counts) < 1 or min(self.epochs, self.warmup) < 0 or self.width % 32:
            raise UsageError(
                "steps, batch, accumulation and layers must be at least 1, epochs and warmup at"
                " least 0, and the width a multiple of 32"
            )
        if not 0 <= self.validation < 1 or not 0 < self.rate < math.inf or self.decay < 0:
            raise UsageError(
                "the validation share must be from 0 to 1, the rate above 0 and the decay at"
                " least 0"
            )


#: The settings of the paper, which tunes a large model; name that as `Learning.start`.
PAPER = Learning(
    epochs=8, batch=1, accumulation=8, rate=5e-5, warmup=500, decay=0.01, validation=0.1
)


def train(
    training: QuestionSet,
    folder: str | Path,
    kg: AnyGraph,
    how: Learning | None = None,
    language: str = LANGUAGE,
) -> float:
    """Train a small model to answer questions, as a source of candidates; needs ``qaldgen[act]``.

    Parameters
    ----------
    training
        Questions with answers; each answer is one example.
    folder
        The folder that the model is written to, for ``Act(generator="seq2seq:FOLDER")``.
    kg
        The graph that names the entities among the answers.
    how
        By default a tiny T5 from scratch, in a minute or two; `PAPER` for those of the paper.
    language
        Language of the questions and names.

    Returns
    -------
    float
        The loss of the state that was kept.

    Raises
    ------
    UsageError
        If the folder is not empty, or torch and transformers are not installed.
    DataError
        If no question has an answer.
    """
    graph = Graph(open_knowledge_graph(kg), Selection(), language)
    answers: list[tuple[str, str]] = []
    for question in training:
        text = question.text(language)
        if text:
            answers += [(text, value) for value in question.gold.values()]
    entities = {value for _, value in answers if as_candidate(value).iri}
    graph.learn(entities)
    pairs = []
    for text, value in answers:
        name = graph.label(value) if value in entities else value
        pairs.append((text, name))
    return train_model(pairs, folder, how)


def train_model(
    pairs: Sequence[tuple[str, str]], folder: str | Path, learning: Learning | None = None
) -> float:
    """Train a model on questions and answers in words, and write it to a folder."""
    learning = learning or Learning()
    if not pairs:
        raise DataError("there are no questions with answers in words to learn from")
    if Path(folder).exists() and any(Path(folder).iterdir()):
        raise UsageError(f"{folder}: is not empty; name a new folder for the model")
    need_transformers()

    with one_thread() as torch, torch.random.fork_rng():
        torch.manual_seed(learning.seed)
        if learning.start:
            model, tokenizer = load_model(learning.start)
        else:
            model, tokenizer = _make_tiny_t5(pairs, learning)

        token_ids = [
            tokenizer(list(texts), truncation=True, max_length=MAX_QUESTION_TOKENS)["input_ids"]
            for texts in zip(*pairs, strict=True)
        ]
        examples = [(list(text), list(answer)) for text, answer in zip(*token_ids, strict=True)]
        if not learning.start:
            # <pad> and the longest answer: without a limit the search prefers names that never end
            longest = max(len(answer) for _, answer in examples)
            model.generation_config.max_length = min(MAX_CANDIDATE_TOKENS, longest + 1)

        loss = _fit(model, examples, learning, torch)

    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return loss


def _make_tiny_t5(pairs: Sequence[tuple[str, str]], learning: Learning) -> tuple[Any, Any]:
    """Return an untrained T5, and a tokenizer made from the pairs."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast, T5Config, T5ForConditionalGeneration

    pieces = Tokenizer(models.BPE(unk_token="<unk>"))
    # bytes as the alphabet, so that no name is unknown
    pieces.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    pieces.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()

    trainer = trainers.BpeTrainer(
        vocab_size=_VOCABULARY_SIZE,
        special_tokens=list(_SPECIAL),
        initial_alphabet=alphabet,
        show_progress=False,
    )
    pieces.train_from_iterator(itertools.chain.from_iterable(pairs), trainer)
    pieces.post_processor = processors.TemplateProcessing(
        single="$A </s>", special_tokens=[("</s>", 1)]
    )

    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=pieces, pad_token="<pad>", eos_token="</s>", unk_token="<unk>"
    )

    config = T5Config(
        vocab_size=len(tokenizer),
        d_model=learning.width,
        d_kv=32,
        d_ff=4 * learning.width,
        num_heads=learning.width // 32,
        num_layers=learning.layers,
        dropout_rate=learning.dropout,
        pad_token_id=0,
        eos_token_id=1,
        decoder_start_token_id=0,
    )
    return T5ForConditionalGeneration(config), tokenizer


def _fit(model: Any, examples: list[_Example], learning: Learning, torch: Any) -> float:  # noqa: ANN401
    """Update the weights; return the loss of the state that is kept."""
    rng = random.Random(learning.seed)
    rng.shuffle(examples)
    n_held_out = int(len(examples) * learning.validation)
    held_out = examples[:n_held_out]
    training = examples[n_held_out:]
    pairs_per_step = learning.batch * learning.accumulation
    steps_per_epoch = math.ceil(len(training) / pairs_per_step)
    steps = learning.epochs * steps_per_epoch if learning.epochs else learning.steps
    optimizer = torch.optim.AdamW(
        model.parameters(), lr=learning.rate, weight_decay=learning.decay, fused=True
    )

    def rate_factor(step: int) -> float:
        rising = (step + 1) / (learning.warmup + 1)
        falling = (steps - step) / max(steps - learning.warmup, 1)
        return min(rising, falling)

    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, rate_factor)

    loss = math.inf
    best_loss = math.inf
    best_state = None
    epoch: list[list[_Example]] = []  # the examples of the steps that remain
    model.train()
    for step in range(steps):
        epoch = epoch or _make_batches(training, pairs_per_step, rng)
        loss = 0.0
        step_examples = epoch.pop()
        for start in range(0, len(step_examples), learning.batch):
            batch = step_examples[start : start + learning.batch]
            batch_loss = _loss(model, batch, torch) * (len(batch) / len(step_examples))
            batch_loss.backward()
            loss += float(batch_loss.detach())

        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
        optimizer.zero_grad()

        if held_out and (not epoch or step == steps - 1):
            loss = _mean_loss(model, held_out, learning.batch, torch)
            if loss < best_loss:
                best_loss = loss
                best_state = {name: value.clone() for name, value in model.state_dict().items()}

    model.eval()
    if best_state is None:
        return loss
    model.load_state_dict(best_state)
    return best_loss


def _mean_loss(model: Any, examples: list[_Example], size: int, torch: Any) -> float:  # noqa: ANN401
    """Return the mean loss of held-out examples."""
    model.eval()
    losses = []
    with torch.no_grad():
        for start in range(0, len(examples), size):
            batch = examples[start : start + size]
            losses.append(float(_loss(model, batch, torch)) * len(batch))
    model.train()
    return math.fsum(losses) / len(examples)


def _make_batches(examples: list[_Example], size: int, rng: random.Random) -> list[list[_Example]]:
    """Return all examples in batches of about equal length, in random order."""
    # equal lengths need little padding, which takes as much time as tokens
    rng.shuffle(examples)
    batches = []
    block_size = size * _BATCHES_PER_BLOCK
    for start in range(0, len(examples), block_size):
        block = sorted(examples[start : start + block_size], key=lambda example: len(example[0]))
        batches += [block[index : index + size] for index in range(0, len(block), size)]
    rng.shuffle(batches)
    return batches


def _loss(model: Any, batch: list[_Example], torch: Any) -> Any:  # noqa: ANN401
    """Return the mean loss of a batch, padded to its longest row."""

    def pad(rows: list[list[int]], filler: int) -> Any:  # noqa: ANN401
        longest = max(map(len, rows))
        return torch.tensor([row + [filler] * (longest - len(row)) for row in rows])

    texts = pad([text for text, _ in batch], model.config.pad_token_id)
    mask = pad([[1] * len(text) for text, _ in batch], 0)
    answers = pad([answer for _, answer in batch], _IGNORED)
    return model(input_ids=texts, attention_mask=mask, labels=answers).loss
