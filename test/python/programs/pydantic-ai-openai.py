from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from task import *

PACKAGES = ["pydantic-ai-slim"]


def model(name=CHAT):
    return OpenAIChatModel(name, provider=OpenAIProvider(base_url=BASE, api_key=KEY))


def chat():
    return Agent(model()).run_sync(HELLO).output


async def stream():
    async with Agent(model()).run_stream(HELLO) as answer:
        return [piece async for piece in answer.stream_text(delta=True, debounce_by=None)]


def tools():
    weather = Weather()
    agent = Agent(model())

    @agent.tool_plain
    def get_weather(city: str) -> str:
        """The weather in a city."""
        return weather.report(city)

    return agent.run_sync(WEATHER).output, weather.asked


def structured():
    return Agent(model(), output_type=Place).run_sync(object_prompt("final_result")).output


def errors():
    return Agent(model(UNKNOWN)).run_sync(HELLO)


def retries():
    return Agent(model()).run_sync(retry_prompt()).output
