from ollama import Client
from task import *

PACKAGES = ["ollama"]
client = Client(host=ROOT)


def ask(words, model=CHAT):
    return client.chat(model=model, messages=[{"role": "user", "content": words}]).message.content


def chat():
    return ask(HELLO)


def stream():
    chunks = client.chat(model=CHAT, messages=[{"role": "user", "content": HELLO}], stream=True)
    return [chunk.message.content for chunk in chunks]


def tools():
    weather = Weather()
    messages = [{"role": "user", "content": WEATHER}]
    while True:
        message = client.chat(
            model=CHAT, messages=messages, tools=[{"type": "function", "function": WEATHER_FUNCTION}]
        ).message
        if not message.tool_calls:
            return message.content, weather.asked
        messages.append(message)
        for call in message.tool_calls:
            report = weather.report(**call.function.arguments)
            messages.append({"role": "tool", "tool_name": call.function.name, "content": report})


def structured():
    messages = [{"role": "user", "content": object_prompt("Place")}]
    answer = client.chat(model=CHAT, messages=messages, format=Place.model_json_schema())
    return Place.model_validate_json(answer.message.content)


def embeddings():
    return client.embed(model=EMBEDDER, input=SENTENCES).embeddings


def errors():
    return ask(HELLO, UNKNOWN)
