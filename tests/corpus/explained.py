"""Differences from the known answers that are right, each with its reason (docs/adr/0006)."""

EXPLAINED = {
    "hwloc-x86linux/64amd64-4p2n4ca2co": {
        "hwloc": "hwloc counts each half of a Bulldozer module as a core, whatever sysfs says",
    },
    "hwloc/64fake-4n2s2ca2c2t": {
        "hwloc": "made up: every CPU's shared_cpu_list is CPU 0's, only shared_cpu_map differs",
    },
    "hwloc/40intel64-4n10c+pci-conflicts": {
        "hwloc": "edited: core_siblings of CPU 3 contradicts its core_siblings_list",
    },
    "hwloc/2arm-2c": {
        "cpufreq.policies[].governor": "CPU 1 has no folder, but CPU 0's affected_cpus names it",
        "cpufreq.policies[].driver": "CPU 1 has no folder, but CPU 0's affected_cpus names it",
    },
    "libvirt/virhost-linux-high-ids": {
        "cpu.cores": "the answer counts the cores of CPUs 12-15 in two overlapping packages; "
                     "16 CPUs in pairs are 8 cores",
    },
    "libvirt/virhost-linux-test1": {
        "cpu.cores": "CPU 1's thread_siblings_list names CPU 0 only; core_id tells them apart",
    },
    "node_exporter/fixtures": {
        "nvme.controllers[].link.degraded": "the answer looks at the drive's end alone; its port "
                                            "can do no more than the 8 GT/s that the link runs at",
    },
}
