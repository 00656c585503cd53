import instructor
from openai import OpenAI
from task import *

PACKAGES = ["instructor"]


def ask(mode):
    client = instructor.from_openai(OpenAI(base_url=BASE, api_key=KEY), mode=mode)
    messages = [{"role": "user", "content": object_prompt("Place")}]
    return client.chat.completions.create(model=CHAT, response_model=Place, messages=messages)


def structured():
    for mode in (instructor.Mode.TOOLS, instructor.Mode.JSON_SCHEMA, instructor.Mode.MD_JSON):
        found = ask(mode)
        check_object(found)
    return found
