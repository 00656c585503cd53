from ag2 import Agent, tool
from ag2.config import OpenAIConfig
from task import *

PACKAGES = ["ag2"]


def agent(name=CHAT, **options):
    config = OpenAIConfig(model=name, base_url=BASE, api_key=KEY)
    return Agent("helper", prompt="You help.", config=config, **options)


async def chat():
    return (await agent().ask(HELLO)).body


async def tools():
    weather = Weather()

    @tool
    async def get_weather(city: str) -> str:
        """The weather in a city."""
        return weather.report(city)

    return (await agent(tools=[get_weather]).ask(WEATHER)).body, weather.asked


async def errors():
    return await agent(UNKNOWN).ask(HELLO)


async def retries():
    return (await agent().ask(retry_prompt())).body
