"""A real Ray cluster on this machine, as a process of its own: ``local_ray_cluster.py NODES CPUS``.

The head has no CPUs to offer; each of NODES other nodes has CPUS of them and is a raylet of its own. Prints the
cluster's address. Every line on standard input kills the first node that is left; the end of the input ends it all.
"""

import os
import sys

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"

from ray.cluster_utils import Cluster


def main() -> None:
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    nodes = [cluster.add_node(num_cpus=int(sys.argv[2])) for _ in range(int(sys.argv[1]))]
    print(cluster.address, flush=True)
    for _ in sys.stdin:
        cluster.remove_node(nodes.pop(0), allow_graceful=False)
        print("killed", flush=True)
    cluster.shutdown()


if __name__ == "__main__":
    main()
