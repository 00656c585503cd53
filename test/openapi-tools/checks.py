"""What schemathesis is told beside the document, for `run.ts`."""

import re

import schemathesis

# What is refused although the document allows it, by the whole message: what no JSON Schema can say, and nothing else.
REASONS = [
    # What the model can do.
    r"The model `[^`]*` cannot (generate text|make embeddings|transcribe speech|rank documents|speak)\b.*",
    r"The model `[^`]*` does not (support reasoning|think)\b.*",
    r"The model `[^`]*` does not (accept|take|support) images\b.*",
    r"Only base64-encoded images are supported \(.*\), and only by models that accept images\.",
    r"`dimensions` .*",
    r"`(prompt|tokens)` must consist of token ids of this model\.",
    # What bytes mean.
    r"The (image|audio|file)( `[^`]*`)? could not be decoded\.",
    r"`[^`]+` must come from this service\.",
    # What another field or an earlier item says.
    r"`[^`]+` must be the name of one of the `[^`]+`\.",
    r"`tool_choice` requires a call, but `[^`]+` is empty\.",
    r"`[^`]+` must be the `[^`]+` of an earlier `[^`]+`\.",
    r"`[^`]+` refers to an item that is not stored here\..*",
    r"`[^`]+` must be a string, or an object whose `[^`]*` is one\.",
    r"`[^`]+` must have each (value|name) only once\.",
    r"`input` must have an item that the model reads, such as a message\.",
    r"`previous_response_id` names a response that is not stored here: .*",
    r"`tool_choice` names a tool that only a hosted service can run\.",
    r"`after` must be the id of an item of the list\.",
    r"`stream` needs a response that was made with `background` and `stream`, minutes ago at most\.",
    r"Only responses that were made with `background` can be canceled\.",
    r"`continue_final_message` needs a last message of the assistant\.",
    r"`messages` ends with an assistant turn, which cannot be continued when `thinking` is enabled\.",
    # What is counted in tokens.
    r".*\b(context length|context window)\b.*",
]


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
def filter_case(context, case):
    """In `service` a JSON answer of /messages that is not JSON is a 500, and the scripted model writes only text."""
    body = case.body
    if case.operation.label != "POST /messages" or not isinstance(body, dict):
        return True
    config = body.get("output_config")
    return not (isinstance(config, dict) and config.get("format"))
