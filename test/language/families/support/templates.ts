/**
 * Short templates of our own with the essential features of what the makers of each family publish: how tools are declared,
 * calls and results written, thoughts opened, and what is dropped in silence.
 * @module
 */
import type { ReasoningFormat, ToolFormat } from '../../../../src/core/models/answer-formats.js';

export interface FamilyTemplate {
  models: string;
  template: string;
  toolTemplate?: string;
  toolFormat: ToolFormat;
  reasoningFormat: ReasoningFormat;
  /** The system text stands in the last message of the user. */
  lateSystem?: true;
  /** What the template writes of calls and results of the history. */
  nativeHistory?: readonly string[];
  /** With thinking on, the prompt ends inside a thought. */
  opensThought?: boolean;
}

const CHATML_SYSTEM = (declaration: string): string =>
  `{%- if messages[0].role == 'system' or tools %}{{- '<|im_start|>system\\n' }}{%- if messages[0].role == 'system' %}{{- messages[0].content + '\\n' }}{%- endif %}{%- if tools %}${declaration}{%- endif %}{{- '<|im_end|>\\n' }}{%- endif %}`;
const CHATML_RESULT = `{{- '<|im_start|>user\\n<tool_response>\\n' + m.content + '\\n</tool_response><|im_end|>\\n' }}`;
const CHATML_TURN = `{{- '<|im_start|>' + m.role + '\\n' + m.content + '<|im_end|>\\n' }}`;
const JSON_TOOLS = `{{- '<tools>' }}{%- for t in tools %}{{- '\\n' + (t | tojson) }}{%- endfor %}{{- '\\n</tools>\\n' }}`;

/** ChatML with something of its own for answers with calls, and for what begins an answer. */
function chatml(call: string, begin = '', declaration = JSON_TOOLS): string {
  return `${CHATML_SYSTEM(declaration)}{%- for m in messages %}{%- if m.role == 'tool' %}${CHATML_RESULT}{%- elif m.role == 'assistant' and m.tool_calls %}{{- '<|im_start|>assistant\\n' + m.content }}{%- for c in m.tool_calls %}${call}{%- endfor %}{{- '<|im_end|>\\n' }}{%- elif m.role != 'system' %}${CHATML_TURN}{%- endif %}{%- endfor %}{{- '<|im_start|>assistant\\n' }}${begin}`;
}

const HERMES_CALL = `{{- '\\n<tool_call>\\n{"name": "' + c.function.name + '", "arguments": ' + (c.function.arguments | tojson) + '}\\n</tool_call>' }}`;
const XML_CALL = `{{- '\\n<tool_call>\\n<function=' + c.function.name + '>\\n' }}{%- for k, v in c.function.arguments | items %}{{- '<parameter=' + k + '>\\n' + (v if v is string else v | tojson) + '\\n</parameter>\\n' }}{%- endfor %}{{- '</function>\\n</tool_call>' }}`;
const THINK_SWITCH = `{%- if enable_thinking is defined and enable_thinking is false %}{{- '<think>\\n\\n</think>\\n\\n' }}{%- endif %}`;
const THINK_OPEN = `{%- if enable_thinking is defined and enable_thinking is false %}{{- '<think>\\n\\n</think>\\n\\n' }}{%- else %}{{- '<think>\\n' }}{%- endif %}`;

const GEMMA_ARGUMENTS = (quote: string): string =>
  `{%- for k, v in c.function.arguments | items %}{{- k + ':' }}{%- if v is string %}{{- '${quote}' + v + '${quote}' }}{%- else %}{{- v | tojson }}{%- endif %}{%- if not loop.last %}{{- ',' }}{%- endif %}{%- endfor %}`;

