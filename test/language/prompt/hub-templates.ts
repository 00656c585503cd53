/** Short templates of our own that ask of a conversation what the well-known families' templates ask. */
import type { ToolFormat } from '../../../src/core/models/answer-formats.js';

interface HubTemplate {
  template: string;
  toolFormat: ToolFormat;
  mustContain: string[];
}

export const HUB_TEMPLATES: Record<string, HubTemplate> = {
  'Qwen-like: arguments as object, tools as JSON lines': {
    toolFormat: 'hermes',
    mustContain: ['"arguments": {"city": "Rome"}', '<tool_response>'],
    template: `{%- if tools %}{{ '<|im_start|>system\\n' }}{%- if messages[0].role == 'system' %}{{ messages[0].content + '\\n\\n' }}{%- endif %}{{ "# Tools\\n<tools>" }}{%- for tool in tools %}{{ '\\n' }}{{ tool | tojson }}{%- endfor %}{{ '\\n</tools><|im_end|>\\n' }}{%- endif %}
{%- set ns = namespace(multi_step_tool=true, last_query_index=messages|length - 1) %}
{%- for message in messages[::-1] %}{%- set index = (messages|length - 1) - loop.index0 %}{%- if ns.multi_step_tool and message.role == "user" and message.content is string and not(message.content.startswith('<tool_response>') and message.content.endswith('</tool_response>')) %}{%- set ns.multi_step_tool = false %}{%- set ns.last_query_index = index %}{%- endif %}{%- endfor %}
{%- for message in messages %}{%- if message.role == 'user' %}{{ '<|im_start|>user\\n' + message.content + '<|im_end|>\\n' }}{%- elif message.role == 'assistant' %}{%- set content = message.content %}{%- if message.reasoning_content is string %}{{ message.reasoning_content }}{%- elif '</think>' in content %}{%- set content = content.split('</think>')[-1].lstrip('\\n') %}{%- endif %}{{ '<|im_start|>assistant\\n' + content }}{%- if message.tool_calls %}{%- for tool_call in message.tool_calls %}{%- if tool_call.function %}{%- set tool_call = tool_call.function %}{%- endif %}{{ '<tool_call>\\n{"name": "' }}{{ tool_call.name }}{{ '", "arguments": ' }}{%- if tool_call.arguments is string %}{{ tool_call.arguments }}{%- else %}{{ tool_call.arguments | tojson }}{%- endif %}{{ '}\\n</tool_call>' }}{%- endfor %}{%- endif %}{{ '<|im_end|>\\n' }}{%- elif message.role == 'tool' %}{{ '<|im_start|>user\\n<tool_response>\\n' + message.content + '\\n</tool_response><|im_end|>\\n' }}{%- endif %}{%- endfor %}
{%- if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{%- if enable_thinking is defined and enable_thinking is false %}{{ '<think>\\n\\n</think>\\n\\n' }}{%- endif %}{%- endif %}`,
  },
  'Llama-3-like: one call, arguments as object, date': {
    toolFormat: 'llama3',
    mustContain: ['"parameters": {"city": "Rome"}', '<|start_header_id|>ipython'],
    template: `{{- bos_token }}{%- if not tools is defined %}{%- set tools = none %}{%- endif %}{%- if not date_string is defined %}{%- if strftime_now is defined %}{%- set date_string = strftime_now("%d %b %Y") %}{%- else %}{%- set date_string = "26 Jul 2024" %}{%- endif %}{%- endif %}
{%- if messages[0]['role'] == 'system' %}{%- set system_message = messages[0]['content']|trim %}{%- set messages = messages[1:] %}{%- else %}{%- set system_message = "" %}{%- endif %}
{{- "<|start_header_id|>system<|end_header_id|>\\n\\n" + date_string + "\\n" }}{%- if tools is not none %}{{- 'Respond in the format {"name": function name, "parameters": dictionary of argument name and its value}.\\n' }}{%- for t in tools %}{{- t | tojson(indent=4) }}{%- endfor %}{%- endif %}{{- system_message + "<|eot_id|>" }}
{%- for message in messages %}{%- if not (message.role == 'ipython' or message.role == 'tool' or 'tool_calls' in message) %}{{- '<|start_header_id|>' + message['role'] + '<|end_header_id|>\\n\\n'+ message['content'] | trim + '<|eot_id|>' }}{%- elif 'tool_calls' in message %}{%- if not message.tool_calls|length == 1 %}{{- raise_exception("This model only supports single tool-calls at once!") }}{%- endif %}{%- set tool_call = message.tool_calls[0].function %}{{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}{{- '{"name": "' + tool_call.name + '", ' }}{{- '"parameters": ' }}{{- tool_call.arguments | tojson }}{{- "}<|eot_id|>" }}{%- else %}{{- "<|start_header_id|>ipython<|end_header_id|>\\n\\n" }}{%- if message.content is mapping or message.content is iterable %}{{- message.content | tojson }}{%- else %}{{- message.content }}{%- endif %}{{- "<|eot_id|>" }}{%- endif %}{%- endfor %}{%- if add_generation_prompt %}{{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}{%- endif %}`,
  },
  'Mistral-like: ids of nine characters': {
    toolFormat: 'mistral',
    mustContain: ['[TOOL_CALLS]', '[TOOL_RESULTS]'],
    template: `{{- bos_token }}{%- for message in messages %}{%- if message.role == 'system' %}{{- '[SYSTEM_PROMPT]' + message.content + '[/SYSTEM_PROMPT]' }}{%- elif message.role == 'user' %}{%- if tools is not none and loop.last %}{{- '[AVAILABLE_TOOLS]' + (tools | tojson) + '[/AVAILABLE_TOOLS]' }}{%- endif %}{{- '[INST]' + message.content + '[/INST]' }}{%- elif message.role == 'tool' %}{%- if message.tool_call_id is not defined or message.tool_call_id|length != 9 %}{{- raise_exception("Tool call IDs should be alphanumeric strings with length 9!") }}{%- endif %}{{- '[TOOL_RESULTS]{"content": ' + message.content|string + ', "call_id": "' + message.tool_call_id + '"}[/TOOL_RESULTS]' }}{%- elif message.tool_calls is defined and message.tool_calls is not none %}{{- '[TOOL_CALLS][' }}{%- for call in message.tool_calls %}{{- (call.function | tojson)[:-1] + ', "id": "' + call.id + '"}' }}{%- endfor %}{{- ']' + eos_token }}{%- else %}{{- message.content + eos_token }}{%- endif %}{%- endfor %}`,
  },
  'a template that wants arguments as text': {
    toolFormat: 'hermes',
    mustContain: ['CALL get_weather {"city":"Rome"}'],
    template: `{% if tools %}{{ tools | tojson }}{% endif %}{% for message in messages %}{% if message.tool_calls %}{% for call in message.tool_calls %}{% if call.function.arguments is not string %}{{ raise_exception('arguments must be text') }}{% endif %}{{ 'CALL ' + call.function.name + ' ' + call.function.arguments }}{% endfor %}{% else %}{{ message.role + ': ' + message.content }}{% endif %}{{ '\\n' }}{% endfor %}`,
  },
  'a template without tools': {
    toolFormat: 'hermes',
    mustContain: [
      '<tools>',
      '<tool_call>\n{"name": "get_weather", "arguments": {"city":"Rome"}}\n</tool_call>',
      '<tool_response>',
    ],
    template: `{% for message in messages %}{{ message.role + ': ' + message.content + '\\n' }}{% endfor %}`,
  },
  'a template without system role, strict about turns': {
    toolFormat: 'hermes',
    mustContain: ['<start_of_turn>user\nBe kind.'],
    template: `{{ bos_token }}{% if messages[0]['role'] == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}{% for message in messages %}{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('Conversation roles must alternate user/assistant/user/assistant/...') }}{% endif %}{{ '<start_of_turn>' + message['role'] + '\\n' + message['content'] | trim + '<end_of_turn>\\n' }}{% endfor %}`,
  },
};
