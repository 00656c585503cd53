import json

from task import *
from together import Together

PACKAGES = ["together"]
# It adds `/v1` itself.
client = Together(base_url=ROOT, api_key=KEY)


def ask(words, model=CHAT):
    answer = client.chat.completions.create(model=model, messages=[{"role": "user", "content": words}])
    return answer.choices[0].message.content


def chat():
    return ask(HELLO)


def stream():
    chunks = client.chat.completions.create(model=CHAT, messages=[{"role": "user", "content": HELLO}], stream=True)
    return [chunk.choices[0].delta.content for chunk in chunks if chunk.choices]


def structured():
    form = {"type": "json_schema", "json_schema": {"name": "place", "schema": Place.model_json_schema()}}
    answer = client.chat.completions.create(
        model=CHAT, messages=[{"role": "user", "content": object_prompt("Place")}], response_format=form
    )
    return json.loads(answer.choices[0].message.content)


def embeddings():
    return [each.embedding for each in client.embeddings.create(model=EMBEDDER, input=SENTENCES).data]


def rerank():
    answer = client.rerank.create(model=RANKER, query=QUERY, documents=DOCUMENTS, top_n=2)
    return [(each.index, each.relevance_score) for each in answer.results]


def errors():
    return ask(HELLO, UNKNOWN)


def retries():
    return ask(retry_prompt())
