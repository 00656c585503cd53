from langchain.agents import create_agent
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI, OpenAIEmbeddings
from task import *

PACKAGES = ["langchain", "langchain-openai"]


def model(name=CHAT):
    return ChatOpenAI(model=name, base_url=BASE, api_key=KEY)


def chat():
    return model().invoke(HELLO).content


def stream():
    return [chunk.content for chunk in model().stream(HELLO)]


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


def embeddings():
    # Without the flag it sends tokens of OpenAI's models, which mean other words here.
    options = {"base_url": BASE, "api_key": KEY, "check_embedding_ctx_length": False}
    return OpenAIEmbeddings(model=EMBEDDER, **options).embed_documents(SENTENCES)


def errors():
    return model(UNKNOWN).invoke(HELLO)


def retries():
    return model().invoke(retry_prompt()).content
