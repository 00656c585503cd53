from langchain.agents import create_agent
from langchain_anthropic import ChatAnthropic
from langchain_core.tools import tool
from task import *

PACKAGES = ["langchain", "langchain-anthropic"]


def model(name=CHAT):
    return ChatAnthropic(model=name, base_url=ROOT, api_key=KEY, max_tokens=200)


def chat():
    return model().invoke(HELLO).content


def stream():
    chunks = [chunk.content for chunk in model().stream(HELLO)]
    return [part if isinstance(part, str) else "".join(block.get("text", "") for block in part) for part in chunks]


def tools():
    weather = Weather()

    @tool
    def get_weather(city: str) -> str:
        """The weather in a city."""
        return weather.report(city)

    state = create_agent(model(), [get_weather]).invoke({"messages": [("user", WEATHER)]})
    return state["messages"][-1].content, weather.asked


def structured():
    return model().with_structured_output(Place).invoke(object_prompt("Place"))


def errors():
    return model(UNKNOWN).invoke(HELLO)


def retries():
    return model().invoke(retry_prompt()).content
