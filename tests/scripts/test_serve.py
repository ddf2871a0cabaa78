"""Serving: the port, what counts as a change, whole editions only, helpers that die, and an orderly end."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.scripts import loaded
from tests.scripts.loaded import SCRIPTS, script, somebody

ROOT = Path(__file__).parents[2]


# A rebuilt page takes longer than what the other tests wait for.
until = partial(loaded.until, seconds=120)

sys.path.insert(0, str(SCRIPTS))
try:
    import _setup

    serve = script("serve")
finally:
    sys.path.remove(str(SCRIPTS))


def get(url: str, **headers: str) -> tuple[int, str, dict[str, str]]:
    """Status, text and headers of an answer."""
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=30) as answer:
            return answer.status, answer.read().decode(), dict(answer.headers)
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode(), dict(error.headers)


def edition(html: str) -> str:
    """The edition that a served page belongs to."""
    found = re.search(r'const edition = "(\d+)"', html)
    assert found, html
    return found[1]


# The port, and what was saved


def test_a_taken_port_is_named_or_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    with somebody() as taken:
        with pytest.raises(_setup.Failure, match=f"Port {taken} is taken"):
            serve.choose_port(taken)
        monkeypatch.setattr(serve, "FIRST_PORT", taken)
        assert taken < serve.choose_port(None) < taken + 100
    assert serve.choose_port(taken) == taken


@pytest.mark.parametrize("text", ["0", "65536", "-1", "80a", ""])
def test_a_port_out_of_range_is_refused(text: str) -> None:
    with pytest.raises(Exception, match=re.escape(f"{text!r} is not a port; give a whole number, 1–65535")):
        serve._port(text)


def test_state_sees_every_kind_of_change_but_in_what_is_spared(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("1")
    spared = tmp_path / "dist"
    seen = serve.state([tmp_path], [spared])
    for folder in ("__pycache__", "dist"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.pyc").touch()
    assert serve.state([tmp_path], [spared]) == seen
    assert serve.state([tmp_path]) != seen
    (tmp_path / "b.py").touch()
    assert serve.state([tmp_path], [spared]) != seen
    (tmp_path / "b.py").unlink()
    assert serve.state([tmp_path], [spared]) == seen
    (tmp_path / "a.py").write_text("22")
    assert serve.state([tmp_path], [spared]) != seen


# The server


@pytest.fixture
def front() -> Iterator[serve.Front]:  # type: ignore[name-defined]
    """A server without an edition yet."""
    with somebody() as port:
        pass
    with serve.Front(port) as front:
        threading.Thread(target=front.serve_forever, daemon=True).start()
        yield front
        front.shutdown()


def folder(root: Path, **files: str) -> Path:
    """A folder with these files; "__" in a name is a slash, "_" a dot."""
    for name, text in files.items():
        path = root / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def test_the_server_answers_before_the_first_edition_and_says_what_went_wrong(front: serve.Front) -> None:  # type: ignore[name-defined]
    status, waiting, _ = get(front.url)
    assert status == 503 and "being built" in waiting
    front.excuse("no <such> widget")
    status, wrong, _ = get(front.url)
    assert status == 503 and "no &lt;such&gt; widget" in wrong
    assert edition(wrong) != edition(waiting), "the page that waits must reload"


def test_only_files_of_the_edition_are_served(front: serve.Front, tmp_path: Path) -> None:  # type: ignore[name-defined]
    (tmp_path / "secret.txt").write_text("secret")
    site = folder(tmp_path / "site", index_html="<body>home</body>", ch__index_html="<body>÷</body>", a_css="a{}")
    bundle = folder(tmp_path / "bundle", book_js="book()")
    front.show(site, bundle)
    root = front.url.removesuffix("/occusite/")
    assert get(front.url)[1].startswith("<body>home<script>")
    assert "÷" in get(front.url + "ch/")[1]
    assert "÷" in get(front.url + "ch")[1] and get(root)[1] == get(front.url)[1], "redirected"
    assert get(front.url + "assets/dist/book.js")[1:2] == ("book()",)
    status, css, headers = get(front.url + "a.css?v=1")
    assert (status, css, headers["Content-Type"]) == (200, "a{}", "text/css; charset=utf-8")
    assert get(front.url + "a.css", **{"If-None-Match": headers["ETag"]})[0] == 304
    for path in (
        "none",
        "ch/none.css",
        "../secret.txt",
        "%2e%2e/secret.txt",
        "ch/..%2f..%2fsecret.txt",
        "..%5csecret.txt",
    ):
        assert get(front.url + path)[0] == 404, path
    folder(site, **{"404_html": "<body>own page</body>"})
    assert "own page" in get(front.url + "none")[1]


def test_news_comes_with_the_next_edition_and_the_one_before_stays_whole(
    front: serve.Front,  # type: ignore[name-defined]
    tmp_path: Path,
) -> None:
    sites = [folder(tmp_path / f"site{n}", index_html=f"<body>{n}</body>") for n in range(3)]
    bundles = [folder(tmp_path / f"bundle{n}", **{"book_js": f"book({n})", f"part{n}_js": "part()"}) for n in range(3)]
    assert front.show(sites[0], bundles[0]) == []
    first = edition(get(front.url)[1])
    news: list[str] = []
    waiting = threading.Thread(target=lambda: news.append(get(f"{front.url[:-9]}livereload/{first}")[1]))
    waiting.start()
    time.sleep(0.3)
    assert not news, "there is no news yet"
    assert front.show(None, bundles[1]) == []
    waiting.join(10)
    assert news == [edition(get(front.url)[1])] != [first]
    # A page of the first edition may still ask for a part of its own bundle.
    for part in ("part0.js", "part1.js"):
        assert get(f"{front.url}assets/dist/{part}")[0] == 200
    assert get(f"{front.url}assets/dist/book.js")[1] == "book(1)"
    assert front.show(sites[1], bundles[2]) == [sites[0], bundles[0]]
    assert "<body>1" in get(front.url)[1]
    # Who asks late is answered at once.
    assert get(f"{front.url[:-9]}livereload/{first}")[1] == edition(get(front.url)[1])


# Processes that stand by

ECHO = "import json, sys\nfor line in sys.stdin:\n    out = json.loads(line)['out']\n    print(json.dumps({'error': out if 'bad' in out else None}), flush=True)\n"


def helper(program: str) -> serve.Helper:  # type: ignore[name-defined]
    return serve.Helper("The helper", [sys.executable, "-c", program], dict(os.environ), tidies=True)


def test_a_helper_answers_lives_on_and_is_started_again() -> None:
    one = helper(ECHO)
    assert one.ask(Path("good")) is None
    process = one.process
    assert one.ask(Path("bad")) == "bad" and one.process is process
    process.kill()
    process.wait()
    assert one.ask(Path("good")) is None and one.process is not process
    last = one.process
    one.end()
    assert last.returncode == 0, "it ends by itself when its input does"
    one.end()


def test_a_helper_that_dies_at_its_work_says_so() -> None:
    one = helper("import sys\nsys.stdin.readline()\nsys.exit(3)")
    assert one.ask(Path("x")) == "The helper ended by itself; the lines above say why."
    one.closed = True
    assert "ended by itself" in str(one.ask(Path("x"))) and one.process is None, "started although it was to end"


# All of it

BUNDLER = """
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
for await (const line of createInterface({ input: process.stdin })) {
  const { out } = JSON.parse(line);
  const source = readFileSync("docs/assets/src/book.js", "utf8");
  mkdirSync(out, { recursive: true });
  if (!source.includes("broken")) writeFileSync(`${out}/book.js`, source);
  console.log(JSON.stringify(source.includes("broken") ? { error: "book.js is broken" } : {}));
}
"""


@pytest.mark.skipif(os.name == "nt" or not _setup.PYTHON.exists(), reason="needs .venv and POSIX signals")
def test_edits_are_shown_whole_and_once_and_errors_leave_what_was_good(tmp_path: Path) -> None:
    """A small book in a folder with a space: saves of a page, a script and the package, broken ones, Ctrl-C."""
    root = tmp_path / "a book"
    for name in ("scripts", "docs/assets/src", "occusite", "tmp"):
        (root / name).mkdir(parents=True)
    for name in ("_setup.py", "_live.py", "serve.py"):
        shutil.copy(SCRIPTS / name, root / "scripts")
    (root / ".venv").symlink_to(_setup.VENV)
    (root / "scripts" / "assets.mjs").write_text(BUNDLER)
    configuration, page, code = root / "mkdocs.yml", root / "docs" / "index.md", root / "docs/assets/src/book.js"
    module = root / "occusite" / "small.py"
    good = (
        "site_name: Small\ntheme: {name: mkdocs}\nplugins: []\nexclude_docs: assets/src/\nhooks: [hook.py]\n"
        "extra_javascript: [assets/dist/book.js]\n"
    )
    configuration.write_text(good)
    # The page shows what the package says, as the book's pages do.
    (root / "hook.py").write_text(
        "import sys\nfrom pathlib import Path\n\n"
        "def on_page_markdown(markdown, **_):\n"
        "    sys.path.insert(0, str(Path('occusite').resolve()))\n"
        "    import small\n    return markdown + small.WORD\n"
    )
    page.write_text("first words, ")
    code.write_text("script(1)")
    module.write_text("WORD = 'one package'\n")
    with somebody() as port:
        pass
    program = f"import _setup, serve; _setup.main(lambda: serve.serve(_setup._tools(), {port}, False))"
    log = tmp_path / "log"
    with log.open("w") as out:
        server = subprocess.Popen(
            [sys.executable, "-c", program],
            cwd=root / "scripts",
            env=dict(os.environ, TMPDIR=str(root / "tmp")),
            stdout=out,
            stderr=subprocess.STDOUT,
            # A shell starts what runs in the background deaf to Ctrl-C, and that is inherited.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
    home = f"http://127.0.0.1:{port}/occusite/"
    editions: list[str] = []
    faults: list[str] = []
    watching = threading.Event()

    def watch() -> None:
        """What a reader's browser would meet: every edition, and anything that is not there."""
        while not watching.is_set():
            for address in (home, f"{home}assets/dist/book.js"):
                try:
                    status, text, _ = get(address)
                except OSError as error:
                    status, text = 0, str(error)
                if status != 200:
                    faults.append(f"{address}: {status} {text[:80]}")
                elif address == home and edition(text) not in editions:
                    editions.append(edition(text))
            time.sleep(0.05)

    def shows(text: str, address: str = home) -> bool:
        with contextlib.suppress(OSError):
            return text in get(address)[1]
        return False

    def told(text: str) -> bool:
        return text in log.read_text()

    try:
        until(lambda: shows("first words, one package"), "the book is served")
        until(lambda: told("Occusite: http"), "the address is told")
        watcher = threading.Thread(target=watch)
        watcher.start()
        script_file = f"{home}assets/dist/book.js"

        page.write_text("second words, ")
        until(lambda: shows("second words, one package"), "a saved page is rebuilt")
        code.write_text("script(2)")
        until(lambda: shows("script(2)", script_file), "a saved script is bundled")
        module.write_text("WORD = 'another package'\n")
        until(lambda: shows("second words, another package"), "a saved module is imported anew")
        time.sleep(1)
        assert len(editions) == 4, "one edition, and so one reload, for each save"

        configuration.write_text("theme: {name: nowhere}\n")
        until(lambda: told("could not be built"), "an error is told")
        code.write_text("broken")
        until(lambda: told("book.js is broken"), "an error of the bundler is told")
        assert shows("second words, another package") and shows("script(2)", script_file), "what was good stays"
        configuration.write_text(good)
        page.write_text("third words, ")
        until(lambda: shows("third words, another package"), "the server lives on")
        module.write_text("WORD = \n")
        until(lambda: told("SyntaxError") or told("invalid syntax"), "a broken module is told")
        assert shows("third words, another package")
        module.write_text("WORD = 'mended package'\n")
        code.write_text("script(3)")
        until(lambda: shows("third words, mended package") and shows("script(3)", script_file), "all is mended")
        watching.set()
        watcher.join()
        assert not faults, "the port was closed, or a file was not there"
        server.send_signal(signal.SIGINT)
        assert server.wait(timeout=60) == 130
    finally:
        watching.set()
        server.kill()
        server.wait()
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", port)), "no process may be left behind"
    assert not list((root / "tmp").iterdir()), "no temporary files may be left behind"


