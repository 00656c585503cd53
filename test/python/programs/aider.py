import os
import subprocess
import sys
import tempfile
from pathlib import Path

from task import *

PACKAGES = ["aider-chat"]
CONNECTION = ["--openai-api-base", BASE, "--openai-api-key", KEY, "--model", f"openai/{CHAT}"]
QUIET = [
    "--no-git",
    "--yes-always",
    "--no-check-update",
    "--analytics-disable",
    "--no-show-model-warnings",
    "--no-show-release-notes",
]


def edited(*more):
    """What its command writes into a file."""
    with tempfile.TemporaryDirectory() as folder:
        words = "A file for [aider], please."
        command = [sys.executable, "-m", "aider", *CONNECTION, *QUIET, "--edit-format", "whole", *more]
        found = subprocess.run(
            [*command, "--message", words, "made.txt"],
            cwd=folder,
            env={**os.environ, "HOME": folder},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=240,
        )
        return Path(folder, "made.txt").read_text().strip() or found.stdout + found.stderr


def chat():
    return edited("--no-stream")


def stream():
    # It shows pieces, and writes them together.
    return edited().partition("brown")
