"""What every program is asked, and what must come out."""

import io
import os
import wave
from dataclasses import dataclass, field

from pydantic import BaseModel

BASE = os.environ["BASE"]
# Clients that add the path themselves.
ROOT = BASE.removesuffix("/v1")
# As Groq's client asks, whose path is fixed.
GROQ_ROOT = os.environ.get("GROQ_ROOT", "")
KEY = "none"

CHAT = "scripted-chat"
EMBEDDER = "scripted-embed"
RANKER = "scripted-rerank"
LISTENER = "scripted-speech"
# A real one, whose weights are part of the package.
TINY_CHAT = "tiny-chat"
# No model has this name.
UNKNOWN = "no-such-model"

HELLO = "Hello"
TEXT = "The quick brown fox jumps over the lazy dog."
WEATHER = "How is the weather?"
ANSWER = "Sun in Paris, rain in Rome."
REPORTS = {"Paris": "It is sunny in Paris.", "Rome": "It is rainy in Rome."}
OBJECT = {"city": "Paris", "days": 2}
SENTENCES = ["A dog.", "A cat."]
QUERY = "Where is the cat?"
FILE = "The shop opens at nine."
DOCUMENTS = ["A dog.", "The cat is here.", "Trains."]


class Place(BaseModel):
    """A place."""

    city: str
    days: int


def object_prompt(tool: str) -> str:
    """Some clients ask for an object by way of a tool with a name of their own, which the scripted model must be told."""
    return f"An object for [{tool}], please."


def retry_prompt() -> str:
    """The first request with it is answered by 503, the second as usual; each program has its own."""
    return f"Once more, {os.environ['PROGRAM']}."


@dataclass
class Weather:
    """A weather service that remembers who asked."""

    asked: list[str] = field(default_factory=list)

    def report(self, city: str) -> str:
        self.asked.append(city)
        return REPORTS.get(city, "unknown")


WEATHER_SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}
WEATHER_FUNCTION = {
    "name": "get_weather",
    "description": "The weather in a city.",
    "parameters": WEATHER_SCHEMA,
}


def as_dict(value) -> dict:
    return value if isinstance(value, dict) else value.model_dump()


def check_chat(text) -> None:
    assert text == TEXT, repr(text)


def check_stream(pieces) -> None:
    written = [piece for piece in pieces if piece]
    assert "".join(written) == TEXT, written
    assert len(written) > 1, written


def check_tools(found) -> None:
    text, asked = found
    assert ANSWER in text, repr(text)
    assert asked == ["Paris", "Rome"], asked


def check_object(value) -> None:
    assert as_dict(value) == OBJECT, repr(value)


def check_embeddings(vectors) -> None:
    assert len(vectors) == 2, len(vectors)
    assert all(len(vector) > 1 and abs(vector[0]) <= 1 for vector in vectors), vectors


def check_rerank(results) -> None:
    """Indices and scores, best first."""
    assert [index for index, _ in results] == [1, 0], results
    assert all(0 <= score <= 1 for _, score in results), results


def check_scores(found) -> None:
    """How many of the questions were answered rightly, by the probabilities that a real model gives."""
    assert found == 1, found


def check_speech(text) -> None:
    assert text == "Good morning to you.", repr(text)


def check_files(found) -> None:
    """Stored, indexed, searched alone and before an answer, and removed."""
    assert found == ("completed", 2, FILE, FILE, 2), found


def check_error(thrown) -> None:
    """What is thrown for an unknown model must name it."""
    assert UNKNOWN in str(thrown), repr(thrown)


def silence() -> bytes:
    """A tenth of a second as a WAV file: the scripted listener says the same whatever it hears."""
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(16_000)
        sound.writeframes(bytes(3_200))
    return buffer.getvalue()
