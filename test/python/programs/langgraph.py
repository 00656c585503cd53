from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from task import *

PACKAGES = ["langgraph", "langchain-openai"]


def graph(functions=(), name=CHAT):
    model = ChatOpenAI(model=name, base_url=BASE, api_key=KEY)
    speaker = model.bind_tools(list(functions)) if functions else model
    builder = StateGraph(MessagesState)
    builder.add_node("speak", lambda state: {"messages": [speaker.invoke(state["messages"])]})
    builder.add_edge(START, "speak")
    if functions:
        builder.add_node("tools", ToolNode(list(functions)))
        builder.add_conditional_edges("speak", tools_condition)
        builder.add_edge("tools", "speak")
    return builder.compile()


def say(words, **options):
    return graph(**options).invoke({"messages": [("user", words)]})["messages"][-1].content


def chat():
    return say(HELLO)


def stream():
    return [chunk.content for chunk, _ in graph().stream({"messages": [("user", HELLO)]}, stream_mode="messages")]


def tools():
    weather = Weather()

    @tool
    def get_weather(city: str) -> str:
        """The weather in a city."""
        return weather.report(city)

    return say(WEATHER, functions=[get_weather]), weather.asked


def errors():
    return say(HELLO, name=UNKNOWN)


def retries():
    return say(retry_prompt())
