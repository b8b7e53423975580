"""What a benchmark found, as a ratio to a plain implementation in the same run."""

import gc
import time


def report(benchmark, what, ratio):
    benchmark.extra_info[what] = ratio
    print(f"{ratio:.2f} {what}")


def least_time(function, rounds):
    """Of the processor, not of the clock, on which others run too; and without the garbage collector, whose cost grows
    with what other tests have loaded."""
    times = []
    gc.disable()
    for _ in range(rounds):
        started = time.process_time()
        function()
        times.append(time.process_time() - started)
    gc.enable()
    return min(times)


def depth_ratio(call, rounds):
    """What 96 layers cost over what 12 do, measured in turn."""
    pairs = [[least_time(lambda L=L: call(L), 1) for L in (96, 12)] for _ in range(rounds)]
    return min(tall for tall, _ in pairs) / min(shallow for _, shallow in pairs)
