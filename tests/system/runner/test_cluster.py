"""Runs on a real Ray cluster of several nodes, with workers and nodes that are killed in mid-run."""

import os
import re
import signal
import subprocess
from functools import partial

import orjson
import psutil
import pytest

from system.graph.records import Label
from tests.helpers.bridge_run import CLAIMS
from tests.helpers.bridge_run_on_ray import POISON
from tests.helpers.processes import PATIENCE, finish, journalled, start_python, wait_for, without_times

pytestmark = pytest.mark.slow


def start(module, *arguments, **options):
    return start_python("-m", module, *arguments, environment={"RAY_AUTH_MODE": "disabled"}, **options)


start_run = partial(start, "tests.helpers.bridge_run_on_ray")  # folder, delay, address


@pytest.fixture(scope="module")
def cluster():
    """A cluster of two nodes with room for one worker each: (its process, its address)."""
    process = start("tests.helpers.local_ray_cluster", 2, 2, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
    yield process, process.stdout.readline().strip()
    process.communicate(timeout=PATIENCE)


def workers_of(process):
    """Processes of the workers on the cluster that a process has started."""
    ours = {child.pid for child in psutil.Process(process.pid).children(recursive=True)}
    commands = ((one, " ".join(one.info["cmdline"] or ())) for one in psutil.process_iter(["cmdline"]))
    return [one for one, command in commands if one.pid in ours and "ray::ClusterWorker" in command]


def test_killed_workers_and_drivers_lose_no_claim(cluster, folder):
    process, address = cluster
    undisturbed, _ = finish(start_run(folder, 0.0, address))
    expected = without_times(journalled(folder))
    assert undisturbed.startswith("12 results") and all(map(int, re.findall(r"\d+", undisturbed)[1:]))  # both worked

    killed = start_run(folder, 0.1, address)
    wait_for(lambda: len(journalled(folder)) in range(1, 9) and len(workers_of(process)) == 2)
    workers_of(process)[0].kill()
    _, log = finish(killed)
    assert "goes to another worker" in log
    assert without_times(journalled(folder)) == expected

    driver = start_run(folder, 0.1, address)
    wait_for(lambda: len(journalled(folder)) in range(1, 9))
    driver.kill()
    driver.communicate()
    done = journalled(folder)
    wait_for(lambda: not workers_of(process))  # they do not outlive their run
    finish(start_run(folder, 0.0, address, "resume"))
    assert journalled(folder)[: len(done)] == done and without_times(journalled(folder)) == expected


def test_a_claim_that_kills_every_worker_fails_alone(cluster, folder):
    (folder / "poison").touch()
    finish(start_run(folder, 0.0, cluster[1]))
    results = journalled(folder)
    assert sorted(result.claim.id for result in results) == [claim.id for claim in CLAIMS]
    assert [result.claim.id for result in results if result.failures] == [POISON]
    lost = next(result for result in results if result.failures)
    assert lost.verdict.label is Label.REFUTED  # of two labels
    assert [failure.operation for failure in lost.failures] == ["worker"]
    (folder / "unloadable").touch()
    hopeless = start_run(folder, 0.0, cluster[1])
    _, errors = finish(hopeless, status=1)
    assert "error: no worker is left: FileNotFoundError: adapter.safetensors" in errors


def test_the_command_writes_the_same_files_with_ray(cluster, tmp_path):
    options = ["--profile", "laptop", "--limit", "3", "--branches", "1", "--depth", "1", "--budget", "600"]
    for name, ray in (("here", []), ("there", ["--ray", cluster[1]])):
        run = start("system", *options, *ray, "--output", tmp_path / name)
        finish(run)
    here, there = tmp_path / "here", tmp_path / "there"
    for name in ("submission.json", "submission.csv"):
        assert (here / name).read_bytes() == (there / name).read_bytes()
    assert {path.name for path in here.iterdir()} == {path.name for path in there.iterdir()}
    workers = orjson.loads((there / "run.json").read_bytes())["workers"]
    assert sum(worker["claims"] for worker in workers) == 3
    assert all(worker["model_load_seconds"] > 0 and worker["pid"] for worker in workers)


def test_errors_name_the_fix(cluster, tmp_path):
    small = start("system", "--ray", cluster[1], "--workers", 9, "--output", tmp_path)
    assert "an engine needs 10 CPUs on one machine" in finish(small, status=2)[1]
    absent = start("system", "--ray", "127.0.0.1:9", "--output", tmp_path)
    assert "no Ray cluster at '127.0.0.1:9'" in finish(absent, status=2)[1]


def test_ctrl_c_stops_a_run_on_ray_and_keeps_what_is_done(folder):
    run = start_run(folder, 0.3, "local")
    wait_for(lambda: journalled(folder))
    workers = workers_of(run)
    os.kill(run.pid, signal.SIGINT)
    run.communicate(timeout=PATIENCE)
    assert run.returncode != 0 and journalled(folder)
    assert workers and not psutil.wait_procs(workers, timeout=PATIENCE)[1]


def test_the_claims_of_a_killed_node_go_to_another(cluster, folder):
    """Last, for it leaves the cluster with one node."""
    process, address = cluster
    run = start_run(folder, 0.5, address)
    wait_for(lambda: len(journalled(folder)) in range(1, 9) and len(workers_of(process)) == 2)
    process.stdin.write("kill\n")
    process.stdin.flush()
    _, log = finish(run)
    assert "goes to another worker" in log
    results = journalled(folder)
    assert sorted(result.claim.id for result in results) == [claim.id for claim in CLAIMS]
    assert not any(result.failures for result in results)
