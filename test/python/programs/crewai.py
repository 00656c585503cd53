import json

from crewai import LLM, Agent
from crewai.tools import tool
from task import *

PACKAGES = ["crewai"]


def model(name=CHAT, **options):
    return LLM(model=f"openai/{name}", base_url=BASE, api_key=KEY, **options)


def chat():
    return model().call(HELLO)


def tools():
    weather = Weather()

    @tool("get_weather")
    def get_weather(city: str) -> str:
        """The weather in a city."""
        return weather.report(city)

    agent = Agent(role="helper", goal="help", backstory="You help.", llm=model(), tools=[get_weather])
    return agent.kickoff(WEATHER).raw, weather.asked


def structured():
    found = model(response_format=Place).call(object_prompt("Place"))
    return json.loads(found) if isinstance(found, str) else found


def errors():
    return model(UNKNOWN).call(HELLO)


def retries():
    return model().call(retry_prompt())
