from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.llms import ChatMessage
from llama_index.core.prompts import PromptTemplate
from llama_index.embeddings.openai_like import OpenAILikeEmbedding
from llama_index.llms.openai_like import OpenAILike
from task import *

PACKAGES = ["llama-index-core", "llama-index-llms-openai-like", "llama-index-embeddings-openai-like"]


def model(name=CHAT):
    return OpenAILike(
        model=name,
        api_base=BASE,
        api_key=KEY,
        is_chat_model=True,
        is_function_calling_model=True,
        context_window=32_768,
    )


def chat():
    return model().chat([ChatMessage(content=HELLO)]).message.content


def stream():
    return [each.delta for each in model().stream_chat([ChatMessage(content=HELLO)])]


async def tools():
    weather = Weather()

    def get_weather(city: str) -> str:
        """The weather in a city."""
        return weather.report(city)

    answer = await FunctionAgent(tools=[get_weather], llm=model()).run(WEATHER)
    return str(answer), weather.asked


def structured():
    return model().structured_predict(Place, PromptTemplate(object_prompt("Place")))


def embeddings():
    embedder = OpenAILikeEmbedding(model_name=EMBEDDER, api_base=BASE, api_key=KEY)
    return embedder.get_text_embedding_batch(SENTENCES)


def errors():
    return model(UNKNOWN).chat([ChatMessage(content=HELLO)])


def retries():
    return model().chat([ChatMessage(content=retry_prompt())]).message.content
