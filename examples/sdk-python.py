# The official Python clients of OpenAI and Anthropic: pip install openai anthropic
import os

from anthropic import Anthropic
from openai import OpenAI

url = os.environ.get("MILLRACE_URL", "http://127.0.0.1:8787")
key = os.environ.get("MILLRACE_KEY")
if not key:
    raise SystemExit("Set MILLRACE_KEY to a key of the server; `npm start` prints one.")

openai = OpenAI(base_url=f"{url}/v1", api_key=key)
response = openai.responses.create(model="replay/hello", input="Hello!")
print(response.output_text)

chat = openai.chat.completions.create(
    model="replay/hello",
    messages=[{"role": "user", "content": "Hello!"}],
    stream=True,
)
for chunk in chat:
    for choice in chunk.choices:
        print(choice.delta.content or "", end="")
print()

anthropic = Anthropic(base_url=url, api_key=key)
with anthropic.messages.stream(
    model="replay/reasoning",
    max_tokens=1000,
    messages=[{"role": "user", "content": "How many eggs are left?"}],
) as stream:
    for block in stream.get_final_message().content:
        print(block.type, getattr(block, "text", None) or getattr(block, "thinking", ""))
