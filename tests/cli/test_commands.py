"""Each command's answers, errors and exit codes."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from occusite import amd, intel, nvidia
from occusite.cli import devices, output
from occusite.cli.app import app
from occusite.devices import find
from occusite.questions import staircase, steps
from occusite.questions.grid import waves as waves_of

NAMES = [field.name for field in nvidia.Launch.FIELDS]
ADA = ["--device", "8.9", "--threads", "256", "--registers", "64"]


@pytest.fixture(autouse=True)
def _piped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FORCE_COLOR", raising=False)


def run(*arguments: str, code: int = 0, stdin: bytes | None = None) -> str:
    found = CliRunner().invoke(app, list(arguments), input=stdin)
    assert found.exit_code == code, found.output + found.stderr
    return found.stdout if code != 2 else found.stderr


def parsed(*arguments: str, code: int = 0) -> Any:
    return json.loads(run(*arguments, "--json", code=code))


def test_occupancy_in_words() -> None:
    text = run("occupancy", *ADA)
    assert "occupancy:  66.67 % (32 of 48 warps, 4 blocks)" in text
    assert "limited by: registers" in text
    assert "16 registers fewer: 40 warps" in text
    assert "1 register more: 24 warps" in text
    assert "any number" in text


def test_occupancy_as_json() -> None:
    made = parsed("occupancy", *ADA, "--dynamic-shared", "4KiB", "--grid", "1000")
    device, launch = nvidia.device("8.9"), nvidia.Launch(256, 64, dynamic_shared=4096)
    found = device.occupancy(launch)
    assert (made["blocks"], made["warps"], made["slots"]) == (found.blocks, found.warps, found.slots)
    assert made["limits"] == {key: limit._asdict() for key, limit in found.limits.items()}
    assert made["launch"]["dynamic_shared"] == 4096
    assert (made["vendor"], made["architecture"], made["rules"]) == ("nvidia", "sm_89", nvidia.HEADER)
    assert made["next"]["registers"] == steps.next_step(found, "registers").record()
    waves = waves_of(found, 1000)
    assert made["waves"] == {**waves._asdict(), "efficiency": float(waves.efficiency), "busy_cores": 128}
    assert "clusters" not in made
    assert "reason" not in made


@pytest.mark.parametrize("field", [field.name for field in nvidia.Launch.FIELDS])
def test_every_field_is_an_option_of_every_command_that_takes_a_launch(field: str) -> None:
    for command in ("occupancy", "explain", "sweep", "block-size", "why", "grid", "shared"):
        assert f"--{field.replace('_', '-')}" in run(command, "--help")


def test_the_paper_rule_is_asked_alike() -> None:
    made = parsed("occupancy", "-d", "paper", "-t", "256", "-r", "64", "--shared-memory", "12KiB")
    assert (made["vendor"], made["warps"], made["limiters"]) == ("paper", 32, ["registers"])
    assert "static_shared: not a field" in run(
        *["occupancy", "-d", "paper", "-t", "3", "-r", "3", "--static-shared", "4"], code=2
    )


def test_clusters_are_a_bound_in_json_too() -> None:
    asked = ("occupancy", "-d", "9.0", "-t", "256", "-r", "32", "--cluster", "16")
    made = parsed(*asked)["clusters"]
    assert (made["size"], made["portable"], made["at_most"]) == (16, False, 66)
    assert "only the driver knows" in made["note"]
    assert "At most 66 clusters active" in run(*asked)
    line = b'{"device": "9.0", "threads": 256, "registers": 32, "cluster": 16, "grid": 32}'
    answered = json.loads(run("occupancy", "--jsonl", stdin=line))
    assert answered["clusters"] == made
    assert answered["waves"]["per_wave"] == 1056


def test_another_rule_set() -> None:
    arguments = ("occupancy", "-d", "10.3", "-t", "64", "-r", "32", "--barriers", "2", "--rules")
    assert parsed(*arguments, "13.2")["limits"]["barriers"] == {"blocks": 32, "warps": 64}
    assert parsed(*arguments, "13.3")["limits"]["barriers"] == {"blocks": 16, "warps": 32}
    assert "rules: '12.0' is not allowed; give one of 13.0" in run(*arguments, "12.0", code=2)


def test_a_launch_that_cannot_run_has_no_percentage() -> None:
    assert parsed("occupancy", "-d", "9.0", "-t", "288", "-r", "224", code=1)["occupancy"] is None


@pytest.mark.parametrize("command", ["occupancy", "explain", "why", "grid"])
def test_no_command_gives_a_share_of_what_cannot_run(command: str) -> None:
    asked = (command, "-d", "9.0", "-t", "288", "-r", "224")
    first = run(*asked, code=1).split("Each of these")[0]
    assert "cannot run" in first
    assert "%" not in first
    made = parsed(*asked, code=1)
    assert (made["blocks"], made["occupancy"]) == (0, None)
    assert made["reason"] == nvidia.device("9.0").occupancy(nvidia.Launch(288, 224)).reason
    line = b'{"device": "9.0", "threads": 288, "registers": 224, "grid": 7}'
    answered = json.loads(run("occupancy", "--jsonl", stdin=line))
    assert {key: made[key] for key in answered} == answered


def test_the_drivers_carveout_is_the_same_everywhere() -> None:
    wanted = nvidia.device("8.9").occupancy(nvidia.Launch(256, 40, carveout=-1)).to_dict()
    for text in ("-1", "default"):
        made = parsed("occupancy", "-d", "8.9", "-t", "256", "-r", "40", "--carveout", text)
        assert {key: made[key] for key in wanted} == wanted
    for value in (-1, "-1", None):
        line = json.dumps({"device": "8.9", "threads": 256, "registers": 40, "carveout": value})
        answered = json.loads(run("occupancy", "--jsonl", stdin=line.encode()))
        assert {key: wanted[key] for key in answered} == answered
    assert "carveout: -2 is not allowed" in run(
        *["occupancy", "-d", "8.9", "-t", "256", "-r", "40", "--carveout", "-2"], code=2
    )


def test_every_option_reaches_the_launch() -> None:
    options = (
        "--device 5.2 --threads 96 --registers 40 --static-shared 1k --dynamic-shared 2KiB --max-dynamic-shared 3000 "
        "--no-opt-in --carveout 50 --barriers 3 --partitioned-caching strict --cluster 1 --virtual 2 --cache-preference l1"
    )
    made = parsed("occupancy", *options.split())["launch"]
    launch = nvidia.Launch(96, 40, 1024, 2048, 3000, False, 50, 3, "strict", 1, 2, "l1")
    assert made == {name: getattr(launch, name) for name in NAMES}


def test_a_launch_that_cannot_run_exits_with_1() -> None:
    assert "cannot run: one block does not fit" in run("occupancy", *ADA[:2], "-t", "2000", "-r", "32", code=1)
    made = parsed("occupancy", "-d", "9.0", "-t", "288", "-r", "224", code=1)
    assert made["blocks"] == 0
    assert "86,016 registers" in made["reason"]
    assert "cannot run" in run("explain", "-d", "9.0", "-t", "288", "-r", "224", code=1)
    assert "no block size runs" in run("block-size", "-d", "9.0", "-r", "300", code=1)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("occupancy", "device, threads, registers: missing; give --device, --threads and --registers, like --device"),
        ("occupancy --vgprs 3", "device, work-items: missing; give --device and --work-items, like --device"),
        ("explain -t 3", "device, registers: missing; give --device and --registers"),
        ("sweep -t 3", "device: missing; give --device, like"),
        ("block-size", "device, registers: missing; give --device and --registers"),
        (
            "occupancy -d 8.9 -t 32x0x -r 3",
            "threads: '32x0x' is not allowed; give a whole number of threads, or a shape",
        ),
        ("occupancy -d 8.9 -t 8x8x8x8 -r 3", "threads: '8x8x8x8' is not allowed"),
        ("occupancy -d 8.9 -t 32x0 -r 3", "threads: 0 is not allowed"),
        ("occupancy -d 8.9 -t 3 -r 3 --grid x", "grid: 'x' is not allowed; give a whole number of blocks"),
        ("sweep -d 8.9 -t 3 --first x", "first: 'x' is not allowed; give a whole number"),
        ("read - --registers x", "registers: 'x' is not allowed; give a whole number of registers"),
        ("occupancy --thread 3", "--thread: occusite occupancy has no such option; did you mean --threads"),
        ("occupancy -t", "-t: give a value after it. See occusite occupancy --help"),
        ("occupancy stray", "stray: not understood here; options begin with --. See occusite occupancy --help"),
        ("read", "PATH: missing; give files to read, or - for the standard input. See occusite read --help"),
        ("occupancy -d 8.9", "threads, registers: missing; give --threads and --registers"),
        ("occupancy -d 8.9 -t 32", "registers: missing; give --registers"),
        ("occupancy -d 8.9 -t 0 -r 3", "threads: 0 is not allowed; give a whole number, 1–2147483647 threads"),
        ("occupancy -d 8.9 -t 9999999999 -r 3", "threads: 9999999999 is not allowed"),
        ("occupancy -d 8.9 -t x -r 3", "threads: 'x' is not allowed; give a whole number of threads"),
        ("occupancy -d rtx9999 -t 3 -r 3", "device: 'rtx9999' is not known"),
        ("occupancy -d 8.9 -t 3 -r 3 -s 4Q", "dynamic_shared: '4Q' is not allowed; give bytes"),
        ("occupancy -d 8.9 -t 3 -r 3 --carveout 200", "carveout: 200 is not allowed; give a whole number, 0–100"),
        ("occupancy -d 8.9 -t 3 -r 3 --grid 0", "grid: 0 is not allowed"),
        (
            "occupancy -d 5.2 -t 3 -r 3 --partitioned-caching maybe",
            "partitioned_caching: 'maybe' is not allowed; give one",
        ),
        ("sweep -d 8.9 -t 3 --along warps", "along: 'warps' is not allowed; give one of threads, registers"),
        ("sweep -d 8.9 -t 3 --first 9 --last 2", "last: 2 is not allowed"),
        ("sweep -d 8.9 -t 3 --every 0", "every: 0 is not allowed"),
        ("sweep -d 8.9 -r 3 -k threads --last 99999999999", "last: 99999999999 is not allowed"),
        ("block-size -d 8.9 -r 3 --max-threads 0", "max_threads: 0 is not allowed"),
        ("block-size -d 8.9 -r 3 --shared-per-thread x", "shared_per_thread: 'x' is not allowed"),
        ("read no-such-file", "no-such-file: No such file"),
        ("read - --threads 0", "threads: 0 is not allowed"),
        ("frobnicate", "frobnicate: no such command. See occusite --help"),
        ("blocksize", "blocksize: no such command; did you mean block-size? See occusite --help"),
    ],
)
def test_a_mistake_names_the_field_and_exits_with_2(arguments: str, said: str) -> None:
    text = run(*arguments.split(), code=2)
    assert said in text
    assert "Traceback" not in text
    assert text.count("\n") == 1, "one mistake, one line"
    for jargon in ("Invalid value", "Usage", "parse", "argument(s)", "Input should be"):
        assert jargon not in text


def test_an_empty_path_walks_over_no_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "build.log").write_text("ptxas info    : Used 18 registers\n")
    monkeypatch.chdir(tmp_path)
    assert run("read", "", code=2) == "Error: '': an empty path; give a file, a folder, or - for the standard input\n"


@pytest.mark.parametrize("shape", ["32x8", "256", "8x8x4", "32X8", "32 × 8", "256x1"])
def test_a_blocks_shape_is_its_threads(shape: str) -> None:
    assert parsed("occupancy", "-d", "8.9", "-t", shape, "-r", "64")["launch"]["threads"] == 256
    made = parsed("occupancy", "-d", "gfx942", "--work-items", shape, "--vgprs", "64")
    assert made["launch"]["work_items"] == 256
    line = json.dumps({"device": "8.9", "threads": shape, "registers": 64})
    assert json.loads(run("occupancy", "--jsonl", stdin=line.encode()))["blocks"] == 4
    log = b"ptxas info    : Compiling entry function 'k' for 'sm_89'\nptxas info    : Used 64 registers\n"
    report = json.loads(run("read", "-", "-t", shape, "--json", stdin=log))
    assert report[0]["answer"]["launch"]["threads"] == 256
    assert parsed("block-size", "-d", "8.9", "-r", "40", "--max-threads", shape)["suggested"]["threads"] == 256


def test_one_block_is_one_block() -> None:
    text = run("block-size", "-d", "9.0", "-r", "255", "--max-threads", "256", "-s", "200KiB")
    assert "256 threads, 1 block, 8 of 64 warps" in text
    for command in (["block-size", "-d", "9.0", "-r", "64", "-s", "200KiB"], ["occupancy", *ADA, "-s", "90KiB"]):
        assert not re.search(r"\b1 (blocks|warps|threads|waves)\b", run(*command)), command


@pytest.mark.parametrize("columns", ["80", "100"])
def test_no_word_is_folded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, columns: str) -> None:
    """In a terminal each word of a table stands whole on a line, as it does in a pipe."""
    log = b"ptxas info    : Compiling entry function 'matmul_kernel' for 'sm_89'\nptxas info    : Used 74 registers, 16384 bytes smem\n"
    before = tmp_path / "before.log"
    before.write_bytes(log.replace(b"74 reg", b"120 reg"))
    commands: list[tuple[list[str], bytes]] = [
        (["occupancy", *ADA, "-s", "100"], b""),
        (["occupancy", "-d", "gfx942", "--work-items", "320", "--vgprs", "128"], b""),
        (["sweep", *ADA], b""),
        (["sweep", "-d", "8.9", "-r", "40", "-k", "threads"], b""),
        (["block-size", "-d", "8.9", "-r", "40"], b""),
        (["devices", "ada"], b""),
        (["devices", "gfx9"], b""),
        (["read", "-", "-t", "256"], log),
        (["explain", *ADA, "-s", "100"], b""),
        (["why", "-d", "8.9", "-t", "256", "-r", "40", "-s", "60000", "--max-dynamic-shared", "49152"], b""),
        (["grid", *ADA, "--grid", "1000"], b""),
        (["shared", *ADA], b""),
        (["stack", "-d", "8.9"], b""),
        (["warp-groups", "-d", "9.0", "-r", "168", "24/240/240"], b""),
        (["diff", str(before), "-", "-t", "256"], log),
    ]
    for command, stdin in commands:
        plain = set(re.findall(r"[A-Za-z]{3,}", run(*command, stdin=stdin, code=int(command[0] == "why"))))
        monkeypatch.setenv("FORCE_COLOR", "1")
        monkeypatch.setenv("COLUMNS", columns)
        shown = re.sub(r"\x1b\[[0-9;]*m", "", run(*command, stdin=stdin, code=int(command[0] == "why")))
        monkeypatch.delenv("FORCE_COLOR")
        whole = set(re.findall(r"[A-Za-z]{3,}", shown))
        assert not whole - plain - {"block", "per"}, (command, shown)
        assert max(map(len, shown.splitlines())) <= int(columns), (command, shown)


def test_explain_writes_out_every_step() -> None:
    launch = nvidia.Launch(1000, 40, 100, 20_000)
    found = nvidia.device("9.0").occupancy(launch)
    arguments = ["explain", "-d", "9.0", "-t", "1000", "-r", "40", "--static-shared", "100", "-s", "20000"]
    text = run(*arguments)
    for step in found.steps:
        assert step.text() in text
        assert step.rule in text
    assert "Registers – this binds" in text
    made = parsed(*arguments)
    assert [(s["text"], s["value"]) for s in made["steps"]] == [(s.text(), s.value) for s in found.steps]


def test_sweep_rows_are_the_plateaus() -> None:
    device, launch = nvidia.device("8.9"), nvidia.Launch(256, 64)
    made = parsed("sweep", *ADA)
    assert [(r["first"], r["last"], r["blocks"], r["warps"]) for r in made["rows"]] == [
        tuple(p) for p in staircase.plateaus(device.occupancy(launch), "registers")
    ]
    text = run("sweep", *ADA)
    (marked,) = [line for line in text.splitlines() if line.endswith("*")]
    assert marked.split()[0] == "49–64"


def test_sweep_value_by_value() -> None:
    made = parsed("sweep", "-d", "8.9", "-r", "40", "-k", "threads", "--every", "96", "--first", "96", "--last", "400")
    assert [row["first"] for row in made["rows"]] == [96, 192, 288, 384]
    for row in made["rows"]:
        found = nvidia.device("8.9").occupancy(nvidia.Launch(row["first"], 40))
        assert (row["warps"], tuple(row["limiters"])) == (found.warps, found.limiters)
    made = parsed("sweep", "-d", "9.0", "-t", "64", "-r", "32", "-k", "barriers")
    assert made["rows"][-1]["last"] == 16
    made = parsed("sweep", "-d", "9.0", "-t", "64", "-r", "32", "-k", "dynamic_shared", "--last", "300000")
    assert made["rows"][-1]["limiters"] == []


def test_block_size_is_the_api_and_the_smallest_as_good() -> None:
    device, launch = nvidia.device("8.9"), nvidia.Launch(1, 40)
    made = parsed("block-size", "-d", "8.9", "-r", "40")
    assert made["suggested"] == device.potential_block_size(launch)._asdict()
    assert made["smallest_as_good"] == device.smallest_block_size(launch)._asdict()
    assert "as cudaOccupancyMaxPotentialBlockSize" in run("block-size", "-d", "8.9", "-r", "40")
    made = parsed(
        "block-size", "-d", "8.9", "-r", "40", "-s", "100", "--shared-per-thread", "64", "--max-threads", "500"
    )
    grows = device.potential_block_size(launch, lambda threads: 100 + 64 * threads, 500)
    assert made["suggested"] == grows._asdict()


def test_devices_lists_and_searches() -> None:
    assert "GeForce RTX 4090" in run("devices")
    text = run("devices", "ada", "4090")
    assert text.splitlines()[1].split()[:2] == ["8.9", "128"]
    assert len(text.splitlines()) == 2
    made = parsed("devices", "sm_90")
    assert {gpu["compute_capability"] for gpu in made["gpus"]} == {"9.0"}
    assert all(gpu["source"].startswith("http") or gpu["source"] for gpu in made["gpus"])
    made = parsed("devices")
    assert [chip["compute_capability"] for chip in made["compute_capabilities"]] == list(nvidia.CHIPS)
    made = parsed("devices", "gfx942")
    assert {gpu["name"] for gpu in made["gpus"]} == {"Instinct MI300A", "Instinct MI300X", "Instinct MI325X"}
    assert [(row["core"], row["slots"]) for row in made["architectures"]] == [("CU", 32)]
    assert "TensileLite" in parsed("devices", "gfx1250")["architectures"][0]["note"]
    run("devices", "voodoo", code=1)


def test_every_listed_name_is_found() -> None:
    needs = {
        "nvidia": ("-t", "32", "-r", "16"),
        "amd": ("--work-items", "64", "--vgprs", "16"),
        "intel": ("--work-items", "64", "--sub-group", "16"),
    }
    for name in devices.names():
        run("occupancy", "-d", name, *needs[find(name).vendor], "--json")


def test_a_device_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "half.toml"
    file.write_text('compute_capability = "9.0"\nname = "half"\nregisters_per_sm = 32768\n')
    made = parsed("occupancy", "-d", str(file), "-t", "256", "-r", "64")
    assert (made["device"], made["blocks"]) == ("half", 2)


def test_jsonl_from_the_command() -> None:
    line = b'{"device": "8.9", "threads": 256, "registers": 64}\n'
    assert json.loads(run("occupancy", "--jsonl", stdin=line))["blocks"] == 4


def test_version_names_the_rule_set() -> None:
    assert f"cuda_occupancy.h {nvidia.HEADER}" in run("--version")


def test_plain_tables_have_no_boxes_and_a_terminal_has_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    commands = (["occupancy", *ADA, "-s", "100"], ["sweep", *ADA], ["block-size", "-d", "8.9", "-r", "40"], ["devices"])
    for command in (*commands, ["explain", *ADA]):
        text = run(*command)
        assert not set("─│┌┐━┃█·\x1b") & set(text), command
    monkeypatch.setenv("FORCE_COLOR", "1")
    for command in commands:
        text = run(*command)
        assert "\x1b[" in text, command
        assert "─" in text, command
    assert "█" in run("sweep", *ADA)


def test_steps_come_true() -> None:
    """Each step named is a change that has that effect, and one less has not."""
    for name in ("8.9", "9.0", "12.0"):
        device = nvidia.device(name)
        for launch in (
            nvidia.Launch(256, 70, 3000),
            nvidia.Launch(128, 90, 5000, 7000),
            nvidia.Launch(64, 32, barriers=4),
        ):
            answer = device.occupancy(launch)
            for knob, found in steps.by_budget(answer, block_size=False).items():
                field = "dynamic_shared" if knob == "shared_memory" else knob
                base = launch.pooled()
                for step, back in ((found.better, 1), (found.worse, -1)):
                    if step is None:
                        continue
                    there = nvidia.Launch(**{**fields(base), field: step.value})
                    before = nvidia.Launch(**{**fields(base), field: step.value + back})
                    assert device.occupancy(there).warps == step.warps
                    assert device.occupancy(before).warps == answer.warps


def fields(launch: nvidia.Launch) -> dict[str, Any]:
    return {name: getattr(launch, name) for name in NAMES}


def test_a_tie_names_both_changes() -> None:
    answer = nvidia.device("8.6").occupancy(nvidia.Launch(256, 74, 28_584))
    assert set(answer.limiters) == {"registers", "shared_memory"}
    assert steps.nearest(answer).better is None
    assert steps.together(answer) == "registers 74 → 64 and static shared 28,584 → 24,576: 32 warps"
    assert nvidia.device("8.6").occupancy(nvidia.Launch(256, 64, 24_576)).warps == 32


def test_a_name_folds_between_its_parts() -> None:
    assert output.Name("matmul_kernel").lines() == ["matmul_kernel"]
    assert output.Name("void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm>").lines(20) == [
        *("void cutlass::", "Kernel2<cutlass_80_", "tensorop_s1688gemm>"),
    ]
    assert output.Name("a" * 40).lines(20) == ["a" * 40]


def test_text_folds_between_words_below_its_label() -> None:
    text = "rules:      one two three\nfour"
    assert output.wrapped(text, 20) == "rules:      one two\n            three\nfour"
    assert output.wrapped("  a b", 3) == "  a\n  b"


def test_bars_and_stairs() -> None:
    assert output.bar(0, 48, 8) == "·" * 8
    assert output.bar(48, 48, 8) == "█" * 8
    assert output.bar(3, 48, 8) == "▌" + "·" * 7
    assert output.staircase([48, 24, 0], 48, 2) == ["█  ", "██ "]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("-d gfx942 --work-items 320 --vgprs 4", "occupancy:  93.75 % (30 of 32 waves, 6 work-groups)"),
        ("-d gfx90a --work-items 512 --vgprs 160", "occupancy:  25 % (8 of 32 waves, 1 work-group)"),
        ("-d gfx90a --work-items 512 --vgprs 160 --rules llvm-24", "occupancy:  37.5 % (12 of 32 waves, 1 work-group)"),
        ("-d mi300x --work-items 256 --vgprs 5 --agprs 128", "occupancy:  37.5 % (12 of 32 waves, 3 work-groups)"),
        ("-d pvc --work-items 256 --sub-group 32 --slm 40KiB", "occupancy:  25 % (16 of 64 threads, 2 work-groups)"),
    ],
)
def test_every_vendor_in_its_own_words(arguments: str, said: str) -> None:
    assert said in run("occupancy", *arguments.split())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("-d gfx942 --work-items 320", "vgprs: missing; give --vgprs"),
        ("-d gfx942 --work-items 320 --vgprs 4 --registers 9", "registers: not a field; the fields are work_items"),
        ("-d pvc --work-items 256 --sub-group 32 --rules llvm-24", "rules: 'llvm-24' is not allowed; give one of"),
        ("-d gfx943 --work-items 256 --vgprs 4", "target: 'gfx943' is not known"),
    ],
)
def test_a_mistake_in_another_vendors_words(arguments: str, said: str) -> None:
    assert said in run("occupancy", *arguments.split(), code=2)


@pytest.mark.parametrize("kind", [amd.Launch, intel.Launch])
def test_every_field_of_every_vendor_is_an_option(kind: Any) -> None:
    for field in kind.FIELDS:
        for command in ("occupancy", "explain", "sweep"):
            assert f"--{field.name.replace('_', '-')}" in run(command, "--help")


def test_a_sweep_runs_along_the_vendors_registers_or_memory() -> None:
    made = parsed("sweep", "-d", "gfx1100", "--work-items", "256")
    assert made["along"] == "vgprs"
    assert [(row["last"], row["warps"]) for row in made["rows"][:2]] == [(96, 64), (120, 48)]
    assert parsed("sweep", "-d", "dg2", "--work-items", "64", "--sub-group", "16")["along"] == "slm"


def test_explain_in_another_vendors_words() -> None:
    text = run("explain", "-d", "gfx942", "--work-items", "320", "--vgprs", "128")
    assert "⌊512 ÷ (⌈128 ÷ 8⌉ × 8)⌋ → 4 waves per SIMD" in text
    assert "VGPRs – this binds" in text


def test_jsonl_of_three_vendors() -> None:
    lines = [
        {"device": "gfx942", "work_items": 256, "vgprs": 128, "rules": "llvm-22"},
        {"device": "rx 7900 xtx", "work_items": 256, "vgprs": 96, "grid": 768},
        {"device": "Arc B580", "work_items": 256, "sub_group": 16},
        {"device": "8.9", "threads": 256, "registers": 64},
    ]
    said = run("occupancy", "--jsonl", stdin="\n".join(map(json.dumps, lines)).encode())
    made = [json.loads(line) for line in said.splitlines()]
    assert [(row["blocks"], row["warps"]) for row in made] == [(4, 16), (8, 64), (4, 64), (4, 32)]
    assert made[1]["waves"]["full"] == 2
