#!/usr/bin/env python3
"""Times the same kernels with NVIDIA's NVBench and with `tilestep bench`, and compares medians.

    pip install "cuda-bench[cu13]"
    scripts/compare_with_nvbench.py [--tilestep PROGRAM] [--sizes N…] [--samples N] [--json OUT]
    scripts/compare_with_nvbench.py --harness libtilestep_harness.so …

NVBench gets the kernels' sources, which NVRTC compiles here with the options that Tilestep states,
and launches them itself. Both time single launches on a flushed L2 cache.

The first form compares whole programs: tilestep, NVBench and tilestep again, which share nothing but
the source text. The second has Tilestep's timing (benchmarks/gpu/harness.cpp) in NVBench's process,
before and after each of its measurements: the same compiled text on the same buffers. What the first
and the last say is how much Tilestep differs from itself.
"""
import argparse
import array
import ctypes
import json
import pathlib
import statistics
import struct
import subprocess
import sys
import tempfile

import cuda.bench as nvbench
from cuda.bench.results import BenchmarkResult
from cuda.bindings import driver, nvrtc

OPTIONS = [b"-arch=compute_80", b"-std=c++20", b"-lineinfo"]
# The entry, and the number of elements of C per thread in x and in y.
KERNELS = {
    "naive": ("matmul_naive", 1),
    "tiled": ("matmul_tiled<{bs}>", 1),
    "double_buffered": ("matmul_double_buffered<{bs}>", 1),
    "register_tile_2d": ("matmul_register_tile_2d<{bs}, 4, 4>", 4),
}
BLOCK_SIZES = [8, 16, 32]
SIZES = [256, 512, 1024, 2048]


def checked(result):
    status, *values = result
    if int(status) != 0:
        raise RuntimeError(f"{status}")
    return values[0] if len(values) == 1 else values


