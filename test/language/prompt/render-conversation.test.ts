/** Which form of a conversation a template gets: one in which no word is lost. */
import { describe, expect, it } from 'vitest';
import { plainGenerationRequest } from '../../../src/core/request/generation-request.js';
import type { Message } from '../../../src/core/request/message.js';
import { detectReasoningFormat, detectToolFormat } from '../../../src/language/prompt/detect-formats.js';
import { renderPrompt } from '../../../src/language/prompt/render-prompt.js';
import { tinyChatTokenizer } from './tiny-chat-tokenizer.js';

const user = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] });
const image: Message = {
  role: 'user',
  content: [
    { type: 'text', text: 'See ' },
    { type: 'image', mediaType: 'image/png', bytes: Uint8Array.of(1) },
  ],
};
const answer = (text: string, more: Partial<Extract<Message, { role: 'assistant' }>> = {}): Message => ({
  role: 'assistant',
  content: [{ type: 'text', text }],
  toolCalls: [],
  ...more,
});

function prompt(chatTemplate: string, messages: Message[], tools: { name: string; parameters: object }[] = []): string {
  const own = { ...tinyChatTokenizer(), chatTemplate };
  const formats = { toolFormat: detectToolFormat(chatTemplate), reasoningFormat: detectReasoningFormat(chatTemplate) };
  const request = { ...plainGenerationRequest('m', { type: 'chat', messages }), tools: tools as never };
  const count = messages.flatMap(({ content }) => content).filter(({ type }) => type === 'image').length;
  const all = Array.from({ length: count }, () => ({ text: '(picture)', tokenCount: 1, key: -1 }));
  const { tokens } = renderPrompt(request, own, formats, { placeholder: '(image)', all });
  return new TextDecoder().decode(Uint8Array.from(tokens.flatMap((token) => [...own.bytesOf(token)])));
}

/** Reads texts only from parts, and gives no error for others. */
const PARTS_ONLY =
  "{% for m in messages %}{{ '[' + m.role + ']' }}{% for p in m.content | selectattr('type', 'equalto', 'image') %}(image){% endfor %}" +
  "{% for p in m.content | selectattr('type', 'equalto', 'text') %}{{ p.text }}{% endfor %}{% endfor %}";

/** The same, but what the assistant said must be a text. */
const MIXED =
  "{% for m in messages %}{{ '[' + m.role + ']' }}{% if m.role == 'assistant' %}{{ m.content + '' }}{% else %}" +
  "{% for p in m.content if p.type == 'text' %}{{ p.text }}{% endfor %}{% endif %}{% endfor %}";

