"""What schemathesis is told beside the document, for `run.ts`."""

import io
import json
import re
import wave
from pathlib import Path

import schemathesis
from hypothesis import strategies

# Of operations without an example of a body.
MODELS = {
    "/audio/transcriptions": "scripted-speech",
    "/audio/translations": "scripted-speech",
    "/audio/voices": "scripted-voice",
    "/models/{id}": "scripted-chat",
    "/tokenizer_info": "scripted-chat",
}

# What is refused although the document allows it, by the whole message: what no JSON Schema can say, and nothing else.
REFUSALS = Path(__file__).parent / "../gateway/http/support/unsayable-refusals.json"
REASONS = [reason for group in json.loads(REFUSALS.read_text(encoding="utf-8")).values() for reason in group]


def message_of(body):
    error = body["error"]
    return error if isinstance(error, str) else error["message"]


@schemathesis.check
def valid_is_accepted_or_explained(ctx, response, case):
    generation = case.meta.generation if case.meta else None
    if generation is None or not generation.mode.is_positive or response.status_code != 400:
        return
    message = message_of(response.json())
    assert any(re.fullmatch(reason, message, re.DOTALL) for reason in REASONS), (
        f"The document allows what is refused: {message[:400]}"
    )


@schemathesis.deserializer("text/event-stream", "application/x-ndjson")
def read_as_text(ctx, response):
    """The document says no more of streams than that they are texts."""
    return response.text


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Which models are there no document can say: those of its examples. Other names come as what is to be refused."""
    for path, methods in raw_schema["paths"].items():
        for operation in methods.values():
            for content in operation.get("requestBody", {}).get("content", {}).values():
                model = content.get("example", {}).get("model") or MODELS.get(path)
                property = content["schema"].get("properties", {}).get("model")
                if model and property:
                    nothing = [None] if "null" in json.dumps(property) else []
                    content["schema"]["properties"]["model"] = {"enum": [model, *nothing]}
            for parameter in operation.get("parameters", []):
                if path in MODELS and parameter["name"] in ("model", "id"):
                    parameter["schema"] = {"type": "string", "enum": [MODELS[path]]}


def silence():
    """A tenth of a second as a WAV file."""
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setparams((1, 2, 16000, 0, "NONE", ""))
        sound.writeframes(bytes(3200))
    return file.getvalue()


schemathesis.openapi.format("binary", strategies.just(silence()) | strategies.binary(max_size=64))
