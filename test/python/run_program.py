"""Lets one program do what it can: `run_program.py FILE`. Its last line is what came of it, as JSON."""

import asyncio
import importlib.util
import inspect
import json
import sys
import traceback
from importlib.metadata import version

import task

# Of a program, each is a function of its own; what is missing it does not do.
CHECKS = {
    "chat": task.check_chat,
    "stream": task.check_stream,
    "tools": task.check_tools,
    "structured": task.check_object,
    "embeddings": task.check_embeddings,
    "rerank": task.check_rerank,
    "speech": task.check_speech,
    "files": task.check_files,
    "scores": task.check_scores,
    "errors": task.check_error,
    "retries": task.check_chat,
}


def load(file):
    spec = importlib.util.spec_from_file_location("program", file)
    module = importlib.util.module_from_spec(spec)
    # What finds types by the name of their module looks here.
    sys.modules["program"] = module
    spec.loader.exec_module(module)
    return module


def call(function):
    found = function()
    return asyncio.run(found) if inspect.iscoroutine(found) else found


def perform(name, function):
    try:
        if name != "errors":
            CHECKS[name](call(function))
            return True
        try:
            found = call(function)
        except Exception as thrown:
            task.check_error(thrown)
            return True
        raise AssertionError(f"an unknown model is no error, but {found!r}")
    except Exception:
        return traceback.format_exc()[-3000:]


program = load(sys.argv[1])
try:
    tasks = {name: perform(name, getattr(program, name)) for name in CHECKS if hasattr(program, name)}
finally:
    # Of one that has started others.
    getattr(program, "close", lambda: None)()
versions = {package: version(package) for package in program.PACKAGES}
print("\n" + json.dumps({"versions": versions, "tasks": tasks}), flush=True)
# Some leave threads behind that wait for ever.
sys.stdout.flush()
import os

os._exit(0)
