"""Models as a source of candidates for ACT: chat completions, and local ones of transformers.

The tests of local models skip where the extra ``[act]`` is not installed.
"""

from __future__ import annotations

import functools
import json
import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from live_servers import LiveServer

from qaldgen.cli.main import cli
from qaldgen.errors import UsageError
from qaldgen.io.web import client
from qaldgen.plugins.act.settings import PRESETS, Beams

X = "http://x.org/"
_GRAPH = f"""
@prefix : <{X}> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Land a :Country ; rdfs:label "Land"@en ; :capital :Ville ; :ruler :Rex .
:Ville a :Town ; rdfs:label "Ville"@en . :Burg a :Town ; rdfs:label "Burg"@en .
:Rex a :Person ; rdfs:label "Rex"@en .
"""


@pytest.fixture
def ask(tmp_path: Path) -> Callable[..., Result]:
    """Ask one question by the command line."""
    (tmp_path / "graph.ttl").write_text(_GRAPH)
    (tmp_path / "asked.tsv").write_text(
        f"id\tquestion\tanswers\n1\tWhat is the capital of Land?\t{X}Ville\n"
    )

    def run(*words: str) -> Result:
        call = ["ask", str(tmp_path / "asked.tsv"), "--system", "act", "--no-times"]
        return CliRunner().invoke(cli, [*call, "--kg", str(tmp_path / "graph.ttl"), *words])

    return run


# --- chat models ----------------------------------------------------------------------------------


def completion(text: str) -> dict[str, object]:
    choice = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    return {
        "model": "tiny-1",
        "choices": [choice],
        "usage": {"prompt_tokens": 90, "completion_tokens": 7},
    }


def test_a_chat_model_proposes_one_candidate_a_line(ask: Callable[..., Result]) -> None:
    said = completion('<think>Hm.</think>1. Burg\n2. "Rex"\n- } DROP ALL\n')
    with LiveServer(lambda _: said).running() as server:
        done = ask("--generator", f"openai:{server.url}/v1", "--model", "tiny", "--top-types", "1")
        (seen,) = server.requests
    assert done.exit_code == 0, done.stderr
    record = json.loads(done.stdout.splitlines()[-1])
    assert f"{X}Ville" in done.stdout
    assert (record["tokens_in"], record["tokens_out"], record["model"]) == (90, 7, "tiny-1")
    prompt = seen.json["messages"][0]["content"]
    assert "One name on each line" in prompt and "What is the capital of Land?" in prompt


def test_a_chat_model_that_is_down_makes_a_failure(ask: Callable[..., Result]) -> None:
    with LiveServer(lambda _: (500, {}, "down")).running() as server:
        done = ask(
            *("--generator", f"openai:{server.url}", "--model", "tiny", "--retries", "0"),
        )
    assert done.exit_code == 1
    assert json.loads(done.stdout.splitlines()[-1])["status"] == "failed"


def test_explaining_asks_the_chat_model_too(ask: Callable[..., Result]) -> None:
    with LiveServer(lambda _: completion("Burg")).running() as server:
        model = ("--generator", f"openai:{server.url}", "--model", "tiny")
        done = ask(*model, "--explain", "1")
        down = LiveServer(lambda _: (500, {}, "down"))
        with down.running():
            broken = ask(
                *("--generator", f"openai:{down.url}", "--model", "tiny", "--retries", "0"),
                *("--explain", "1"),
            )
    assert "town 1 *" in done.stdout.lower()
    assert broken.exit_code != 0
    # nobody would close the connections of a loop that has ended
    assert [loop for loop in client._sessions if loop.is_closed()] == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--generator", "gpt:mine"], "seq2seq:FOLDER or openai:URL"),
        (["--generator", "seq2seq:"], "seq2seq:FOLDER or openai:URL"),
        (["--generator", "openai:http://localhost:1/"], "--model"),
        (["--generator", "seq2seq:nowhere"], "nowhere: no such folder"),
        (["--generator", "seq2seq:x", "--beams", "50", "--groups", "7"], "7 groups"),
        (["--generator", "seq2seq:x", "--model", "tiny"], "--model only applies"),
        (["--generator", "seq2seq:x", "--penalty", "nan"], "--penalty"),
    ],
)
def test_generators_that_cannot_be_are_refused_in_one_line(
    ask: Callable[..., Result], words: list[str], message: str
) -> None:
    done = ask(*words)
    # click refuses a number itself
    assert isinstance(done.exception, UsageError) or done.exit_code == 2
    told = f"{done.exception} {done.stderr}"
    assert message in told
    assert "\n" not in str(done.exception)


@pytest.mark.parametrize(
    "how", [(10, 3, 0.0), (0, 1, 0.0), (4, 0, 0.0), (4, 8, 0.0), (4, 2, -1.0), (4, 2, float("nan"))]
)
def test_beams_that_make_no_groups_are_refused(how: tuple[int, int, float]) -> None:
    with pytest.raises(UsageError):
        Beams(*how)


