"""The client that openapi-python-client makes."""

import os

from inpage_client import Client
from inpage_client.api.chat_completions import post_chat_completions
from inpage_client.api.embeddings import post_embeddings
from inpage_client.api.models import get_models
from inpage_client.models import PostChatCompletionsBody, PostEmbeddingsBody

CHAT = "scripted-chat"
TEXT = "The quick brown fox jumps over the lazy dog."
client = Client(base_url=os.environ["BASE"])


def ask(messages):
    body = PostChatCompletionsBody.from_dict({"model": CHAT, "messages": messages})
    return post_chat_completions.sync_detailed(client=client, body=body)


models = get_models.sync(client=client)
assert CHAT in [model.id for model in models.data], models

chat = ask([{"role": "user", "content": "Hi"}]).parsed
assert chat.choices[0].message.content == TEXT, chat
assert chat.usage.completion_tokens > 0, chat

body = PostEmbeddingsBody.from_dict({"model": "scripted-embed", "input": ["A dog.", "A cat."]})
embeddings = post_embeddings.sync(client=client, body=body)
assert len(embeddings.data) == 2, embeddings

assert ask([]).status_code == 400
