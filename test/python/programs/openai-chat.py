import json

from openai import OpenAI
from task import *

PACKAGES = ["openai"]
client = OpenAI(base_url=BASE, api_key=KEY)


def ask(words, model=CHAT):
    answer = client.chat.completions.create(model=model, messages=[{"role": "user", "content": words}])
    return answer.choices[0].message.content


def chat():
    return ask(HELLO)


def stream():
    chunks = client.chat.completions.create(model=CHAT, messages=[{"role": "user", "content": HELLO}], stream=True)
    return [chunk.choices[0].delta.content for chunk in chunks if chunk.choices]


def tools():
    weather = Weather()
    messages = [{"role": "user", "content": WEATHER}]
    while True:
        answer = client.chat.completions.create(
            model=CHAT, messages=messages, tools=[{"type": "function", "function": WEATHER_FUNCTION}]
        )
        message = answer.choices[0].message
        if not message.tool_calls:
            return message.content, weather.asked
        messages.append(message)
        for call in message.tool_calls:
            report = weather.report(**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": report})


def structured():
    answer = client.chat.completions.parse(
        model=CHAT, messages=[{"role": "user", "content": object_prompt("Place")}], response_format=Place
    )
    return answer.choices[0].message.parsed


def embeddings():
    return [each.embedding for each in client.embeddings.create(model=EMBEDDER, input=SENTENCES).data]


def speech():
    file = ("silence.wav", silence(), "audio/wav")
    return client.audio.transcriptions.create(model=LISTENER, file=file).text


def errors():
    return ask(HELLO, UNKNOWN)


def retries():
    return ask(retry_prompt())