def test_the_builder_prints_nothing_but_answers(tmp_path: Path) -> None:
    """What a page prints while it is built must not be taken for an answer."""
    if not _setup.PYTHON.exists():
        pytest.skip("needs .venv")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text("words\n")
    (tmp_path / "mkdocs.yml").write_text("site_name: Small\ntheme: {name: mkdocs}\nplugins: []\nhooks: [hook.py]\n")
    (tmp_path / "hook.py").write_text("def on_config(config):\n    print('{}')\n    import os; os.system('echo {}')\n")
    command = [_setup.PYTHON, SCRIPTS / "_live.py", "mkdocs.yml", "http://127.0.0.1:1/occusite/", "modules.txt"]
    jobs = "".join(json.dumps({"out": str(tmp_path / out)}) + "\n" for out in ("one", "two"))
    process = subprocess.Popen(
        command, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert process.stdin and process.stdout
    process.stdin.write(jobs)
    process.stdin.flush()
    assert [process.stdout.readline() for _ in range(2)] == ['{"error": null}\n'] * 2
    process.stdin.close()
    assert process.wait(60) == 0 and process.stdout.read() == ""
    process.stdout.close()
    assert (tmp_path / "two" / "index.html").exists()
    names = (tmp_path / "modules.txt").read_text().split()
    assert "mkdocs.commands.build" in names and not [n for n in names if n.startswith("occusite")]
