import dspy
from task import *

PACKAGES = ["dspy"]


class Trip(dspy.Signature):
    """A place for [dspy]."""

    wish: str = dspy.InputField()
    city: str = dspy.OutputField()
    days: int = dspy.OutputField()


def model(name=CHAT):
    return dspy.LM(f"openai/{name}", api_base=BASE, api_key=KEY, cache=False)


def chat():
    return model()(HELLO)[0]


def structured():
    with dspy.context(lm=model(), adapter=dspy.JSONAdapter()):
        found = dspy.Predict(Trip)(wish=object_prompt("Place"))
    return {"city": found.city, "days": found.days}


def embeddings():
    embedder = dspy.Embedder(f"openai/{EMBEDDER}", api_base=BASE, api_key=KEY)
    return embedder(SENTENCES)


def errors():
    return model(UNKNOWN)(HELLO)


def retries():
    return model()(retry_prompt())[0]