class Kernel:
    """One launch: compiled code, its grid, its arguments."""

    def __init__(self, kernels, name, block_size, size):
        entry, self.outputs = KERNELS[name]
        self.block_size, self.size = block_size, size
        code, lowered = compile_ptx(kernels / f"{name}.cu", entry.format(bs=block_size))
        self.code, self.lowered = code, lowered
        self.module = checked(driver.cuModuleLoadData(code))
        self.function = checked(driver.cuModuleGetFunction(self.module, lowered))
        # Small integers: the operands determine the power, and so the clocks.
        values = array.array("f", [3, -2, 1, 0, -1, 2, -3]) * (size * size // 7 + 1)
        self.buffers = []
        for _ in range(3):
            address = checked(driver.cuMemAlloc(4 * size * size))
            checked(driver.cuMemcpyHtoD(address, values.buffer_info()[0], 4 * size * size))
            self.buffers.append(address)

    def blocks(self):
        per_block = self.block_size * self.outputs
        return (self.size + per_block - 1) // per_block

    def launch(self, stream):
        blocks = self.blocks()
        values = tuple(int(b) for b in self.buffers) + (self.size,) * 3
        types = (ctypes.c_void_p,) * 3 + (ctypes.c_int,) * 3
        checked(driver.cuLaunchKernel(self.function, blocks, blocks, 1, self.block_size,
                                      self.block_size, 1, 0, driver.CUstream(stream.addressof()),
                                      (values, types), 0))

    def free(self):
        for address in self.buffers:
            checked(driver.cuMemFree(address))
        checked(driver.cuModuleUnload(self.module))


class Harness:
    """Tilestep's timing, in this process."""

    WARM_UP_MS = 50

    def __init__(self, library):
        self.library = ctypes.CDLL(str(library.resolve()))
        self.library.harness_open.restype = ctypes.c_void_p
        self.library.harness_message.restype = ctypes.c_char_p
        self.library.harness_time.restype = ctypes.c_bool
        self.handle = ctypes.c_void_p(self.library.harness_open(0))
        if not self.handle:
            sys.exit("Tilestep finds no GPU: 'tilestep doctor' says why.")

    def samples(self, kernel, count):
        blocks, size = kernel.blocks(), kernel.size
        grid = (ctypes.c_uint * 3)(blocks, blocks, 1)
        block = (ctypes.c_uint * 3)(kernel.block_size, kernel.block_size, 1)
        arguments = struct.pack("QQQiii", *(int(b) for b in kernel.buffers), size, size, size)
        samples = (ctypes.c_float * count)()
        if not self.library.harness_time(self.handle, kernel.code, kernel.lowered, grid, block,
                                         arguments, ctypes.c_size_t(len(arguments)), samples,
                                         ctypes.c_size_t(count)):
            sys.exit(self.library.harness_message(self.handle).decode())
        return list(samples)

    def median(self, kernel, count):
        warm_up = min(1000, int(self.WARM_UP_MS / min(self.samples(kernel, 3))) + 1)
        return statistics.median(self.samples(kernel, warm_up + count)[warm_up:])


def compile_ptx(source, entry):
    program = checked(nvrtc.nvrtcCreateProgram(source.read_bytes(), source.name.encode(), 0, [], []))
    checked(nvrtc.nvrtcAddNameExpression(program, entry.encode()))
    if int(nvrtc.nvrtcCompileProgram(program, len(OPTIONS), OPTIONS)[0]) != 0:
        log = b" " * checked(nvrtc.nvrtcGetProgramLogSize(program))
        nvrtc.nvrtcGetProgramLog(program, log)
        sys.exit(log.decode())
    ptx = b" " * checked(nvrtc.nvrtcGetPTXSize(program))
    checked(nvrtc.nvrtcGetPTX(program, ptx))
    return ptx, checked(nvrtc.nvrtcGetLoweredName(program, entry.encode()))


def run_nvbench(kernels, sizes, folder, measure_ours=lambda kernel: None):
    """Medians and counts by NVBench, and what measure_ours said before and after each."""
    ours = {}

    def register(name, block_size, size):
        def run(state):
            kernel = Kernel(kernels, name, block_size, size)
            before = measure_ours(kernel)
            state.exec(lambda launch: kernel.launch(launch.get_stream()), batched=False)
            ours[name, block_size, size] = (before, measure_ours(kernel))
            kernel.free()
        nvbench.register(run).set_name(f"{name} {block_size} {size}")

    for size in sizes:
        for name in KERNELS:
            for block_size in BLOCK_SIZES:
                register(name, block_size, size)
    out = folder / "nvbench.json"
    nvbench.run_all_benchmarks(["nvbench", "--jsonbin", str(out), "--min-samples", "50",
                                "--timeout", "2"])
    medians = {}
    for bench_name, bench in BenchmarkResult.from_json(out).items():
        name, block_size, size = bench_name.split()
        samples = [1e3 * s for state in bench for s in state.samples]
        medians[name, int(block_size), int(size)] = (statistics.median(samples), len(samples))
    return medians, ours


def run_tilestep(program, sizes, samples, folder):
    out = folder / "tilestep.json"
    subprocess.run([program, "bench", "--no-cublas", "--kernels", ",".join(KERNELS), "--sizes",
                    ",".join(map(str, sizes)), "--block-sizes", ",".join(map(str, BLOCK_SIZES)),
                    "--samples", str(samples), "--out", str(out)],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    points = json.loads(out.read_text())["points"]
    return {(p["kernel"], p["block_size"], p["M"]): statistics.median(p["samples_ms"])
            for p in points if p["samples_ms"]}


def print_table(rows):
    print("kernel, BLOCK_SIZE, N: tilestep ms, again ms, NVBench ms (samples), tilestep / NVBench")
    for row in rows:
        print(f"{row['kernel']:17} {row['block_size']:2} {row['size']:4}: {row['first_ms']:8.5f} "
              f"{row['second_ms']:8.5f} {row['nvbench_ms']:8.5f} ({row['nvbench_samples']}) "
              f"{row['ratio']:.4f}")
    deviations = sorted(abs(row["ratio"] - 1) for row in rows)
    own = sorted(abs(row["second_ms"] / row["first_ms"] - 1) for row in rows)
    within = sum(d <= 0.01 for d in deviations)
    print(f"{within} of {len(rows)} within 1%; median {100 * statistics.median(deviations):.2f}%, "
          f"worst {100 * deviations[-1]:.2f}%. Tilestep against itself: median "
          f"{100 * statistics.median(own):.2f}%, worst {100 * own[-1]:.2f}%.")


def main():
    here = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tilestep", default="tilestep")
    parser.add_argument("--kernels", type=pathlib.Path, default=here / "kernels")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--harness", type=pathlib.Path,
                        help="libtilestep_harness.so: time in NVBench's process")
    parser.add_argument("--samples", type=int, default=50, help="of tilestep, a point")
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if options.harness:
            harness = Harness(options.harness)
            other, ours = run_nvbench(options.kernels, options.sizes, folder,
                                      lambda kernel: harness.median(kernel, options.samples))
        else:
            first = run_tilestep(options.tilestep, options.sizes, options.samples, folder)
            other, _ = run_nvbench(options.kernels, options.sizes, folder)
            second = run_tilestep(options.tilestep, options.sizes, options.samples, folder)
            ours = {key: (first[key], second[key]) for key in other}
    rows = []
    for key, (median, count) in other.items():
        kernel, block_size, size = key
        first, second = ours[key]
        rows.append({"kernel": kernel, "block_size": block_size, "size": size,
                     "first_ms": first, "second_ms": second, "nvbench_ms": median,
                     "nvbench_samples": count,
                     "ratio": statistics.median([first, second]) / median})
    print_table(rows)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
