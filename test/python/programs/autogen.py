import json

from autogen_agentchat.agents import AssistantAgent
from autogen_core.models import UserMessage
from autogen_ext.models.openai import OpenAIChatCompletionClient
from task import *

PACKAGES = ["autogen-agentchat", "autogen-ext"]
# What it cannot know of a model that is not OpenAI's.
ABILITIES = {
    "vision": False,
    "function_calling": True,
    "json_output": True,
    "structured_output": True,
    "family": "unknown",
}


def model(name=CHAT):
    return OpenAIChatCompletionClient(model=name, base_url=BASE, api_key=KEY, model_info=ABILITIES)


def user(words):
    return [UserMessage(content=words, source="user")]


async def chat():
    return (await model().create(user(HELLO))).content


async def stream():
    return [piece async for piece in model().create_stream(user(HELLO)) if isinstance(piece, str)]


async def tools():
    weather = Weather()

    async def get_weather(city: str) -> str:
        """The weather in a city."""
        return weather.report(city)

    agent = AssistantAgent(
        "helper", model_client=model(), tools=[get_weather], max_tool_iterations=5, reflect_on_tool_use=True
    )
    return (await agent.run(task=WEATHER)).messages[-1].content, weather.asked


async def structured():
    return json.loads((await model().create(user(object_prompt("Place")), json_output=Place)).content)


async def errors():
    return await model(UNKNOWN).create(user(HELLO))


async def retries():
    return (await model().create(user(retry_prompt()))).content
