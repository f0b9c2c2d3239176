#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""One image over the workers of a Dask cluster: python3 share_dask.py IMAGE CATALOGUE [WORKERS]

Every worker runs one process of `reber find --share`; they wait for each other, so each task is bound to a worker of its
own. On a cluster of many machines give Client the scheduler's address, and a folder that all of them see.
"""
import subprocess
import sys

from dask.distributed import Client, LocalCluster


def share(index, count, image, catalogue):
    subprocess.run(["reber", "find", image, "-o", catalogue, "--backend", "cpu", "--threads", "1",
                    "--overwrite", "--share", catalogue + ".share", "--rank", f"{index}/{count}"], check=True)


def main(image, catalogue, count=4):
    with LocalCluster(n_workers=count, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        workers = list(client.scheduler_info(n_workers=-1)["workers"])
        client.gather([client.submit(share, index, len(workers), image, catalogue, workers=[worker], pure=False)
                       for index, worker in enumerate(workers)])


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:]))
