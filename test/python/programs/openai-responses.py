import json

from openai import OpenAI
from task import *

PACKAGES = ["openai"]
client = OpenAI(base_url=BASE, api_key=KEY)


def ask(words, model=CHAT):
    return client.responses.create(model=model, input=words).output_text


def chat():
    return ask(HELLO)


def stream():
    events = client.responses.create(model=CHAT, input=HELLO, stream=True)
    return [event.delta for event in events if event.type == "response.output_text.delta"]


def tools():
    weather = Weather()
    items = [{"role": "user", "content": WEATHER}]
    while True:
        answer = client.responses.create(model=CHAT, input=items, tools=[{"type": "function", **WEATHER_FUNCTION}])
        calls = [item for item in answer.output if item.type == "function_call"]
        if not calls:
            return answer.output_text, weather.asked
        items += answer.output
        for call in calls:
            report = weather.report(**json.loads(call.arguments))
            items.append({"type": "function_call_output", "call_id": call.call_id, "output": report})


def structured():
    return client.responses.parse(model=CHAT, input=object_prompt("Place"), text_format=Place).output_parsed


def files():
    store = client.vector_stores.create(name="Shop")
    member = client.vector_stores.files.upload_and_poll(vector_store_id=store.id, file=("shop.txt", FILE.encode()))
    batch = client.vector_stores.file_batches.upload_and_poll(store.id, files=[("a.md", b"Tea."), ("b.md", b"Bags.")])
    hit = client.vector_stores.search(store.id, query="opens").data[0].content[0].text
    search = {"type": "file_search", "vector_store_ids": [store.id], "max_num_results": 1}
    include = ["file_search_call.results"]
    call = client.responses.create(model=CHAT, input=HELLO + " " + FILE, tools=[search], include=include).output[0]
    client.files.delete(member.id)
    left = [each.id for each in client.vector_stores.files.list(store.id)]
    client.vector_stores.delete(store.id)
    return member.status, batch.file_counts.completed, hit, call.results[0].text, len(left)


def errors():
    return ask(HELLO, UNKNOWN)


def retries():
    return ask(retry_prompt())
