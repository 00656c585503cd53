import json

from haystack.components.agents import Agent
from haystack.components.embedders import OpenAIDocumentEmbedder
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.dataclasses import ChatMessage, Document
from haystack.tools import tool
from haystack.utils import Secret
from task import *

PACKAGES = ["haystack-ai"]
SECRET = Secret.from_token(KEY)


def model(name=CHAT, **options):
    return OpenAIChatGenerator(model=name, api_base_url=BASE, api_key=SECRET, **options)


def ask(words, name=CHAT, **options):
    return model(name, **options).run([ChatMessage.from_user(words)])["replies"][0].text


def chat():
    return ask(HELLO)


def stream():
    pieces = []
    ask(HELLO, streaming_callback=lambda chunk: pieces.append(chunk.content))
    return pieces


def tools():
    weather = Weather()

    @tool
    def get_weather(city: str) -> str:
        """The weather in a city."""
        return weather.report(city)

    agent = Agent(chat_generator=model(), tools=[get_weather])
    return agent.run(messages=[ChatMessage.from_user(WEATHER)])["last_message"].text, weather.asked


def structured():
    return json.loads(ask(object_prompt("Place"), generation_kwargs={"response_format": Place}))


def embeddings():
    embedder = OpenAIDocumentEmbedder(model=EMBEDDER, api_base_url=BASE, api_key=SECRET, progress_bar=False)
    return [found.embedding for found in embedder.run([Document(content=text) for text in SENTENCES])["documents"]]


def errors():
    return ask(HELLO, UNKNOWN)


def retries():
    return ask(retry_prompt())