describe('a template that reads parts silently', () => {
  it.each([
    ['text', [user('One.'), answer('Two.'), user('Three.')], '[user]One.[assistant]Two.[user]Three.'],
    [
      'an image and later text',
      [image, answer('Bear.'), user('Sure?')],
      '[user](picture)See [assistant]Bear.[user]Sure?',
    ],
  ])('keeps %s', (_, messages, expected) => {
    expect(prompt(PARTS_ONLY, messages)).toBe(expected);
  });

  it('writes no list where a text is wanted', () => {
    const text = "{% for m in messages %}{{ '[' + m.role + ']' ~ m.content }}{% endfor %}";
    expect(prompt(text, [user('One.'), answer('Two.')])).toBe('[user]One.[assistant]Two.');
  });

  it("is refused where it leaves out the user's words in every form", () => {
    const first =
      '{{ messages[0].content }}{% for m in messages[1:] %}{% if m.role == "assistant" %}{{ m.content }}{% endif %}{% endfor %}';
    expect(prompt(first, [user('One.')])).toBe('One.');
    expect(() => prompt(first, [user('One.'), answer('Two.'), user('Three.')])).toThrow(/user's words/);
  });

  it('may do so for one role alone', () => {
    expect(prompt(MIXED, [user('One.'), answer('Two.'), user('Three.')])).toBe('[user]One.[assistant]Two.[user]Three.');
  });
});

describe('thoughts of earlier answers', () => {
  /** As Qwen 3: thoughts have a field, or stand in the text of an answer; old ones are dropped. */
  const DROPS =
    "{% for m in messages %}{% set content = m.content %}{% if m.role == 'assistant' %}{% if m.reasoning_content is not string and '</think>' in content %}" +
    "{% set content = content.split('</think>')[-1].lstrip('\\n') %}{% endif %}{% endif %}{{ '[' + m.role + ']' + content }}{% endfor %}{# <think> #}";
  const WRITES =
    "{% for m in messages %}{{ '[' + m.role + ']' }}{% if m.reasoning_content %}{{ '<think>' + m.reasoning_content + '</think>' }}{% endif %}{{ m.content }}{% endfor %}";
  const KNOWS_NOTHING = "{% for m in messages %}{{ '[' + m.role + ']' + m.content }}{% endfor %}{# <think> #}";
  const conversation = [user('Sum?'), answer('<think>\nEasy.\n</think>\n\nTwo.'), user('And?')];

  it.each([
    ['are left out where the template leaves them out', DROPS, '[user]Sum?[assistant]Two.[user]And?'],
    ['stand where the template writes its field', WRITES, '[user]Sum?[assistant]<think>Easy.</think>Two.[user]And?'],
    [
      'stay in the text where the template knows nothing of them',
      KNOWS_NOTHING,
      '[user]Sum?[assistant]<think>\nEasy.\n</think>\n\nTwo.[user]And?',
    ],
  ])('%s', (_, template, expected) => {
    expect(prompt(template, conversation)).toBe(expected);
  });

  it('without the tag that the prompt wrote', () => {
    expect(prompt(DROPS, [user('Sum?'), answer('Easy.</think>Two.'), user('And?')])).toBe(
      '[user]Sum?[assistant]Two.[user]And?',
    );
  });

  it('leaves a text that only speaks of the tags', () => {
    const text = 'Models write <think> and </think>.';
    expect(prompt(WRITES, [user('How?'), answer(text), user('And?')])).toContain(text);
  });
});

describe('arguments that are called like methods of a dictionary', () => {
  const CALLS =
    "{% if tools %}{% for tool in tools %}{{ tool.function.name }}{% for name, property in tool.function.parameters.properties.items() %}{{ '(' + name + ')' }}{% endfor %}{% endfor %}{% endif %}" +
    "{% for m in messages %}{{ '[' + m.role + ']' + m.content }}{% for call in m.tool_calls or [] %}" +
    "{% for key, value in call.function.arguments.items() %}{{ key ~ '=' ~ value ~ ';' }}{% endfor %}{% endfor %}{% endfor %}";

  it.each(['items', 'get', 'keys', 'values', 'update', 'pop', 'copy'])('%s', (name) => {
    const properties = { [name]: { type: 'array', items: { type: 'string' } } };
    const call = { id: 'a', name: 'buy', arguments: JSON.stringify({ [name]: ['x'] }) };
    const messages: Message[] = [
      user('Buy.'),
      answer('', { toolCalls: [call] }),
      { role: 'tool', toolCallId: 'a', content: [{ type: 'text', text: 'Done.' }] },
    ];
    const tools = [{ name: 'buy', parameters: { type: 'object', properties } }];
    expect(prompt(CALLS, messages, tools)).toBe(`buy(${name})[user]Buy.[assistant]${name}=['x'];[tool]Done.`);
  });
});

describe('the system message of templates that insist on turns', () => {
  const STRICT =
    "{% set ns = namespace(turn=0) %}{% for m in messages if m.role in ['user', 'assistant'] and not m.tool_calls %}" +
    "{% if (m.role == 'user') != (ns.turn % 2 == 0) %}{{ raise_exception('Roles must alternate.') }}{% endif %}{% set ns.turn = ns.turn + 1 %}{% endfor %}";
  const TURNS =
    "{% for m in turns %}{% if m.role == 'user' %}{{ ask(m, loop.last) }}{% elif m.tool_calls %}" +
    "{% for call in m.tool_calls %}{{ '[TOOL_CALLS]' + call.function.name }}{{ call.function.arguments | tojson }}{% endfor %}</s>" +
    "{% elif m.role == 'tool' %}{{ '[TOOL_RESULTS]' + m.content }}{% else %}{{ m.content + '</s>' }}{% endif %}{% endfor %}";
  const SPLIT =
    "{% if messages[0].role == 'system' %}{% set system = messages[0].content %}{% set messages = messages[1:] %}{% endif %}" +
    `${STRICT}{% set turns = messages %}`;
  /** As Mistral Small 3.2: it has a place of its own. Beside a call no text is written. */
  const IN_FRONT =
    `{% macro ask(m, last) %}[INST]{{ m.content }}[/INST]{% endmacro %}${SPLIT}` +
    `{% if system %}[SYS]{{ system }}[/SYS]{% endif %}{% if tools %}{{ tools | tojson }}{% endif %}${TURNS}`;
  /** As Mistral Nemo: it stands in the question that ends the prompt. */
  const IN_QUESTION =
    `${SPLIT}{% if tools %}{{ tools | tojson }}{% endif %}` +
    "{% macro ask(m, last) %}[INST]{{ system + '\n\n' if last and system }}{{ m.content }}[/INST]{% endmacro %}" +
    TURNS;
  const system: Message = { role: 'system', content: [{ type: 'text', text: 'Be kind.' }] };
  const call = (id: string): { id: string; name: string; arguments: string } => ({ id, name: 'now', arguments: '{}' });
  const result = (toolCallId: string, text: string): Message => ({
    role: 'tool',
    toolCallId,
    content: [{ type: 'text', text }],
  });
  const response = (text: string): string => `<tool_response>\n${text}\n</tool_response>`;
  const now = [{ name: 'now', parameters: { type: 'object', properties: {} } }];
  const rendered = (template: string, ...turns: Message[]): string =>
    prompt(template, [system, ...turns], now).replace(/^(.*?)\[\{"type".*?\}\]/, '$1');

  const wordsAndCalls = [
    user('One?'),
    answer('I look.', { toolCalls: [call('a'), call('b')] }),
    result('a', 'Noon.'),
    result('b', 'Night.'),
    answer('Both.'),
    user('Bye.'),
  ];
  const written = `[INST]One?[/INST]I look.\n[TOOL_CALLS]now[ARGS]{}[TOOL_CALLS]now[ARGS]{}</s>[INST]${response('Noon.')}\n\n${response('Night.')}[/INST]Both.</s>`;
  const cases: [string, string, Message[], string][] = [
    [
      'in front, where words and calls are written out',
      IN_FRONT,
      wordsAndCalls,
      `[SYS]Be kind.[/SYS]${written}[INST]Bye.[/INST]`,
    ],
    [
      'in the question, where words and calls are written out',
      IN_QUESTION,
      wordsAndCalls,
      `${written}[INST]Be kind.\n\nBye.[/INST]`,
    ],
    [
      'in front, where one asks twice',
      IN_FRONT,
      [user('One?'), user('Two?')],
      '[SYS]Be kind.[/SYS][INST]One?\n\nTwo?[/INST]',
    ],
    [
      'in the last question also behind its call',
      IN_QUESTION,
      [user('One?'), answer('Yes.'), user('Two?'), answer('', { toolCalls: [call('a')] }), result('a', 'Noon.')],
      '[INST]One?[/INST]Yes.</s>[INST]Be kind.\n\nTwo?[/INST][TOOL_CALLS]now{}</s>[TOOL_RESULTS]Noon.',
    ],
  ];

  it.each(cases)('stands %s', (_, template, turns, expected) => {
    expect(rendered(template, ...turns)).toBe(expected);
  });
});

describe('who speaks', () => {
  const WRITTEN = "{{ '[' + m.role + (' ' + m.name if m.name else '') + ']' + m.content }}";
  const NAMES = `{% for m in messages %}${WRITTEN}{% endfor %}`;
  const ALTERNATING =
    "{% for m in messages %}{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}" +
    `{{ raise_exception('Roles must alternate.') }}{% endif %}${WRITTEN}{% endfor %}`;
  const said = (text: string, name: string): Message => ({ role: 'user', name, content: [{ type: 'text', text }] });

  it('reaches a template that writes names', () => {
    const rules: Message = { role: 'system', name: 'rules', content: [{ type: 'text', text: 'Be brief.' }] };
    const messages = [rules, said('Hi.', 'Ada'), answer('Hello.', { name: 'Bo' }), user('Bye.')];
    expect(prompt(NAMES, messages)).toBe('[system rules]Be brief.[user Ada]Hi.[assistant Bo]Hello.[user]Bye.');
    const plain = "{% for m in messages %}{{ '[' + m.role + ']' + m.content }}{% endfor %}";
    expect(prompt(plain, messages)).toBe('[system]Be brief.[user]Hi.[assistant]Hello.[user]Bye.');
  });

  it('stays with a turn that was made of several only where all were theirs', () => {
    const all = (...names: string[]) => names.map((name, index) => said(`${index}.`, name));
    expect(prompt(ALTERNATING, all('Ada', 'Ada'))).toBe('[user Ada]0.\n\n1.');
    expect(prompt(ALTERNATING, all('Ada', 'Bo', 'Ada'))).toBe('[user]0.\n\n1.\n\n2.');
    expect(prompt(ALTERNATING, [user('0.'), ...all('Ada')])).toBe('[user]0.\n\n0.');
  });
});
