import json

import litellm
from task import *

PACKAGES = ["litellm"]
OPTIONS = {"api_base": BASE, "api_key": KEY}
MODEL = f"openai/{CHAT}"


def ask(words, model=MODEL, **options):
    answer = litellm.completion(model=model, messages=[{"role": "user", "content": words}], **OPTIONS, **options)
    return answer.choices[0].message.content


def chat():
    return ask(HELLO)


def stream():
    chunks = litellm.completion(model=MODEL, messages=[{"role": "user", "content": HELLO}], stream=True, **OPTIONS)
    return [chunk.choices[0].delta.content for chunk in chunks]


def tools():
    weather = Weather()
    messages = [{"role": "user", "content": WEATHER}]
    while True:
        functions = [{"type": "function", "function": WEATHER_FUNCTION}]
        answer = litellm.completion(model=MODEL, messages=messages, tools=functions, **OPTIONS)
        message = answer.choices[0].message
        if not message.tool_calls:
            return message.content, weather.asked
        messages.append(message.model_dump())
        for call in message.tool_calls:
            report = weather.report(**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": report})


def structured():
    return json.loads(ask(object_prompt("Place"), response_format=Place))


def embeddings():
    answer = litellm.embedding(model=f"openai/{EMBEDDER}", input=SENTENCES, **OPTIONS)
    return [each["embedding"] for each in answer.data]


def rerank():
    answer = litellm.rerank(
        model=f"cohere/{RANKER}", query=QUERY, documents=DOCUMENTS, top_n=2, api_base=ROOT, api_key=KEY
    )
    return [(each["index"], each["relevance_score"]) for each in answer.results]


def errors():
    return ask(HELLO, f"openai/{UNKNOWN}")


def retries():
    return ask(retry_prompt(), num_retries=2)