def test_presets_have_the_beams_of_the_paper() -> None:
    assert PRESETS["default"].beams == Beams(50, 1, 0.0)
    assert PRESETS["paper"].beams == PRESETS["authors"].beams == Beams(200, 20, 0.1)


# --- local models ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def torch() -> Any:  # noqa: ANN401
    pytest.importorskip("transformers", reason="the extra [act] is not installed")
    found = pytest.importorskip("torch", reason="the extra [act] is not installed")
    found.set_num_threads(1)
    return found


def random_model(kind: str, torch: Any) -> Any:  # noqa: ANN401
    """Return a model that knows nothing, and whose sequences end at different lengths."""
    import transformers

    torch.manual_seed(0)
    if kind == "bart":
        layers = {f"{part}_{name}": size for part in ("encoder", "decoder") for name, size in
                  (("layers", 2), ("attention_heads", 4), ("ffn_dim", 64))}  # fmt: skip
        config = transformers.BartConfig(
            vocab_size=200, d_model=32, max_position_embeddings=64, init_std=0.5, **layers
        )
        model = transformers.BartForConditionalGeneration(config).eval()
        model.final_logits_bias[0, config.eos_token_id] += 4.0
        return model
    config = transformers.T5Config(
        vocab_size=200, d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4,
        decoder_start_token_id=0, eos_token_id=1, pad_token_id=0,
    )  # fmt: skip
    model = transformers.T5ForConditionalGeneration(config).eval()
    with torch.no_grad():
        model.shared.weight[1] *= 3.0
    return model


def searched(model: Any, torch: Any, seed: int, **how: Any) -> Any:  # noqa: ANN401
    ids = torch.randint(3, 200, (1, 3 + seed % 7), generator=torch.Generator().manual_seed(seed))
    return model.generate(
        input_ids=ids, attention_mask=torch.ones_like(ids), num_beams=10,
        num_return_sequences=10, max_length=20, do_sample=False, **how,
    )  # fmt: skip


def until(end: int, tokens: list[int]) -> list[int]:
    """Return a sequence without what fills it up behind its end; BART's start is the same token."""
    return tokens[: tokens.index(end, 1)] if end in tokens[1:] else tokens


@pytest.mark.parametrize("kind", ["t5", "bart"])
@pytest.mark.parametrize(
    "how", [{}, {"early_stopping": True}, {"length_penalty": 0.3}, {"early_stopping": "never"}]
)
def test_one_group_without_penalty_is_the_search_of_transformers(
    torch: Any,  # noqa: ANN401
    kind: str,
    how: dict[str, object],
) -> None:
    from qaldgen.plugins.act.beams import diverse_beam_search

    model = random_model(kind, torch)
    end, lengths = model.generation_config.eos_token_id, set()
    for seed in range(12 if how else 40):
        theirs = [until(end, row.tolist()) for row in searched(model, torch, seed, **how)]
        ours = {"custom_generate": diverse_beam_search, "groups": 1, "penalty": 0.0}
        found = searched(model, torch, seed, **ours, **how)
        assert [until(end, list(one.tokens)) for one in found] == theirs
        lengths |= set(map(len, theirs))
    assert len(lengths) > 2


