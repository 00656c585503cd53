import json
import os
import secrets
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx
from openai import OpenAI
from task import *

PACKAGES = ["litellm"]
# Seconds: it imports much before it answers.
START_LIMIT = 240


class Proxy:
    """In a process of its own, with the service behind it."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        # It takes none that one could guess.
        self.key = f"sk-{secrets.token_hex(32)}"
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.origin = f"http://127.0.0.1:{free.getsockname()[1]}"
        config = Path(self.folder.name, "config.yaml")
        models = [
            {"model_name": name, "litellm_params": {"model": f"openai/{name}", "api_base": BASE, "api_key": KEY}}
            for name in (CHAT, EMBEDDER, LISTENER, UNKNOWN)
        ]
        # What is JSON is YAML, too.
        config.write_text(json.dumps({"model_list": models, "litellm_settings": {"num_retries": 2}}))
        command = [Path(sys.executable).with_name("litellm"), "--config", config, "--host", "127.0.0.1"]
        self.log = Path(self.folder.name, "log.txt").open("w+")
        self.process = subprocess.Popen(
            [*command, "--port", self.origin.rpartition(":")[2]],
            cwd=self.folder.name,
            env={**os.environ, "HOME": self.folder.name, "LITELLM_MASTER_KEY": self.key},
            stdout=self.log,
            stderr=self.log,
        )
        self.wait()

    def wait(self):
        deadline = time.monotonic() + START_LIMIT
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                if httpx.get(f"{self.origin}/health/liveliness").is_success:
                    return
            except httpx.TransportError:
                pass
            time.sleep(0.2)
        self.log.seek(0)
        printed = self.log.read()[-2000:]
        self.close()
        raise RuntimeError(f"The proxy does not answer. It has printed: {printed}")

    def close(self):
        self.process.kill()
        self.process.wait()
        self.log.close()
        self.folder.cleanup()


proxy = Proxy()
close = proxy.close
client = OpenAI(base_url=f"{proxy.origin}/v1", api_key=proxy.key, max_retries=0)


def ask(words, model=CHAT):
    answer = client.chat.completions.create(model=model, messages=[{"role": "user", "content": words}])
    return answer.choices[0].message.content


def chat():
    return ask(HELLO)


def stream():
    chunks = client.chat.completions.create(model=CHAT, messages=[{"role": "user", "content": HELLO}], stream=True)
    return [chunk.choices[0].delta.content for chunk in chunks if chunk.choices]


def tools():
    weather = Weather()
    messages = [{"role": "user", "content": WEATHER}]
    while True:
        answer = client.chat.completions.create(
            model=CHAT, messages=messages, tools=[{"type": "function", "function": WEATHER_FUNCTION}]
        )
        message = answer.choices[0].message
        if not message.tool_calls:
            return message.content, weather.asked
        messages.append(message)
        for call in message.tool_calls:
            report = weather.report(**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": report})


def structured():
    answer = client.chat.completions.parse(
        model=CHAT, messages=[{"role": "user", "content": object_prompt("Place")}], response_format=Place
    )
    return answer.choices[0].message.parsed


def embeddings():
    return [each.embedding for each in client.embeddings.create(model=EMBEDDER, input=SENTENCES).data]


def speech():
    file = ("silence.wav", silence(), "audio/wav")
    return client.audio.transcriptions.create(model=LISTENER, file=file).text


def errors():
    return ask(HELLO, UNKNOWN)


def retries():
    return ask(retry_prompt())
