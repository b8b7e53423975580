"""What a benchmark found, as a ratio to a plain implementation in the same run."""


def report(benchmark, what, ratio):
    benchmark.extra_info[what] = ratio
    print(f"{ratio:.2f} {what}")