def test_one_group_is_asked_of_transformers_itself(
    torch: Any,  # noqa: ANN401
    tiny: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from qaldgen.plugins.act import beams
    from qaldgen.plugins.act.seq2seq import load_model, one_thread, seq2seq_model

    monkeypatch.delattr(beams, "diverse_beam_search")
    model, tokenizer = load_model(str(tiny))
    for name in ("Oman", "Laos"):
        question = f"From where is {name} governed?"
        with one_thread():
            rows = model.generate(
                **{key: torch.tensor([value]) for key, value in tokenizer(question).items()},
                num_beams=8, num_return_sequences=8, do_sample=False,
            )  # fmt: skip
        texts = [text.strip() for text in tokenizer.batch_decode(rows, skip_special_tokens=True)]
        found = seq2seq_model(str(tiny), Beams(8))(question)
        assert found == [text for text in dict.fromkeys(texts) if text]
        assert len(found) > 1


def test_a_cache_that_cannot_be_found_is_an_error_and_no_other_answer(
    torch: Any,  # noqa: ANN401
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from qaldgen.errors import DataError
    from qaldgen.plugins.act import beams

    class Renamed(dict[str, Any]):
        """Stands for a cache of another kind."""

    monkeypatch.setattr(beams, "EncoderDecoderCache", Renamed)
    with pytest.raises(DataError, match=r"transformers \d.*`groups=1`"):
        searched(
            random_model("t5", torch), torch, 0,
            custom_generate=beams.diverse_beam_search, groups=5, penalty=0.1,
        )  # fmt: skip


def test_groups_with_a_penalty_find_other_sequences(torch: Any) -> None:  # noqa: ANN401
    from qaldgen.plugins.act.beams import diverse_beam_search

    model = random_model("bart", torch)
    first = []
    for penalty in (0.0, 100.0):
        how = {"custom_generate": diverse_beam_search, "groups": 5, "penalty": penalty}
        found = searched(model, torch, 0, **how)
        assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
        first.append({one.tokens for one in found})
    # groups without a penalty all find the same; with a high one they share no beginning
    assert len(first[0]) == 2
    assert len({tokens[1] for tokens in first[1]}) >= 5


@pytest.fixture(scope="module")
def tiny(torch: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:  # noqa: ANN401
    """Return the folder of a model that has seen a few questions."""
    from act_training import Learning, train_model

    folder = tmp_path_factory.mktemp("model") / "tiny"
    pairs = [(f"From where is {name} governed?", "Burg") for name in ("Peru", "Chad", "Mali")]
    loss = train_model(pairs, folder, Learning(steps=30, batch=3, width=32, layers=1, warmup=5))
    assert loss < 6.0  # it starts at about 7, the logarithm of the vocabulary
    return folder


def test_a_model_is_trained_kept_and_asked(ask: Callable[..., Result], tiny: Path) -> None:
    done = ask("--generator", f"seq2seq:{tiny}", "--beams", "4")
    assert done.exit_code == 0, done.stderr
    assert done.stderr.count("\n") < 12 and "Loading" not in done.stderr
    assert json.loads(done.stdout.splitlines()[-1])["status"] in {"answered", "empty"}


def test_a_tiny_model_proposes_nothing_longer_than_the_answers_that_it_saw(
    tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from qaldgen.plugins.act import beams
    from qaldgen.plugins.act.seq2seq import load_model, seq2seq_model

    lengths = set[int]()
    search = beams.diverse_beam_search

    @functools.wraps(search)  # transformers reads the names of its parameters
    def watched(*given: Any, **named: Any) -> Any:  # noqa: ANN401
        found = search(*given, **named)
        lengths.update(len(one.tokens) for one in found)
        return found

    monkeypatch.setattr(beams, "diverse_beam_search", watched)
    seq2seq_model(str(tiny), Beams(8, 2))("From where is Oman governed?")
    _, tokenizer = load_model(str(tiny))
    longest = len(tokenizer("Burg")["input_ids"])
    assert max(lengths) == longest + 1  # with the start of the output


def test_a_batch_has_questions_of_about_one_length_and_an_epoch_has_each_once() -> None:
    from act_training import _make_batches

    examples = [([0] * (at % 7), [at]) for at in range(50)]
    found = _make_batches(list(examples), 8, random.Random(0))
    assert sorted(one for batch in found for one in batch) == sorted(examples)
    assert [len(batch) for batch in found].count(8) == 6 and len(found) == 7
    assert max(len({len(asked) for asked, _ in batch}) for batch in found) < 4


def test_training_twice_gives_the_same_bytes(torch: Any, tmp_path: Path) -> None:  # noqa: ANN401
    from act_training import Learning, train_model

    how = Learning(epochs=2, batch=1, accumulation=2, width=32, layers=1, validation=0.4)
    pairs = [(f"Who rules {name}?", f"Rex {name}") for name in ("Peru", "Chad", "Mali", "Laos")]
    for name in "ab":
        torch.rand(1)  # the state outside does not matter
        train_model(pairs, tmp_path / name, how)
    made = [(tmp_path / name / "model.safetensors").read_bytes() for name in "ab"]
    assert made[0] == made[1]
    with pytest.raises(UsageError, match="is not empty"):
        train_model(pairs, tmp_path / "a", how)
    further = Learning(str(tmp_path / "a"), epochs=1, rate=1e-4)
    train_model(pairs, tmp_path / "c", further)
    assert (tmp_path / "c" / "model.safetensors").read_bytes() != made[0]


def test_candidates_are_the_same_on_one_and_on_many_threads(torch: Any, tiny: Path) -> None:  # noqa: ANN401
    code = (
        "import sys; from qaldgen.plugins.act.seq2seq import seq2seq_model;"
        "from qaldgen.plugins.act.settings import Beams;"
        "ask = seq2seq_model(sys.argv[1], Beams(20, 4, 0.1));"
        "print([ask(f'From where is {name} governed?') for name in ('Oman', 'Laos')])"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", code, str(tiny)],
            env={**os.environ, "OMP_NUM_THREADS": threads, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            check=True,
        ).stdout
        for threads in ("1", "16")
    }
    assert len(said) == 1 and b"[['" in said.pop()


def test_a_folder_that_is_no_model_is_refused(torch: Any, tmp_path: Path) -> None:  # noqa: ANN401
    from qaldgen.plugins.act.seq2seq import load_model

    with pytest.raises(UsageError, match="not a readable sequence-to-sequence model") as told:
        load_model(str(tmp_path))
    assert "\n" not in str(told.value)


@pytest.mark.parametrize("options", [{"steps": 0}, {"width": 33}, {"validation": 1.0}])
def test_learning_that_cannot_be_is_refused(options: dict[str, Any]) -> None:
    from act_training import Learning

    with pytest.raises(UsageError):
        Learning(**options)
