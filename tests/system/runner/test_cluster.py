"""Runs on a real Ray cluster of several nodes, with workers and nodes that are killed in mid-run."""

import signal
import subprocess

import orjson
import psutil
import pytest

from system.app.commands.common import EXIT_FAILED_CLAIMS, EXIT_INTERRUPTED
from system.graph.records import Label
from tests.helpers.processes import PATIENCE, finish, journalled, start_python, start_scripted, wait_for, without_times

pytestmark = pytest.mark.slow

OPEN = {"RAY_AUTH_MODE": "disabled"}
IDS = [*range(16)]  # of the bundled claims


def start(module, *arguments, **options):
    return start_python("-m", module, *arguments, environment=OPEN, **options)


def start_run(output, delay, address, *options, **environment):
    arguments = ["--top-k", "2", "--ray", address, *options]
    return start_scripted(delay, output, *arguments, environment={**OPEN, **environment})


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


def workers_in(output):
    """What the report of a run says of its workers."""
    return orjson.loads((output / "run.json").read_bytes())["workers"]


def test_killed_workers_and_drivers_lose_no_claim(cluster, tmp_path):
    process, address = cluster
    finish(start_run(tmp_path / "undisturbed", 0.0, address))
    expected = without_times(journalled(tmp_path / "undisturbed"))
    assert [worker["claims"] > 0 for worker in workers_in(tmp_path / "undisturbed")] == [True, True]

    output = tmp_path / "worker"
    run = start_run(output, 0.1, address)
    wait_for(lambda: len(journalled(output)) in range(1, 9) and len(workers_of(process)) == 2)
    workers_of(process)[0].kill()
    _, log = finish(run)
    assert "goes to another worker" in log
    assert without_times(journalled(output)) == expected

    output = tmp_path / "driver"
    driver = start_run(output, 0.1, address)
    wait_for(lambda: len(journalled(output)) in range(1, 9))
    driver.kill()
    driver.communicate()
    done = journalled(output)
    wait_for(lambda: not workers_of(process))  # they do not outlive their run
    finish(start_run(output, 0.0, address, "--resume"))
    assert journalled(output)[: len(done)] == done and without_times(journalled(output)) == expected


def test_a_claim_that_kills_every_worker_fails_alone(cluster, tmp_path):
    finish(start_run(tmp_path, 0.0, cluster[1], "--two-labels", POISON="5"), status=EXIT_FAILED_CLAIMS)
    results = journalled(tmp_path)
    assert sorted(result.claim.id for result in results) == IDS
    (lost,) = (result for result in results if result.failures)
    assert lost.claim.id == 5 and lost.verdict.label is Label.REFUTED  # of two labels
    assert [failure.operation for failure in lost.failures] == ["worker"]


def test_the_command_writes_the_same_files_with_ray(cluster, tmp_path):
    options = ["--profile", "laptop", "--limit", "3", "--branches", "1", "--depth", "1", "--budget", "600"]
    here, there = tmp_path / "here", tmp_path / "there"
    for output, ray in ((here, []), (there, ["--ray", cluster[1]])):
        finish(start("system", *options, *ray, "--output", output))
    for name in ("submission.json", "submission.csv"):
        assert (here / name).read_bytes() == (there / name).read_bytes()
    assert {path.name for path in here.iterdir()} == {path.name for path in there.iterdir()}
    assert sum(worker["claims"] for worker in workers_in(there)) == 3
    assert all(worker["model_load_seconds"] > 0 and worker["pid"] for worker in workers_in(there))


def test_errors_name_the_fix(cluster, tmp_path):
    small = start_run(tmp_path, 0.0, cluster[1], "--workers", 9)
    assert "an engine needs 10 CPUs on one machine" in finish(small, status=2)[1]
    absent = start_run(tmp_path, 0.0, "127.0.0.1:9")
    assert "no Ray cluster at '127.0.0.1:9'" in finish(absent, status=2)[1]
    hopeless = start_run(tmp_path, 0.0, cluster[1], UNLOADABLE="1")
    assert "error: no worker is left: FileNotFoundError: adapter.safetensors" in finish(hopeless, status=2)[1]


def test_ctrl_c_stops_a_run_on_ray_and_keeps_what_is_done(tmp_path):
    run = start_run(tmp_path, 0.3, "local")
    wait_for(lambda: journalled(tmp_path))
    workers = workers_of(run)
    run.send_signal(signal.SIGINT)
    finish(run, status=EXIT_INTERRUPTED)
    assert journalled(tmp_path) and workers and not psutil.wait_procs(workers, timeout=PATIENCE)[1]


def test_the_claims_of_a_killed_node_go_to_another(cluster, tmp_path):
    """Last, for it leaves the cluster with one node."""
    process, address = cluster
    run = start_run(tmp_path, 0.5, address)
    wait_for(lambda: len(journalled(tmp_path)) in range(1, 9) and len(workers_of(process)) == 2)
    process.stdin.write("kill\n")
    process.stdin.flush()
    _, log = finish(run)
    assert "goes to another worker" in log
    results = journalled(tmp_path)
    assert sorted(result.claim.id for result in results) == IDS
    assert not any(result.failures for result in results)
