"""Candidates from a local sequence-to-sequence model of transformers, such as T5 or BART."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qaldgen.errors import UsageError
from qaldgen.io.text import one_line

if TYPE_CHECKING:
    from qaldgen.plugins.act.settings import Beams


#: The maximum number of tokens of a question, as in the published program.
MAX_QUESTION_TOKENS = 64
#: The maximum number of tokens of a candidate.
MAX_CANDIDATE_TOKENS = 32


def seq2seq_model(path: str, beams: Beams) -> Callable[[str], list[str]]:
    """Return the function that asks a local model for answers in words, best first."""
    model, tokenizer = load_model(path)
    max_length = model.generation_config.max_length or MAX_CANDIDATE_TOKENS

    search: dict[str, Any] = {}
    if beams.groups > 1:  # transformers itself searches with one group
        from qaldgen.plugins.act.beams import diverse_beam_search

        search = {
            "custom_generate": diverse_beam_search,
            "groups": beams.groups,
            "penalty": beams.penalty,
        }

    def propose(question: str) -> list[str]:
        words = tokenizer(question, truncation=True, max_length=MAX_QUESTION_TOKENS)
        with one_thread() as torch, torch.inference_mode():
            generated = model.generate(
                input_ids=torch.tensor([words["input_ids"]]),
                attention_mask=torch.tensor([words["attention_mask"]]),
                num_beams=beams.beams,
                num_return_sequences=beams.beams,
                max_length=min(max_length, MAX_CANDIDATE_TOKENS),
                do_sample=False,
                **search,
            )
        sequences = [beam.tokens for beam in generated] if search else generated
        texts = tokenizer.batch_decode(sequences, skip_special_tokens=True)
        return [text for text in dict.fromkeys(map(str.strip, texts)) if text]

    return propose


def check_folder(path: str) -> None:
    """Refuse a folder that does not exist; raises UsageError."""
    if not Path(path).is_dir():
        raise UsageError(
            "no such folder; name the folder of a sequence-to-sequence model, as save_pretrained"
            " writes it",
            where=path,
        )


def load_model(path: str) -> tuple[Any, Any]:
    """Return a local model and its tokenizer, without downloads and without running its code."""
    check_folder(path)
    transformers = need_transformers()
    try:
        model = transformers.AutoModelForSeq2SeqLM.from_pretrained(path, local_files_only=True)
        return model.eval(), transformers.AutoTokenizer.from_pretrained(path, local_files_only=True)
    except Exception as error:  # a folder can hold anything, and transformers raises anything
        raise UsageError(
            f"not a readable sequence-to-sequence model: {one_line(str(error))[:200]}", where=path
        ) from None


def need_transformers() -> Any:  # noqa: ANN401 - a module without types
    """Return transformers, without its progress bars and hints."""
    try:
        import torch  # noqa: F401 - transformers needs it, and imports without it
        import transformers
    except ImportError as error:
        raise UsageError(
            f"a local model needs torch and transformers ({error}); install qaldgen[act]"
        ) from None
    transformers.utils.logging.disable_progress_bar()
    transformers.utils.logging.set_verbosity_error()
    return transformers


@contextmanager
def one_thread() -> Iterator[Any]:
    """Give torch one thread, since sums in another order would give other bytes; yield torch."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield torch
    finally:
        torch.set_num_threads(threads)