export const FAMILY_TEMPLATES: readonly FamilyTemplate[] = [
  {
    models: 'Qwen 2.5',
    toolFormat: 'hermes',
    reasoningFormat: 'none',
    template: chatml(HERMES_CALL),
  },
  {
    models: 'Qwen 3, SmolLM 3, jan-nano',
    toolFormat: 'hermes',
    reasoningFormat: 'think-tags',
    template: chatml(HERMES_CALL, THINK_SWITCH),
  },
  {
    models: 'Qwen 3.5, Nemotron 3 Nano',
    toolFormat: 'qwen3-coder',
    reasoningFormat: 'think-tags',
    opensThought: true,
    template: chatml(XML_CALL, THINK_OPEN),
  },
  {
    models: 'Qwen 3 Coder',
    toolFormat: 'qwen3-coder',
    reasoningFormat: 'none',
    template: chatml(
      XML_CALL,
      '',
      `{{- '# Tools\\n<tools>' }}{%- for t in tools %}{{- '\\n<function>\\n<name>' + t.function.name + '</name>\\n<description>' + t.function.description + '</description>\\n' + (t.function.parameters | tojson) + '</function>' }}{%- endfor %}{{- '\\n</tools>' }}`,
    ),
  },
  {
    models: 'Gemma 4',
    toolFormat: 'gemma4',
    reasoningFormat: 'gemma4',
    template: `{{- bos_token }}{%- if enable_thinking or tools or messages[0].role == 'system' %}{{- '<|turn>system\\n' }}{%- if enable_thinking %}{{- '<|think|>' }}{%- endif %}{%- if messages[0].role == 'system' %}{{- messages[0].content | trim }}{%- endif %}{%- for t in tools or [] %}{{- '<|tool>declaration:' + t.function.name + '{description:<|"|>' + t.function.description + '<|"|>}<tool|>' }}{%- endfor %}{{- '<turn|>\\n' }}{%- endif %}{%- for m in messages if m.role != 'system' %}{{- '<|turn>' + ('model' if m.role == 'assistant' else m.role) + '\\n' }}{%- for c in m.tool_calls or [] %}{{- '<|tool_call>call:' + c.function.name + '{' }}${GEMMA_ARGUMENTS('<|"|>')}{{- '}<tool_call|>' }}{%- endfor %}{{- m.content | trim }}{{- '<turn|>\\n' }}{%- endfor %}{{- '<|turn>model\\n' }}{%- if not enable_thinking %}{{- '<|channel>thought\\n<channel|>' }}{%- endif %}`,
  },
  {
    models: 'Gemma 2 and 3: no system role, no tools, strict turns',
    toolFormat: 'hermes',
    reasoningFormat: 'none',
    template: `{{- bos_token }}{%- if messages[0].role == 'system' %}{{- raise_exception('System role not supported') }}{%- endif %}{%- for m in messages %}{%- if (m.role == 'user') != (loop.index0 % 2 == 0) %}{{- raise_exception('Roles must alternate') }}{%- endif %}{{- '<start_of_turn>' + ('model' if m.role == 'assistant' else m.role) + '\\n' + m.content | trim + '<end_of_turn>\\n' }}{%- endfor %}{{- '<start_of_turn>model\\n' }}`,
  },
  {
    models: 'FunctionGemma',
    toolFormat: 'functiongemma',
    reasoningFormat: 'none',
    template: `{{- bos_token }}{%- if tools or messages[0].role == 'system' %}{{- '<start_of_turn>developer\\n' }}{%- if messages[0].role == 'system' %}{{- messages[0].content }}{%- endif %}{%- for t in tools or [] %}{{- '<start_function_declaration>declaration:' + t.function.name + '{description:<escape>' + t.function.description + '<escape>}<end_function_declaration>' }}{%- endfor %}{{- '<end_of_turn>\\n' }}{%- endif %}{%- for m in messages if m.role != 'system' %}{{- '<start_of_turn>' + ('model' if m.role == 'assistant' else m.role) + '\\n' + m.content }}{%- for c in m.tool_calls or [] %}{{- '<start_function_call>call:' + c.function.name + '{' }}${GEMMA_ARGUMENTS('<escape>')}{{- '}<end_function_call>' }}{%- endfor %}{{- '<end_of_turn>\\n' }}{%- endfor %}{{- '<start_of_turn>model\\n' }}`,
  },
  {
    models: 'LFM 2: drops calls of the history, does not speak of thoughts',
    toolFormat: 'lfm2',
    reasoningFormat: 'think-tags',
    template: `{{- bos_token }}{%- set ns = namespace(system='') %}{%- if messages[0].role == 'system' %}{%- set ns.system = messages[0].content %}{%- endif %}{%- if tools %}{%- set ns.system = ns.system + '\\nList of tools: <|tool_list_start|>' + (tools | tojson) + '<|tool_list_end|>' %}{%- endif %}{%- if ns.system %}{{- '<|im_start|>system\\n' + ns.system + '<|im_end|>\\n' }}{%- endif %}{%- for m in messages if m.role != 'system' %}{{- '<|im_start|>' + m.role + '\\n' }}{{- ('<|tool_response_start|>' + m.content + '<|tool_response_end|>') if m.role == 'tool' else m.content }}{{- '<|im_end|>\\n' }}{%- endfor %}{{- '<|im_start|>assistant\\n' }}`,
  },
  {
    models: 'LFM 2.5',
    toolFormat: 'lfm2',
    reasoningFormat: 'think-tags',
    template: `{{- bos_token }}{%- set ns = namespace(system='') %}{%- if messages[0].role == 'system' %}{%- set ns.system = messages[0].content %}{%- endif %}{%- if tools %}{%- set ns.system = ns.system + '\\n\\nList of tools: ' + (tools | tojson) %}{%- endif %}{%- if ns.system %}{{- '<|im_start|>system\\n' + ns.system + '<|im_end|>\\n' }}{%- endif %}{%- for m in messages if m.role != 'system' %}{{- '<|im_start|>' + m.role + '\\n' }}{{- m.content.split('</think>')[-1] }}{%- if m.tool_calls %}{{- '<|tool_call_start|>[' }}{%- for c in m.tool_calls %}{{- c.function.name + '(' }}{%- for k, v in c.function.arguments | items %}{{- k + '=' + (v | tojson) }}{%- endfor %}{{- ')' + ('' if loop.last else ', ') }}{%- endfor %}{{- ']<|tool_call_end|>' }}{%- endif %}{{- '<|im_end|>\\n' }}{%- endfor %}{{- '<|im_start|>assistant\\n' }}`,
  },
  {
    models: 'Phi-4-mini: reads tools from the system message, drops calls',
    toolFormat: 'phi4-mini',
    reasoningFormat: 'none',
    template: `{%- for m in messages %}{%- if m.role == 'system' and 'tools' in m and m['tools'] is not none %}{{- '<|system|>' + m.content + '<|tool|>' + m['tools'] + '<|/tool|><|end|>' }}{%- else %}{{- '<|' + m.role + '|>' + m.content + '<|end|>' }}{%- endif %}{%- endfor %}{{- '<|assistant|>' }}`,
  },
  {
    models: 'Phi-4-mini-reasoning: its template does not speak of thoughts',
    toolFormat: 'hermes',
    reasoningFormat: 'think-tags',
    template: `{{- '<|system|>Your name is Phi, an AI math expert developed by Microsoft.' }}{%- if messages[0].role == 'system' %}{{- ' ' + messages[0].content }}{%- endif %}{{- '<|end|>' }}{%- for m in messages if m.role != 'system' %}{{- '<|' + m.role + '|>' + m.content + '<|end|>' }}{%- endfor %}{{- '<|assistant|>' }}`,
  },
  {
    models: 'Phi-3-medium: drops system texts and everything of tools',
    toolFormat: 'hermes',
    reasoningFormat: 'none',
    template: `{%- for m in messages %}{%- if m.role == 'user' %}{{- '<|user|>\\n' + m.content + '<|end|>\\n<|assistant|>\\n' }}{%- elif m.role == 'assistant' %}{{- m.content + '<|end|>\\n' }}{%- endif %}{%- endfor %}`,
  },
  {
    models: 'Granite 3.0 to 3.3: drops calls of the history, thinks in words',
    toolFormat: 'granite',
    reasoningFormat: 'granite',
    template: `{%- if tools %}{{- '<|start_of_role|>tools<|end_of_role|>' + (tools | tojson) + '<|end_of_text|>\\n' }}{%- endif %}{%- for m in messages %}{{- '<|start_of_role|>' + ('tool_response' if m.role == 'tool' else m.role) + '<|end_of_role|>' + m.content }}{%- if m.role == 'system' and thinking %}{{- "\\nWrite your thoughts after 'Here is my thought process:' and your answer after 'Here is my response:'." }}{%- endif %}{{- '<|end_of_text|>\\n' }}{%- endfor %}{{- '<|start_of_role|>assistant<|end_of_role|>' }}`,
  },
  {
    models: 'Granite 4: tools and calls in XML tags, roles in its own',
    toolFormat: 'hermes',
    reasoningFormat: 'none',
    template: `{%- if messages[0].role == 'system' or tools %}{{- '<|start_of_role|>system<|end_of_role|>' }}{%- if messages[0].role == 'system' %}{{- messages[0].content }}{%- endif %}{%- if tools %}{{- '\\nYou may call one or more tools.\\n' }}${JSON_TOOLS}{{- 'For each tool call, return a json object with function name and arguments within <tool_call></tool_call> XML tags.' }}{%- endif %}{{- '<|end_of_text|>\\n' }}{%- endif %}{%- for m in messages if m.role != 'system' %}{%- if m.role == 'tool' %}{{- '<|start_of_role|>user<|end_of_role|>\\n<tool_response>\\n' + m.content + '\\n</tool_response><|end_of_text|>\\n' }}{%- else %}{{- '<|start_of_role|>' + m.role + '<|end_of_role|>' + m.content }}{%- for c in m.tool_calls or [] %}${HERMES_CALL}{%- endfor %}{{- '<|end_of_text|>\\n' }}{%- endif %}{%- endfor %}{{- '<|start_of_role|>assistant<|end_of_role|>' }}`,
  },
  {
    models: 'Hunyuan',
    toolFormat: 'hunyuan',
    reasoningFormat: 'hunyuan',
    template: `{%- if messages[0].role == 'system' %}{{- messages[0].content }}{%- endif %}{%- if tools %}{{- '\\n# Tools: answer with <tool_calls>[...]</tool_calls>\\n' + (tools | tojson) }}{%- endif %}{%- for m in messages if m.role != 'system' %}{%- if m.role == 'user' %}{{- '<|user|>' + m.content }}{%- elif m.role == 'tool' %}{{- '<|user|><tool_responses>' + m.content + '</tool_responses>' }}{%- else %}{{- '<|assistant|>' + (('<answer>\\n' + m.content + '\\n</answer>') if m.content else '') }}{%- if m.tool_calls %}{{- '<tool_calls>[' }}{%- for c in m.tool_calls %}{{- (c.function | tojson) + ('' if loop.last else ', ') }}{%- endfor %}{{- ']</tool_calls>' }}{%- endif %}{%- endif %}{%- endfor %}{{- '<|assistant|>' }}${THINK_SWITCH}`,
  },
  {
    models: 'gpt-oss: writes only the first of several calls',
    toolFormat: 'harmony',
    reasoningFormat: 'harmony',
    template: `{{- '<|start|>system<|message|>Reasoning: ' + (reasoning_effort or 'medium') + '<|end|>' }}{%- if messages[0].role == 'system' or tools %}{{- '<|start|>developer<|message|>' }}{%- if messages[0].role == 'system' %}{{- messages[0].content }}{%- endif %}{%- for t in tools or [] %}{{- '\\n// ' + t.function.description + '\\ntype ' + t.function.name + ' = () => any;' }}{%- endfor %}{{- '<|end|>' }}{%- endif %}{%- set last = namespace(name='') %}{%- for m in messages if m.role != 'system' %}{%- if m.role == 'assistant' and m.tool_calls %}{%- if m.content and m.thinking %}{{- raise_exception('Not both content and thinking') }}{%- endif %}{%- if m.content %}{{- '<|start|>assistant<|channel|>analysis<|message|>' + m.content + '<|end|>' }}{%- endif %}{%- set c = m.tool_calls[0] %}{%- set last.name = c.function.name %}{{- '<|start|>assistant to=functions.' + c.function.name + '<|channel|>commentary json<|message|>' + (c.function.arguments | tojson) + '<|call|>' }}{%- elif m.role == 'tool' %}{%- if not last.name %}{{- raise_exception('No call before') }}{%- endif %}{{- '<|start|>functions.' + last.name + ' to=assistant<|channel|>commentary<|message|>' + m.content + '<|end|>' }}{%- elif m.role == 'assistant' %}{{- '<|start|>assistant<|channel|>final<|message|>' + m.content + '<|end|>' }}{%- else %}{{- '<|start|>user<|message|>' + m.content + '<|end|>' }}{%- endif %}{%- endfor %}{{- '<|start|>assistant' }}`,
  },
  {
    models: 'Nemotron-mini: drops calls of the history',
    toolFormat: 'nemotron-mini',
    reasoningFormat: 'none',
    template: `{{- '<extra_id_0>System' }}{%- for m in messages if m.role == 'system' %}{{- '\\n' + m.content }}{%- endfor %}{%- for t in tools or [] %}{{- '\\n<tool> ' + (t | tojson) + ' </tool>' }}{%- endfor %}{{- '\\n' }}{%- for m in messages %}{%- if m.role == 'user' %}{{- '<extra_id_1>User\\n' + m.content + '\\n' }}{%- elif m.role == 'assistant' %}{{- '<extra_id_1>Assistant\\n' + m.content + '\\n' }}{%- elif m.role == 'tool' %}{{- '<extra_id_1>Tool\\n' + m.content + '\\n' }}{%- endif %}{%- endfor %}{{- '<extra_id_1>Assistant\\n' }}`,
  },
  {
    models: 'Nemotron Nano 2',
    toolFormat: 'nemotron',
    reasoningFormat: 'think-tags',
    opensThought: true,
    template: `{{- '<SPECIAL_10>System\\n' }}{%- if messages[0].role == 'system' %}{{- messages[0].content }}{%- endif %}{%- if tools %}{{- '<AVAILABLE_TOOLS>' + (tools | tojson) + '</AVAILABLE_TOOLS>' }}{%- endif %}{%- for m in messages if m.role != 'system' %}{{- '\\n<SPECIAL_11>' + m.role + '\\n' + m.content }}{%- if m.tool_calls %}{{- '<TOOLCALL>[' }}{%- for c in m.tool_calls %}{{- (c.function | tojson) + ('' if loop.last else ', ') }}{%- endfor %}{{- ']</TOOLCALL>' }}{%- endif %}{%- endfor %}{{- '\\n<SPECIAL_11>Assistant\\n' }}${THINK_OPEN}`,
  },
  {
    models: 'Llama 3.2: one call in a message, no text beside it',
    toolFormat: 'llama3',
    reasoningFormat: 'none',
    template: `{{- bos_token }}{%- if messages[0].role == 'system' %}{%- set s = messages[0].content | trim %}{%- else %}{%- set s = '' %}{%- endif %}{{- '<|start_header_id|>system<|end_header_id|>\\n\\n' + s + '<|eot_id|>' }}{%- if tools %}{{- '<|start_header_id|>user<|end_header_id|>\\n\\nRespond in the format {"name": function name, "parameters": dictionary}.\\n' }}{%- for t in tools %}{{- (t | tojson) + '\\n' }}{%- endfor %}{{- '<|eot_id|>' }}{%- endif %}{%- for m in messages if m.role != 'system' %}{%- if m.tool_calls %}{%- if m.tool_calls | length != 1 %}{{- raise_exception('single tool-calls') }}{%- endif %}{%- set c = m.tool_calls[0] %}{{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n{"name": "' + c.function.name + '", "parameters": ' + (c.function.arguments | tojson) + '}<|eot_id|>' }}{%- else %}{{- '<|start_header_id|>' + ('ipython' if m.role == 'tool' else m.role) + '<|end_header_id|>\\n\\n' + m.content + '<|eot_id|>' }}{%- endif %}{%- endfor %}{{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}`,
  },
  {
    models: 'Mistral 7B v0.3: ids of nine characters, no text beside calls',
    toolFormat: 'mistral',
    reasoningFormat: 'none',
    template: `{{- bos_token }}{%- if tools %}{{- '[AVAILABLE_TOOLS] ' + (tools | tojson) + '[/AVAILABLE_TOOLS]' }}{%- endif %}{%- for m in messages %}{%- if m.role == 'user' %}{{- '[INST] ' }}{%- if loop.index0 == 1 and messages[0].role == 'system' %}{{- messages[0].content + '\\n\\n' }}{%- endif %}{{- m.content + '[/INST]' }}{%- elif m.tool_calls %}{{- '[TOOL_CALLS] [' }}{%- for c in m.tool_calls %}{%- if c.id | length != 9 %}{{- raise_exception('ids of length 9') }}{%- endif %}{{- (c.function | tojson) + ('' if loop.last else ', ') }}{%- endfor %}{{- ']' + eos_token }}{%- elif m.role == 'assistant' %}{{- ' ' + m.content + eos_token }}{%- elif m.role == 'tool' %}{{- '[TOOL_RESULTS] {"content": ' + m.content + '}[/TOOL_RESULTS]' }}{%- endif %}{%- endfor %}`,
  },
  {
    models:
      'Mistral 7B v0.3 as it is published: turns alternate, the system text stands in the last message of the user',
    toolFormat: 'mistral',
    reasoningFormat: 'none',
    lateSystem: true,
    nativeHistory: ['[TOOL_CALLS] [', '[TOOL_RESULTS] '],
    template: `{%- set s = messages[0].content if messages[0].role == 'system' else '' %}{%- set turns = messages[1:] if messages[0].role == 'system' else messages %}{%- set ns = namespace(index=0) %}{%- for m in turns %}{%- if m.role != 'tool' and m.tool_calls is not defined %}{%- if (m.role == 'user') != (ns.index % 2 == 0) %}{{- raise_exception('Roles must alternate') }}{%- endif %}{%- set ns.index = ns.index + 1 %}{%- endif %}{%- endfor %}{{- bos_token }}{%- set users = turns | selectattr('role', 'equalto', 'user') | list %}{%- for m in turns %}{%- if m.role == 'user' %}{%- if tools and m == users[-1] %}{{- '[AVAILABLE_TOOLS] ' + (tools | tojson) + '[/AVAILABLE_TOOLS]' }}{%- endif %}{{- '[INST] ' + (s + '\\n\\n' if loop.last and s else '') + m.content + '[/INST]' }}{%- elif m.tool_calls is defined %}{{- '[TOOL_CALLS] [' }}{%- for c in m.tool_calls %}{%- if c.id | length != 9 %}{{- raise_exception('ids of length 9') }}{%- endif %}{{- (c.function | tojson) + ('' if loop.last else ', ') }}{%- endfor %}{{- ']' + eos_token }}{%- elif m.role == 'assistant' %}{{- ' ' + m.content + eos_token }}{%- else %}{{- '[TOOL_RESULTS] {"content": ' + m.content + '}[/TOOL_RESULTS]' }}{%- endif %}{%- endfor %}`,
  },
  {
    models: 'Falcon 3: calls and results only where tools are offered',
    toolFormat: 'hermes',
    reasoningFormat: 'none',
    template: `{%- if tools %}{{- '<|system|>\\n' + (messages[0].content if messages[0].role == 'system' else '') + '\\n<tools>' + (tools | tojson) + '</tools>\\n' }}{%- for m in messages %}{%- if m.role == 'assistant' %}{{- '<|assistant|>\\n' + m.content }}{%- for c in m.tool_calls or [] %}${HERMES_CALL}{%- endfor %}{{- eos_token + '\\n' }}{%- elif m.role == 'tool' %}{{- '<|assistant|>\\n<tool_response>\\n' + m.content + '\\n</tool_response>\\n' }}{%- elif m.role == 'user' %}{{- '<|user|>\\n' + m.content + '\\n' }}{%- endif %}{%- endfor %}{%- else %}{%- for m in messages if m.role in ['system', 'user', 'assistant'] %}{{- '<|' + m.role + '|>\\n' + m.content + '\\n' }}{%- endfor %}{%- endif %}{{- '<|assistant|>\\n' }}`,
  },
  {
    models: 'a template that loses calls where text stands beside them',
    toolFormat: 'hermes',
    reasoningFormat: 'none',
    template: chatml(HERMES_CALL).replace(
      "elif m.role == 'assistant' and m.tool_calls",
      "elif m.role == 'assistant' and m.tool_calls and not m.content",
    ),
  },
  {
    models: 'Ministral 3 Reasoning',
    toolFormat: 'mistral',
    reasoningFormat: 'think-brackets',
    template: `{{- bos_token }}{%- if messages[0].role == 'system' %}{{- '[SYSTEM_PROMPT]' + messages[0].content + '[/SYSTEM_PROMPT]' }}{%- else %}{{- '[SYSTEM_PROMPT]Draft between [THINK] and [/THINK].[/SYSTEM_PROMPT]' }}{%- endif %}{%- if tools %}{{- '[AVAILABLE_TOOLS]' + (tools | tojson) + '[/AVAILABLE_TOOLS]' }}{%- endif %}{%- for m in messages if m.role != 'system' %}{%- if m.role == 'user' %}{{- '[INST]' + m.content + '[/INST]' }}{%- elif m.role == 'tool' %}{{- '[TOOL_RESULTS]' + m.content + '[/TOOL_RESULTS]' }}{%- else %}{{- m.content }}{%- for c in m.tool_calls or [] %}{{- '[TOOL_CALLS]' + c.function.name + '[ARGS]' + (c.function.arguments | tojson) }}{%- endfor %}{{- eos_token }}{%- endif %}{%- endfor %}`,
  },
  {
    models: 'DeepSeek R1 distillates, R1-0528-Qwen3-8B',
    toolFormat: 'deepseek',
    reasoningFormat: 'think-tags',
    opensThought: true,
    template: `{{- bos_token }}{%- for m in messages if m.role == 'system' %}{{- m.content }}{%- endfor %}{%- if tools %}{{- '\\n\\n## Tools\\n' + (tools | tojson) }}{%- endif %}{%- for m in messages if m.role != 'system' %}{%- if m.role == 'user' %}{{- '<｜User｜>' + m.content }}{%- elif m.role == 'tool' %}{{- '<｜tool▁output▁begin｜>' + m.content + '<｜tool▁output▁end｜>' }}{%- else %}{{- '<｜Assistant｜>' + m.content.split('</think>')[-1] }}{%- if m.tool_calls %}{{- '<｜tool▁calls▁begin｜>' }}{%- for c in m.tool_calls %}{{- '<｜tool▁call▁begin｜>function<｜tool▁sep｜>' + c.function.name + '\\n\`\`\`json\\n' + (c.function.arguments | tojson) + '\\n\`\`\`<｜tool▁call▁end｜>' }}{%- endfor %}{{- '<｜tool▁calls▁end｜>' }}{%- endif %}{{- '<｜end▁of▁sentence｜>' }}{%- endif %}{%- endfor %}{{- '<｜Assistant｜><think>\\n' }}`,
  },
  {
    models: 'Cogito v1: thinks when its system text asks for it',
    toolFormat: 'hermes',
    reasoningFormat: 'think-tags',
    template: chatml(HERMES_CALL, '').replace(
      "{{- '<|im_start|>system\\n' }}",
      "{{- '<|im_start|>system\\n' + ('Enable deep thinking subroutine.\\n' if enable_thinking else '') }}",
    ),
  },
  {
    models: 'EXAONE Deep',
    toolFormat: 'hermes',
    reasoningFormat: 'exaone-deep',
    opensThought: true,
    template: `{%- for m in messages %}{{- '[|' + m.role + '|]' + m.content.split('</thought>')[-1] + ('[|endofturn|]' if m.role != 'user' else '') + '\\n' }}{%- endfor %}{{- '[|assistant|]<thought>\\n' }}`,
  },
  {
    models: 'Hermes 3, whose template for tools insists on descriptions',
    toolFormat: 'hermes',
    reasoningFormat: 'none',
    template: `{%- for m in messages %}${CHATML_TURN}{%- endfor %}{{- '<|im_start|>assistant\\n' }}`,
    toolTemplate: chatml(
      HERMES_CALL,
      '',
      `{{- '<tools>' }}{%- for t in tools %}{{- '\\n' + t.function.name + ': ' + t.function.description | trim }}{%- for k, v in t.function.parameters.properties | items %}{{- ' ' + k + '(' + v.description | trim + ')' }}{%- endfor %}{%- endfor %}{{- '\\n</tools>' }}`,
    ),
  },
  {
    models: 'Olmo 3',
    toolFormat: 'olmo3',
    reasoningFormat: 'none',
    template: `{{- '<|im_start|>system\\n' }}{%- if messages[0].role == 'system' %}{{- messages[0].content }}{%- endif %}{%- if tools %}{{- '<functions>' + (tools | tojson) + '</functions>' }}{%- endif %}{{- '<|im_end|>\\n' }}{%- for m in messages if m.role != 'system' %}{{- '<|im_start|>' + ('environment' if m.role == 'tool' else m.role) + '\\n' + m.content }}{%- if m.tool_calls %}{{- '<function_calls>' }}{%- for c in m.tool_calls %}{{- c.function.name + '(' }}{%- for k, v in c.function.arguments | items %}{{- k + '=' + (v | tojson) }}{%- endfor %}{{- ')' + ('' if loop.last else '\\n') }}{%- endfor %}{{- '</function_calls>' }}{%- endif %}{{- '<|im_end|>\\n' }}{%- endfor %}{{- '<|im_start|>assistant\\n' }}`,
  },
  {
    models: 'Command R7B',
    toolFormat: 'command-r7b',
    reasoningFormat: 'command-r7b',
    template: `{{- '<|START_OF_TURN_TOKEN|><|SYSTEM_TOKEN|>' }}{%- if messages[0].role == 'system' %}{{- messages[0].content }}{%- endif %}{%- if tools %}{{- '\\n## Available Tools\\n' + (tools | tojson) }}{%- endif %}{{- '<|END_OF_TURN_TOKEN|>' }}{%- for m in messages if m.role != 'system' %}{%- if m.role == 'assistant' %}{{- '<|CHATBOT_TOKEN|>' }}{%- if m.tool_calls %}{{- ('<|START_THINKING|>' + m.content + '<|END_THINKING|>') if m.content else '' }}{{- '<|START_ACTION|>[' }}{%- for c in m.tool_calls %}{{- '{"tool_call_id": "' + loop.index0 | string + '", "tool_name": "' + c.function.name + '", "parameters": ' + (c.function.arguments | tojson) + '}' + ('' if loop.last else ', ') }}{%- endfor %}{{- ']<|END_ACTION|>' }}{%- else %}{{- '<|START_RESPONSE|>' + m.content + '<|END_RESPONSE|>' }}{%- endif %}{%- else %}{{- '<|' + m.role + '|>' + m.content }}{%- endif %}{{- '<|END_OF_TURN_TOKEN|>' }}{%- endfor %}{{- '<|CHATBOT_TOKEN|>' }}`,
  },
  {
    models: 'GLM 4.5 and later',
    toolFormat: 'glm-4.5',
    reasoningFormat: 'think-tags',
    template: `{{- '[gMASK]<sop>' }}{%- if tools %}{{- '<|system|>\\n# Tools\\n' }}{%- for t in tools %}{{- (t | tojson) + '\\n' }}{%- endfor %}{%- endif %}{%- for m in messages %}{{- '<|' + ('observation' if m.role == 'tool' else m.role) + '|>\\n' + m.content }}{%- for c in m.tool_calls or [] %}{{- '\\n<tool_call>' + c.function.name }}{%- for k, v in c.function.arguments | items %}{{- '\\n<arg_key>' + k + '</arg_key>\\n<arg_value>' + (v if v is string else v | tojson) + '</arg_value>' }}{%- endfor %}{{- '\\n</tool_call>' }}{%- endfor %}{%- endfor %}{{- '<|assistant|>' + ('\\n<think></think>' if enable_thinking is defined and enable_thinking is false else '') }}`,
  },
  {
    models: 'MiniMax M2: results in the tags that others have around answers',
    toolFormat: 'minimax-m2',
    reasoningFormat: 'minimax-m2',
    opensThought: true,
    template: `{{- ']~b]system\\n' }}{%- if messages[0].role == 'system' %}{{- messages[0].content }}{%- endif %}{%- for t in tools or [] %}{{- '\\n<tool>' + (t.function | tojson) + '</tool>' }}{%- endfor %}{{- '[e~[\\n' }}{%- for m in messages if m.role != 'system' %}{{- ']~b]' + ('ai' if m.role == 'assistant' else m.role) + '\\n' }}{{- ('<response>' + m.content + '</response>') if m.role == 'tool' else m.content.split('</think>')[-1] }}{%- if m.tool_calls %}{{- '\\n<minimax:tool_call>\\n' }}{%- for c in m.tool_calls %}{{- '<invoke name="' + c.function.name + '">\\n' }}{%- for k, v in c.function.arguments | items %}{{- '<parameter name="' + k + '">' + (v if v is string else v | tojson) + '</parameter>\\n' }}{%- endfor %}{{- '</invoke>\\n' }}{%- endfor %}{{- '</minimax:tool_call>' }}{%- endif %}{{- '[e~[\\n' }}{%- endfor %}{{- ']~b]ai\\n<think>\\n' }}`,
  },
  {
    models: 'Apriel 1.6: thinks behind a sentence',
    toolFormat: 'hunyuan',
    reasoningFormat: 'apriel',
    opensThought: true,
    template: `{{- '<|begin_system|>\\nAnswer after the marker [BEGIN FINAL RESPONSE].\\n' }}{%- if messages[0].role == 'system' %}{{- messages[0].content + '\\n' }}{%- endif %}{%- for t in tools or [] %}{{- (t | tojson) + '\\n' }}{%- endfor %}{%- for m in messages if m.role != 'system' %}{{- '<|begin_' + ('tool_result' if m.role == 'tool' else m.role) + '|>\\n' + m.content.split('[BEGIN FINAL RESPONSE]')[-1] }}{%- if m.tool_calls %}{{- '\\n<tool_calls>[' }}{%- for c in m.tool_calls %}{{- '{"name": "' + c.function.name + '", "arguments": ' + (c.function.arguments | tojson) + '}' + ('' if loop.last else ', ') }}{%- endfor %}{{- ']</tool_calls>' }}{%- endif %}{{- '\\n' }}{%- endfor %}{{- '<|begin_assistant|>\\nHere are my reasoning steps:\\n' }}`,
  },
  {
    models: 'a template that declares tools only beside a system message',
    toolFormat: 'hermes',
    reasoningFormat: 'none',
    template: `{%- for m in messages %}{%- if m.role == 'system' %}{{- '<|im_start|>system\\n' + m.content }}{%- if tools %}${JSON_TOOLS}{%- endif %}{{- '<|im_end|>\\n' }}{%- elif m.role == 'assistant' and m.tool_calls %}{{- '<|im_start|>assistant\\n' + m.content }}{%- for c in m.tool_calls %}${HERMES_CALL}{%- endfor %}{{- '<|im_end|>\\n' }}{%- else %}${CHATML_TURN}{%- endif %}{%- endfor %}{{- '<|im_start|>assistant\\n' }}`,
  },
  {
    models: 'TinyLlama and others that know no tools',
    toolFormat: 'hermes',
    reasoningFormat: 'none',
    template: `{%- for m in messages %}{{- '<|' + m.role + '|>\\n' + m.content + eos_token + '\\n' }}{%- endfor %}{{- '<|assistant|>\\n' }}`,
  },
  {
    models: 'DeepSeek V3.2',
    toolFormat: 'deepseek-v3.2',
    reasoningFormat: 'think-tags',
    opensThought: true,
    template: `{{- '<｜begin▁of▁sentence｜>' }}{%- if messages[0].role == 'system' %}{{- messages[0].content }}{%- endif %}{%- if tools %}{{- '\\n\\n## Tools\\nWrite a "<｜DSML｜function_calls>" block.\\n<functions>' }}{%- for t in tools %}{{- '\\n' + (t.function | tojson) }}{%- endfor %}{{- '\\n</functions>\\n' }}{%- endif %}{%- for m in messages if m.role != 'system' %}{%- if m.role == 'user' %}{{- '<｜User｜>' + m.content + '<｜Assistant｜>' }}{%- elif m.role == 'tool' %}{{- '\\n\\n<function_results>\\n<result>' + m.content + '</result>\\n</function_results>\\n\\n' }}{%- else %}{{- m.content }}{%- if m.tool_calls %}{{- '\\n\\n<｜DSML｜function_calls>' }}{%- for c in m.tool_calls %}{{- '\\n<｜DSML｜invoke name="' + c.function.name + '">\\n' }}{%- for k, v in c.function.arguments | items %}{{- '<｜DSML｜parameter name="' + k + '" string="' + ('true' if v is string else 'false') + '">' + (v if v is string else v | tojson) + '</｜DSML｜parameter>\\n' }}{%- endfor %}{{- '</｜DSML｜invoke>' }}{%- endfor %}{{- '\\n</｜DSML｜function_calls>' }}{%- endif %}{{- '<｜end▁of▁sentence｜>' }}{%- endif %}{%- endfor %}{{- '<think>' if enable_thinking is not defined or enable_thinking else '</think>' }}`,
  },
  {
    models: 'Step 3',
    toolFormat: 'step3',
    reasoningFormat: 'think-tags',
    opensThought: true,
    template: chatml(
      `{{- '\\n<｜tool_calls_begin｜>\\n<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="' + c.function.name + '">' }}{%- for k, v in c.function.arguments | items %}{{- '<steptml:parameter name="' + k + '">' + (v if v is string else v | tojson) + '</steptml:parameter>' }}{%- endfor %}{{- '</steptml:invoke><｜tool_call_end｜>\\n<｜tool_calls_end｜>' }}`,
      THINK_OPEN,
    ),
  },
  {
    models: 'GigaChat 3: writes one call only',
    toolFormat: 'gigachat3',
    reasoningFormat: 'none',
    template: `{{- bos_token }}{%- for m in messages if m.role == 'system' %}{{- 'system<|role_sep|>\\n' + m.content + '<|message_sep|>\\n\\n' }}{%- endfor %}{%- if tools %}{{- 'function descriptions<|role_sep|>\\n' }}{%- for t in tools %}{{- '// ' + t.function.description + '\\ntype ' + t.function.name + ' = (_: ' + (t.function.parameters | tojson) + ') => any;\\n' }}{%- endfor %}{{- '<|message_sep|>\\n\\n' }}{%- endif %}{%- for m in messages if m.role != 'system' %}{{- ('function result' if m.role == 'tool' else m.role) + '<|role_sep|>\\n' + m.content + '<|message_sep|>\\n\\n' }}{%- if m.tool_calls %}{{- 'function call<|role_sep|>\\n{"name": "' + m.tool_calls[0].function.name + '", "arguments": ' + (m.tool_calls[0].function.arguments | tojson) + '}<|message_sep|>\\n\\n' }}{%- endif %}{%- endfor %}{{- 'assistant<|role_sep|>\\n' }}`,
  },
  {
    models: 'GigaChat 3.1',
    toolFormat: 'gigachat3.1',
    reasoningFormat: 'none',
    template: chatml(
      `{{- '<|function_call|>{"name": "' + c.function.name + '", "arguments": ' + (c.function.arguments | tojson) + '}' }}`,
    ),
  },
  {
    models: 'Granite 20B Function Calling',
    toolFormat: 'granite-20b',
    reasoningFormat: 'none',
    template: chatml(
      `{{- '<function_call> {"name": "' + c.function.name + '", "arguments": ' + (c.function.arguments | tojson) + '}' }}`,
      '',
      `{{- '<|function_call_library|>' }}{%- for t in tools %}{{- '\\n' + (t | tojson) }}{%- endfor %}`,
    ),
  },
  {
    models: 'Command R+',
    toolFormat: 'command-r',
    reasoningFormat: 'none',
    template: chatml(
      `{{- '\\nAction: \`\`\`json\\n[{"tool_name": "' + c.function.name + '", "parameters": ' + (c.function.arguments | tojson) + '}]\\n\`\`\`' }}`,
    ),
  },
  {
    models: 'Cohere 2 MoE',
    toolFormat: 'command-r7b',
    reasoningFormat: 'cohere2-moe',
    opensThought: true,
    template: `{{- bos_token }}{%- if messages[0].role == 'system' or tools %}{{- '<|START_OF_TURN_TOKEN|><|SYSTEM_TOKEN|>' }}{%- if messages[0].role == 'system' %}{{- messages[0].content }}{%- endif %}{%- for t in tools or [] %}{{- '\\n' + (t | tojson) }}{%- endfor %}{{- '<|END_OF_TURN_TOKEN|>' }}{%- endif %}{%- for m in messages if m.role != 'system' %}{%- if m.role == 'assistant' %}{{- '<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>' }}{%- if m.content %}{{- '<|START_TEXT|>' + m.content + '<|END_TEXT|>' }}{%- endif %}{%- if m.tool_calls %}{{- '<|START_ACTION|>[' }}{%- for c in m.tool_calls %}{{- '{"tool_call_id": "' ~ loop.index0 ~ '", "tool_name": "' + c.function.name + '", "parameters": ' + (c.function.arguments | tojson) + '}' + ('' if loop.last else ', ') }}{%- endfor %}{{- ']<|END_ACTION|>' }}{%- endif %}{{- '<|END_OF_TURN_TOKEN|>' }}{%- elif m.role == 'tool' %}{{- '<|START_OF_TURN_TOKEN|><|SYSTEM_TOKEN|><|START_TOOL_RESULT|>' + m.content + '<|END_TOOL_RESULT|><|END_OF_TURN_TOKEN|>' }}{%- else %}{{- '<|START_OF_TURN_TOKEN|><|USER_TOKEN|>' + m.content + '<|END_OF_TURN_TOKEN|>' }}{%- endif %}{%- endfor %}{{- '<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>' + ('<|START_THINKING|><|END_THINKING|>' if enable_thinking is defined and not enable_thinking else '<|START_THINKING|>') }}`,
  },
  {
    models: 'Functionary 3.2: says whom it speaks to',
    toolFormat: 'functionary',
    reasoningFormat: 'functionary',
    template: `{{- bos_token }}{%- for m in messages if m.role == 'system' %}{{- m.content }}{%- endfor %}{%- if tools %}{{- '<|system|>Write >>>\${recipient} and the content.\\n' }}{%- for t in tools %}{{- '// ' + t.function.description + '\\ntype ' + t.function.name + '\\n' }}{%- endfor %}{%- endif %}{%- for m in messages if m.role != 'system' %}{{- '<|' + m.role + '|>' }}{%- if m.role == 'assistant' %}{%- if m.content %}{{- '>>>all\\n' + m.content }}{%- endif %}{%- for c in m.tool_calls or [] %}{{- '>>>' + c.function.name + '\\n' + (c.function.arguments | tojson) }}{%- endfor %}{%- else %}{{- m.content }}{%- endif %}{{- '<|eot_id|>' }}{%- endfor %}{{- '<|assistant|>>>>' }}`,
  },
  {
    models: 'xLAM 2',
    toolFormat: 'json-list',
    reasoningFormat: 'none',
    template: `{{- bos_token }}{%- for m in messages if m.role == 'system' %}{{- m.content }}{%- endfor %}{%- if tools %}{{- 'When using tools, make calls in a single JSON array:\\n' }}{%- for t in tools %}{{- '\\n' + (t | tojson) }}{%- endfor %}{%- endif %}{%- for m in messages if m.role != 'system' %}{{- '<|' + m.role + '|>' + m.content }}{%- if m.tool_calls %}{{- '[' }}{%- for c in m.tool_calls %}{{- (c.function | tojson) + ('' if loop.last else ', ') }}{%- endfor %}{{- ']' }}{%- endif %}{{- '<|eot_id|>' }}{%- endfor %}{{- '<|assistant|>' }}`,
  },
];
