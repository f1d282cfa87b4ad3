"""Writes runs of many kernels to standard output: many_groups.py GROUPS ROWS > runs.csv

Each kernel has its own constants of Eq. (4) over two scales, and 5 % noise. What a fit takes:

    time perfmodel fit runs.csv --by kernel -o all.jsonl
"""
import random
import sys


def write_groups(file, groups, rows):
    draw = random.Random(1)
    print("kernel,gpus,batch_size,time_s", file=file)
    for kernel in range(groups):
        factor = 10 ** draw.uniform(-4, -1)
        of_gpus, of_batch = draw.uniform(-1, 0.5), draw.uniform(0.2, 1.2)
        constant = factor * draw.uniform(0, 1)
        for _ in range(rows):
            gpus, batch = 2 ** draw.randint(0, 5), 2 ** draw.randint(3, 8)
            time = (factor * gpus**of_gpus * batch**of_batch + constant) * draw.lognormvariate(0, 0.05)
            print(f"k{kernel:05d},{gpus},{batch},{time:.6g}", file=file)


if __name__ == "__main__":
    write_groups(sys.stdout, int(sys.argv[1]), int(sys.argv[2]))
