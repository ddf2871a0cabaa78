"""The book's MkDocs plugin: mkdocs-jupyter, with notebooks drawn as pages of the book and pages offered as notebooks."""

from __future__ import annotations

import json
import os
import re
import tempfile
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

import nbformat
from mkdocs.exceptions import PluginError
from mkdocs_jupyter.plugin import Plugin
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

from occusite.book.build import first_files, notebook, rendered
from occusite.book.build import print_edition as whole

CACHE = Path(".cache") / "notebooks"
SECONDS = 120

# Runs in the kernel after the notebook's own cells: prints which files of the package they imported.
USED_MODULES = """
import json, pathlib, sys
_files = [m.__file__ for n, m in sys.modules.items() if n.partition(".")[0] == "occusite" and getattr(m, "__file__", None)]
_package = pathlib.Path(sys.modules["occusite"].__file__).parent if _files else None
print(json.dumps(sorted(pathlib.Path(f).relative_to(_package).as_posix() for f in _files)))
"""


class Book(Plugin):  # type: ignore[misc]
    """mkdocs-jupyter runs each notebook in a Jupyter kernel; here, what it draws comes from the book's own fences.

    So a notebook's cells are the cells of every other page, its text may use the book's inline values, and its links
    are checked. Of mkdocs-jupyter's settings, `include`, `ignore`, `execute`, `kernel_name`, `allow_errors` and
    `include_source` count. With `include_source`, each page with cells is offered as a notebook.
    """

    def on_startup(self, command: str, dirty: bool) -> None:
        """Under `serve`, what was rendered before is used again; a build for deployment renders everything."""
        self.serves = command == "serve"

    def on_config(self, config: Any) -> Any:
        """Open the store of what was rendered before, and let fences look there."""
        self.store: rendered.Store | None = None
        if getattr(self, "serves", False):
            versions = [f"{d.name} {d.version}" for d in sorted(distributions(), key=lambda d: d.name)]
            settings = [Path(config.config_file_path).read_bytes(), config.site_url, *versions]
            self.store = rendered.Store(Path(config.docs_dir), "\n".join(map(str, settings)).encode())
            for fence in config.mdx_configs.get("pymdownx.superfences", {}).get("custom_fences", ()):
                if fence["name"] in rendered.COMPUTED:
                    fence["format"] = self.store.fence(fence["format"])
        return config

    def on_page_markdown(self, markdown: str, page: Any, config: Any, files: Any) -> str:
        """Let the page look in the store before it is rendered."""
        if self.store:
            page.markdown = markdown
            self.store.page(page, config.plugins.get("autorefs"))
        return markdown

    def should_include(self, file: Any) -> bool:
        """Whether the file is a notebook. mkdocs-jupyter would parse every page's Markdown, several times, to find out."""
        return str(file.src_uri).endswith(".ipynb") and bool(super().should_include(file))

    def on_pre_page(self, page: Any, config: Any, files: Any) -> Any:
        """The page is drawn by MkDocs from what `on_page_read_source` gives."""
        return page

    def on_page_read_source(self, page: Any, config: Any) -> str | None:
        """A notebook as the Markdown of a page, once its cells have run."""
        if not self.should_include(page.file):
            return None
        path = Path(page.file.abs_src_path)
        if self.config["execute"]:
            executed(path, self.config["kernel_name"] or "python3", self.config["allow_errors"])
        return notebook.to_markdown(nbformat.read(path, 4))

    def on_nav(self, nav: Any, config: Any, files: Any) -> Any:
        """Remember the order of the pages."""
        self.order: list[Any] = nav.pages
        return nav

    def on_env(self, env: Any, config: Any, files: Any) -> Any:
        """Once every page has its content: all chapters on the page for print."""
        page = next((page for page in self.order if page.url == whole.HERE), None)
        if page:
            chapters = [p for p in self.order if any(p.url.startswith(part) for part in page.meta["chapters"])]
            page.content += whole.book(whole.Chapter(p.url, p.title, p.content) for p in chapters)
        return env

    def on_page_content(self, html: str, page: Any, config: Any, files: Any) -> str:
        """The link to the page as a notebook, at its foot."""
        if not self._offered(page):
            return html
        return (
            f'{html}\n<p class="occ-download"><a href="{_name(page)}" download>Download this page as a notebook</a></p>'
        )

    def on_post_page(self, output_content: str, page: Any, config: Any) -> str:
        """The page as a notebook, and its widgets' first answers, beside it."""
        first_files.place(output_content, Path(config["site_dir"]))
        if self._offered(page):
            made = notebook.from_markdown(page.markdown, config["site_url"] or "", page.file.src_uri, page.url)
            if self.should_include(page.file) and self.config["execute"]:
                _take_outputs(made, Path(page.file.abs_src_path), self.config)
            target = Path(page.file.abs_dest_path).with_name(_name(page))
            target.parent.mkdir(parents=True, exist_ok=True)
            nbformat.write(made, target)
        return output_content

    def _offered(self, page: Any) -> bool:
        return bool(self.config["include_source"] and re.search(r"^```cell\b", page.markdown, re.MULTILINE))


def executed(path: Path, kernel: str, allow_errors: bool) -> nbformat.NotebookNode:
    """The notebook with its outputs. It runs again when it, or what it uses of the package, has changed; else it is
    taken from disk.

    Raises `PluginError` with the cell's own words for a cell that fails, unless `allow_errors`.
    """
    text = path.read_bytes()
    settings = f"{kernel} {allow_errors}".encode() + text
    cached = CACHE / path.name
    if cached.exists():
        earlier: nbformat.NotebookNode = nbformat.read(cached, 4)
        record = earlier.metadata.get("occusite", {})
        if record.get("key") == rendered.digest_of(record.get("modules", []), settings):
            return earlier
    run: nbformat.NotebookNode = nbformat.reads(text.decode(), 4)
    run.cells.append(nbformat.v4.new_code_cell(USED_MODULES))
    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(
            run,
            timeout=SECONDS,
            kernel_name=kernel,
            allow_errors=allow_errors,
            # However the kernel's messages cut what a cell prints: the notebook offered is the same each time.
            coalesce_streams=True,
            extra_arguments=["--IPKernelApp.log_level=40"],
            # Elsewhere: a notebook that needs the files beside it would fail its readers.
            resources={"metadata": {"path": folder}},
        )
        try:
            client.execute(env={**os.environ, "IPYTHONDIR": folder})
        except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
            raise PluginError(f"{path.name} does not run in Jupyter:\n{error}") from error
    modules = json.loads(run.cells.pop().outputs[0].text)
    run.metadata["occusite"] = {"key": rendered.digest_of(modules, settings), "modules": modules}
    CACHE.mkdir(parents=True, exist_ok=True)
    part = cached.with_suffix(".part")
    nbformat.write(run, part)
    part.replace(cached)
    return run


def _take_outputs(made: nbformat.NotebookNode, path: Path, config: Any) -> None:
    """Give the code cells of `made` the outputs of the same cells of the notebook at `path`."""
    ran = executed(path, config["kernel_name"] or "python3", config["allow_errors"])
    code = [cell for cell in ran.cells if cell.cell_type == "code"]
    for cell, source in zip((c for c in made.cells if c.cell_type == "code"), code, strict=True):
        cell.outputs, cell.execution_count = source.outputs, source.execution_count


def _name(page: Any) -> str:
    return f"{Path(page.file.src_uri).stem}.ipynb"
