"""Export a trained reader to OpenVINO, with weights of 8 bits, in files that a repository takes."""

import json
from pathlib import Path

from system.reader.openvino import CONFIG, GRAPH, TOKENIZER, WEIGHTS
from training.reader.arrays import LONGEST

PART = 44 * 10**6  # bytes of a file of weights


def export(*, reader: Path, output: Path) -> str:
    """Write graph, weights, tokenizer and a configuration without thresholds, which ``thresholds`` fits.

    Args:
        reader: folder of the training.
        output: folder to write, such as system/reader/mpnet.

    Raises:
        TrainingError: ``reader`` is not the folder of a trained reader.
    """
    from training.openvino import save_graph, save_tokenizer  # torch, which help should not wait for
    from training.reader.network import Network

    network = Network(reader).eval()
    example = network.tokenizer(["One passage."] * 2, ["Another, which is longer."] * 2, return_tensors="pt")
    output.mkdir(parents=True, exist_ok=True)
    save_graph(network, (example["input_ids"], example["attention_mask"]), output / GRAPH)
    for old in output.glob(WEIGHTS):
        old.unlink()
    weights = (output / GRAPH).with_suffix(".bin")
    data = weights.read_bytes()
    for number, start in enumerate(range(0, len(data), PART)):
        (output / WEIGHTS.replace("*", str(number))).write_bytes(data[start : start + PART])
    weights.unlink()
    save_tokenizer(network.tokenizer.backend_tokenizer, output / TOKENIZER)
    network.write_config(output)
    write_config(output, {"reading": 1.0, "label": 1.0}, (0.7, 0.7))
    return f"{output}: {len(data) / 1e6:.1f} MB of weights"


def write_config(folder: Path, temperature: dict[str, float], thresholds: tuple[float, float]) -> None:
    """Write ``reader.json``."""
    config = {
        "tokens": LONGEST,
        "temperature": {head: round(value, 3) for head, value in temperature.items()},
        "thresholds": {"supported": round(thresholds[0], 3), "refuted": round(thresholds[1], 3)},
    }
    (folder / CONFIG).write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
