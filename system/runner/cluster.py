"""A Ray cluster: how to reach one, and how many engines it has room for.

Ray is imported by this file and ``cluster_checker`` alone, and they are imported only for ``--ray``.
"""

import logging
import os
import socket
from typing import Any, NamedTuple

import ray

from system.runner.checker import CheckerError
from system.settings import Settings

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # read when a cluster is started: so it reports to nobody

THIS_MACHINE = "local"
PATIENCE = 10.0  # seconds to reach the head; Ray itself would try for minutes


class Share(NamedTuple):
    """What one engine with its ranking processes reserves of a node."""

    cpus: int
    gpus: int

    def __str__(self) -> str:
        return f"{self.cpus} CPUs" + (f" and {self.gpus} GPU" if self.gpus else "")


def connect(address: str) -> None:
    """Join the cluster at an address, or start one of this machine alone.

    Args:
        address: "local", "auto" (the cluster that this machine belongs to), or HOST:PORT of its head.

    Raises:
        CheckerError: there is no such cluster, or it runs another version of Ray or Python.
    """
    options: dict[str, Any] = {"include_dashboard": False} if address == THIS_MACHINE else {}
    try:
        if ":" in address:
            host, port = address.rsplit(":", 1)
            socket.create_connection((host, int(port)), PATIENCE).close()
        ray.init(address, log_to_driver=False, logging_level=logging.WARNING, **options)
    except (OSError, ValueError, RuntimeError) as error:
        raise CheckerError(
            f"no Ray cluster at {address!r} ({error}); start one with 'ray start --head --disable-usage-stats', "
            "or leave the address out to use this machine alone"
        ) from error


def share_of(settings: Settings) -> Share:
    """What an engine reserves: a GPU where its backend can use one and the cluster has some; a CPU for itself and one
    for each ranking process.
    """
    resources = ray.cluster_resources()  # type: ignore[no-untyped-call]
    uses_gpu = settings.model.backend in ("vllm", "transformers") and resources.get("GPU", 0) >= 1
    return Share(cpus=1 + settings.run.workers, gpus=int(uses_gpu))


def room_for(share: Share) -> int:
    """How many engines fit on the cluster's nodes, none of them across two.

    Raises:
        CheckerError: not a single one.
    """
    nodes = [node["Resources"] for node in ray.nodes() if node["Alive"]]  # type: ignore[no-untyped-call]
    room = sum(engines_on(node, share) for node in nodes)
    if not room:
        found = "; ".join(f"{node.get('CPU', 0):g} CPUs and {node.get('GPU', 0):g} GPUs" for node in nodes)
        raise CheckerError(
            f"an engine needs {share} on one machine, and the cluster's have {found}: "
            "add one, or change how many processes rank stores (--workers)"
        )
    return room


def engines_on(node: dict[str, float], share: Share) -> int:
    """How many engines fit on a node.

    >>> engines_on({"CPU": 16.0, "GPU": 2.0}, Share(cpus=5, gpus=1))
    2
    >>> engines_on({"CPU": 16.0}, Share(cpus=5, gpus=0))
    3
    """
    by_cpus = int(node.get("CPU", 0)) // share.cpus
    return min(by_cpus, int(node.get("GPU", 0)) // share.gpus) if share.gpus else by_cpus
