from agents import Agent, OpenAIResponsesModel, Runner, function_tool, set_tracing_disabled
from openai import AsyncOpenAI
from task import *

PACKAGES = ["openai-agents"]
# It would send traces to OpenAI.
set_tracing_disabled(True)


def agent(name=CHAT, **options):
    client = AsyncOpenAI(base_url=BASE, api_key=KEY)
    return Agent(name="Agent", model=OpenAIResponsesModel(name, openai_client=client), **options)


def chat():
    return Runner.run_sync(agent(), HELLO).final_output


async def stream():
    events = Runner.run_streamed(agent(), HELLO).stream_events()
    deltas = "response.output_text.delta"
    return [event.data.delta async for event in events if event.type == "raw_response_event" and event.data.type == deltas]


def tools():
    weather = Weather()

    @function_tool
    def get_weather(city: str) -> str:
        """The weather in a city."""
        return weather.report(city)

    return Runner.run_sync(agent(tools=[get_weather]), WEATHER).final_output, weather.asked


def structured():
    return Runner.run_sync(agent(output_type=Place), object_prompt("Place")).final_output


def errors():
    return Runner.run_sync(agent(UNKNOWN), HELLO)


def retries():
    return Runner.run_sync(agent(), retry_prompt()).final_output
