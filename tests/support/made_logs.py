"""Small logs of other evaluators, made up: what tests of their readers start from."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import zstandard

STORED, DEFLATED, ZSTANDARD = 0, 8, 93


def lm_eval_line(number: int, reply: str = "Ulm", **other: object) -> dict[str, Any]:
    """Return a sample of lm-evaluation-harness, as version 0.4.13 writes it."""
    asked = f"Which town has the number {number}?"
    return {
        "doc_id": number,
        "doc": {"id": f"q{number}", "question": asked, "answers": ["Ulm"]},
        "target": "['Ulm']",
        "arguments": {
            "gen_args_0": {"arg_0": f"Question: {asked}\nAnswer:", "arg_1": {"until": ["\n"]}}
        },
        "resps": [[reply]],
        "filtered_resps": [reply],
        "filter": "none",
        "metrics": ["exact_match"],
        "doc_hash": "d",
        "prompt_hash": "p",
        "target_hash": "t",
        "exact_match": float(reply == "Ulm"),
        **other,
    }


def choice_line(
    number: int, likelihoods: Sequence[object], target: object = "1", **other: object
) -> dict[str, Any]:
    """Return a sample of multiple choice by likelihood between tea, coffee and milk."""
    choices = ["tea", "coffee", "milk"]
    pairs = [[value, "False"] for value in likelihoods]
    return {
        "doc_id": number,
        "doc": {"question": f"What does person {number} drink?", "choices": choices},
        "target": target,
        "arguments": {
            f"gen_args_{at}": {"arg_0": "Q:", "arg_1": f" {text}"}
            for at, text in enumerate(choices)
        },
        "resps": [[pair] for pair in pairs],
        "filtered_resps": pairs,
        "filter": "none",
        "metrics": ["acc"],
        "acc": 1.0,
        **other,
    }


def inspect_sample(
    name: object, reply: str | None = "Ulm", epoch: int = 1, **other: object
) -> dict[str, Any]:
    """Return a sample of inspect_ai; one that failed where there is no reply."""
    choices = (
        []
        if reply is None
        else [{"message": {"role": "assistant", "content": reply}, "stop_reason": "stop"}]
    )
    sample: dict[str, Any] = {
        "id": name,
        "epoch": epoch,
        "input": f"Which town has the number {name}?",
        "target": "Ulm",
        "output": {"model": "m", "choices": choices, "completion": reply or ""},
        "scores": {}
        if reply is None
        else {"match": {"value": "C" if reply == "Ulm" else "I", "answer": reply.upper()}},
        "metadata": {},
    }
    if reply is None:
        sample["error"] = {"message": "RuntimeError('no luck')", "traceback": "..."}
    return sample | other


def inspect_log(*samples: object, status: object = "success", **run: object) -> dict[str, Any]:
    """Return a log of inspect_ai as its JSON form has it."""
    about = {
        "task": "towns",
        "model": "m",
        "dataset": {"name": "towns"},
        "config": {"epochs": 1},
        "packages": {},
    } | run
    return {"version": 2, "status": status, "eval": about, "plan": {}, "samples": list(samples)}


def lines_file(path: Path, records: Sequence[object]) -> Path:
    """Write JSON Lines."""
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def json_file(path: Path, document: object) -> Path:
    """Write a JSON document."""
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def eval_file(
    path: Path, members: Mapping[str, object], *, method: int = ZSTANDARD, frames: int = 1
) -> Path:
    """Write a zip as inspect_ai does.

    Python's own module cannot write Zstandard before version 3.14.

    Parameters
    ----------
    path
        The file.
    members
        By name; what is no bytes is written as JSON.
    method
        How members are packed.
    frames
        How many frames of Zstandard a member is divided into.
    """
    body, directory = b"", b""
    for name, value in members.items():
        data = value if isinstance(value, bytes) else json.dumps(value).encode()
        packed, called = _packed(data, method, frames), name.encode()
        head = struct.pack(
            "<HHHHHIIIHH",
            20,
            0x800,
            method,
            0,
            33,
            zlib.crc32(data),
            len(packed),
            len(data),
            len(called),
            0,
        )
        directory += (
            b"PK\x01\x02"
            + struct.pack("<H", 20)
            + head
            + struct.pack("<HHHII", 0, 0, 0, 0, len(body))
            + called
        )
        body += b"PK\x03\x04" + head + called + packed
    end = struct.pack("<HHHHIIH", 0, 0, len(members), len(members), len(directory), len(body), 0)
    path.write_bytes(body + directory + b"PK\x05\x06" + end)
    return path


def eval_members(
    *samples: Mapping[str, Any], header: bool = True, **run: object
) -> dict[str, object]:
    """Return the members of a log in a zip; without header, as of a run that was killed."""
    log = inspect_log(**run)
    log.pop("samples")
    start = {name: log[name] for name in ("version", "eval", "plan")}
    found: dict[str, object] = {"_journal/start.json": start}
    found |= {
        f"samples/{at}_epoch_{one.get('epoch')}.json": dict(one) for at, one in enumerate(samples)
    }
    return found | ({"header.json": log} if header else {})


def _packed(data: bytes, method: int, frames: int) -> bytes:
    if method == STORED:
        return data
    if method == DEFLATED:
        packer = zlib.compressobj(wbits=-15)
        return packer.compress(data) + packer.flush()
    step = -(-len(data) // frames) or 1
    parts = [data[at : at + step] for at in range(0, len(data), step)] or [b""]
    return b"".join(zstandard.ZstdCompressor().compress(part) for part in parts)
