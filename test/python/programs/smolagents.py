from smolagents import ChatMessage, OpenAIServerModel, ToolCallingAgent, tool
from task import *

PACKAGES = ["smolagents"]


def model(name=CHAT):
    return OpenAIServerModel(model_id=name, api_base=BASE, api_key=KEY)


def user(words):
    return [ChatMessage(role="user", content=words)]


def chat():
    return model().generate(user(HELLO)).content


def stream():
    return [delta.content for delta in model().generate_stream(user(HELLO))]


def tools():
    weather = Weather()

    @tool
    def get_weather(city: str) -> str:
        """The weather in a city.

        Args:
            city: Its name.
        """
        return weather.report(city)

    agent = ToolCallingAgent(tools=[get_weather], model=model(), verbosity_level=0)
    # Its answers are calls of a tool, too.
    return agent.run(f"{WEATHER} [smolagents]"), weather.asked


def errors():
    return model(UNKNOWN).generate(user(HELLO))


def retries():
    return model().generate(user(retry_prompt())).content
