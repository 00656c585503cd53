import json

from openai import AsyncOpenAI
from semantic_kernel import Kernel
from semantic_kernel.connectors.ai.function_choice_behavior import FunctionChoiceBehavior
from semantic_kernel.connectors.ai.open_ai import (
    OpenAIChatCompletion,
    OpenAIChatPromptExecutionSettings,
    OpenAITextEmbedding,
)
from semantic_kernel.contents import ChatHistory
from semantic_kernel.functions import kernel_function
from task import *

PACKAGES = ["semantic-kernel"]


def options():
    return {"async_client": AsyncOpenAI(base_url=BASE, api_key=KEY)}


async def ask(words, name=CHAT, kernel=None, **settings):
    service = OpenAIChatCompletion(ai_model_id=name, **options())
    history = ChatHistory()
    history.add_user_message(words)
    chosen = OpenAIChatPromptExecutionSettings(**settings)
    return str(await service.get_chat_message_content(history, chosen, kernel=kernel))


async def chat():
    return await ask(HELLO)


async def stream():
    service = OpenAIChatCompletion(ai_model_id=CHAT, **options())
    history = ChatHistory()
    history.add_user_message(HELLO)
    chunks = service.get_streaming_chat_message_content(history, OpenAIChatPromptExecutionSettings())
    return [str(chunk) async for chunk in chunks]


async def tools():
    weather = Weather()

    class City:
        # Its tools carry the plugin's name in theirs: the answer of the model must do so, too.
        @kernel_function(name="weather", description="The weather in a city.")
        def weather(self, city: str) -> str:
            return weather.report(city)

    kernel = Kernel()
    kernel.add_plugin(City(), "get")
    found = await ask(
        f"{WEATHER} [semantic-kernel]", kernel=kernel, function_choice_behavior=FunctionChoiceBehavior.Auto()
    )
    return found, weather.asked


async def structured():
    return json.loads(await ask(object_prompt("Place"), response_format=Place))


async def embeddings():
    return await OpenAITextEmbedding(ai_model_id=EMBEDDER, **options()).generate_embeddings(SENTENCES)


async def errors():
    return await ask(HELLO, UNKNOWN)


async def retries():
    return await ask(retry_prompt())
