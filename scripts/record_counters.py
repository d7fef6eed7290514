#!/usr/bin/env python3
"""Counts launches with Nsight Compute and writes what it counted as a data set.

    scripts/record_counters.py OUT.json [--tilestep PROGRAM] -- LAUNCH ARGUMENTS…
    scripts/record_counters.py OUT.json --from LOG.csv LAUNCHES.jsonl …
    scripts/record_counters.py OUT.json --add OTHER.json …
    scripts/record_counters.py OUT.json --again OTHER.json …

The first form runs `ncu` on `tilestep launch`, whose arguments follow; the second reads logs that
such runs left (ncu's --log-file and what the program printed, in pairs). The third adds the launches
of other files to OUT.json; the fourth what other runs of its own launches counted, where it is not
the same. Clocks are left as they are: what is counted does not depend on them.
"""
import argparse
import csv
import datetime
import json
import pathlib
import subprocess
import sys
import tempfile

METRICS = {
    "global_load_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "global_load_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "global_store_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "global_store_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "shared_load_instructions": "smsp__inst_executed_op_shared_ld.sum",
    "shared_store_instructions": "smsp__inst_executed_op_shared_st.sum",
    "shared_load_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "shared_store_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "thread_ffma": "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",
    "warp_instructions": "smsp__inst_executed.sum",
}


def profile(program, arguments, folder):
    log, launches = folder / "log.csv", folder / "launches.jsonl"
    with open(launches, "w", encoding="utf-8") as out:
        subprocess.run(
            ["ncu", "--csv", "--page", "raw", "--print-units", "base", "--clock-control", "none",
             "--metrics", ",".join(METRICS.values()), "--log-file", str(log),
             program, "launch", *arguments],
            stdout=out, check=True)
    return log, launches


def points_of(log, launches):
    with open(launches, encoding="utf-8") as file:
        names = [json.loads(line) for line in file if line.startswith("{")]
    with open(log, encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if line.startswith('"')))
    rows = [row for row in rows if row["ID"]]  # the first row has the units
    if len(names) != len(rows):
        sys.exit(f"{log}: {len(rows)} kernels counted, {len(names)} launched: another program ran.")
    for name, row in zip(names, rows):
        counts = {key: int(float(row[metric].replace(",", ""))) for key, metric in METRICS.items()}
        yield {**name, **counts}


def launch_of(point):
    return tuple(point[key] for key in ("kernel", "M", "N", "K", "block_size"))


def add_launches(out, others):
    """The launches of the other files, recorded on the same GPU by the same driver."""
    data = json.loads(out.read_text(encoding="utf-8"))
    where, points = data["provenance"], data["points"]
    seen = {launch_of(point) for point in points}
    for other in others:
        more = json.loads(other.read_text(encoding="utf-8"))
        for key in ("gpu", "driver", "metrics"):
            if more["provenance"][key] != where[key]:
                sys.exit(f"{other}: its {key} is another than that of {out}: keep them apart.")
        for point in more["points"]:
            if launch_of(point) in seen:
                sys.exit(f"{other}: {launch_of(point)} is in {out} already: leave one out.")
            seen.add(launch_of(point))
            points.append(point)
    write(out, where, points)
    print(f"{out}: {len(points)} launches")


def add_again(out, others):
    """To each point, as "again", the counts of the other runs that differ among all runs."""
    data = json.loads(out.read_text(encoding="utf-8"))
    runs = [{launch_of(point): point for point in json.loads(other.read_text())["points"]}
            for other in others]
    for point in data["points"]:
        more = [run[launch_of(point)] for run in runs if launch_of(point) in run]
        again = {key: [other[key] for other in more] for key in METRICS
                 if any(other[key] != point[key] for other in more)}
        if again:
            point["again"] = again
    write(out, data["provenance"], data["points"])
    print(f"{out}: {sum('again' in point for point in data['points'])} launches do not repeat")


def write(out, provenance, points):
    lines = ",\n    ".join(json.dumps(point, separators=(",", ":")) for point in points)
    out.write_text(
        '{\n  "format": "tilestep-counters",\n  "version": 1,\n  "provenance": '
        f'{json.dumps(provenance)},\n  "points": [\n    {lines}\n  ]\n}}\n', encoding="utf-8")


def driver_version():
    try:
        return subprocess.run(
            ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"],
            capture_output=True, text=True, check=True).stdout.splitlines()[0].split(", ")
    except (OSError, subprocess.CalledProcessError):
        return ["", ""]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--tilestep", default="tilestep")
    parser.add_argument("--from", dest="logs", nargs="+", default=[])
    parser.add_argument("--add", nargs="+", type=pathlib.Path, default=[])
    parser.add_argument("--again", nargs="+", type=pathlib.Path, default=[])
    parser.add_argument("--gpu", help="where the logs come from another machine")
    parser.add_argument("--driver")
    parser.add_argument("--date")
    # argparse is not used here: its versions handle -- differently.
    ours, theirs = sys.argv[1:], []
    if "--" in ours:
        ours, theirs = ours[:ours.index("--")], ours[ours.index("--") + 1:]
    options = parser.parse_args(ours)
    if options.add:
        add_launches(options.out, options.add)
        return
    if options.again:
        add_again(options.out, options.again)
        return
    gpu, driver = driver_version()
    with tempfile.TemporaryDirectory() as folder:
        pairs = list(zip(options.logs[::2], options.logs[1::2])) or [
            profile(options.tilestep, theirs, pathlib.Path(folder))]
        points = [point for pair in pairs for point in points_of(*pair)]
    provenance = {
        "gpu": options.gpu or gpu,
        "driver": options.driver or driver,
        "date": options.date or datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "method": "Nsight Compute on `tilestep launch`: NVRTC's optimised PTX (-lineinfo, "
                  "compute_80), compiled by the driver; one launch of each kernel.",
        "metrics": METRICS,
    }
    write(options.out, provenance, points)
    print(f"{options.out}: {len(points)} launches")


if __name__ == "__main__":
    main()
