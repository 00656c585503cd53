"""Renders chat templates with Python's Jinja2 as `apply_chat_template` of transformers sets it up.

Reads JSON from standard input: a list of {"source": text, "conversations": [variables, ...]}.
Writes a list of lists of {"text": text} or {"error": reason}."""

import datetime
import json
import sys

from jinja2.exceptions import TemplateError
from jinja2.ext import Extension, loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment


class Generation(Extension):
    """`{% generation %}` marks what an assistant says; prompts hold it as it is."""

    tags = {"generation"}

    def parse(self, parser):
        next(parser.stream)
        return parser.parse_statements(["name:endgeneration"], drop_needle=True)


def raise_exception(message):
    raise TemplateError(message)


def to_json(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[Generation, loopcontrols])
environment.filters["tojson"] = to_json
environment.globals["raise_exception"] = raise_exception
environment.globals["strftime_now"] = lambda format: datetime.datetime.now().strftime(format)


def render(template, variables):
    try:
        return {"text": template.render(**variables)}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}


def render_all(job):
    try:
        template = environment.from_string(job["source"])
    except Exception as error:
        return [{"error": f"{type(error).__name__}: {error}"} for _ in job["conversations"]]
    return [render(template, variables) for variables in job["conversations"]]


json.dump([render_all(job) for job in json.load(sys.stdin)], sys.stdout)
