from anthropic import Anthropic
from task import *

PACKAGES = ["anthropic"]
client = Anthropic(base_url=ROOT, api_key=KEY)
TOOL = {"name": "get_weather", "description": "The weather in a city.", "input_schema": WEATHER_SCHEMA}


def ask(words, model=CHAT):
    answer = client.messages.create(model=model, max_tokens=200, messages=[{"role": "user", "content": words}])
    return answer.content[0].text


def chat():
    return ask(HELLO)


def stream():
    with client.messages.stream(
        model=CHAT, max_tokens=200, messages=[{"role": "user", "content": HELLO}]
    ) as events:
        return list(events.text_stream)


def tools():
    weather = Weather()
    messages = [{"role": "user", "content": WEATHER}]
    while True:
        answer = client.messages.create(model=CHAT, max_tokens=200, messages=messages, tools=[TOOL])
        calls = [block for block in answer.content if block.type == "tool_use"]
        if not calls:
            return answer.content[0].text, weather.asked
        messages.append({"role": "assistant", "content": answer.content})
        results = [
            {"type": "tool_result", "tool_use_id": call.id, "content": weather.report(**call.input)} for call in calls
        ]
        messages.append({"role": "user", "content": results})


def structured():
    answer = client.messages.parse(
        model=CHAT,
        max_tokens=200,
        messages=[{"role": "user", "content": object_prompt("Place")}],
        output_format=Place,
    )
    return answer.parsed_output


def errors():
    return ask(HELLO, UNKNOWN)


def retries():
    return ask(retry_prompt())
