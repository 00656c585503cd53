"""It knows one address, port 11434 of this machine, and one model."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

PACKAGES = ["auto-commit-ollama"]


def chat():
    """The message of the commit that it makes of what is staged."""
    with tempfile.TemporaryDirectory() as folder:
        person = {"NAME": "A", "EMAIL": "a@example.org"}
        names = {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in person.items()}

        def run(*command, **options):
            options |= {"cwd": folder, "env": {**os.environ, **names, "HOME": folder}}
            return subprocess.run(command, capture_output=True, text=True, timeout=120, **options)

        run("git", "init")
        Path(folder, "made.txt").write_text("one\n")
        run("git", "add", "made.txt")
        found = run(sys.executable, "-m", "auto_commit", input="y\n")
        return run("git", "log", "-1", "--format=%B").stdout.strip() or found.stdout + found.stderr
