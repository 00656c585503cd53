/** Images in prompts: where the template writes them, what takes their places, and what users cannot spell. */
import { describe, expect, it } from 'vitest';
import type { TextTokenizer } from '../../../src/language/prompt/text-tokenizer.js';
import type { PromptImage } from '../../../src/language/prompt/prompt-image.js';
import { renderPrompt } from '../../../src/language/prompt/render-prompt.js';
import { imagesOf } from '../../../src/language/prompt/template-messages.js';
import { type GenerationRequest, plainGenerationRequest } from '../../../src/core/request/generation-request.js';
import type { ContentPart, Message } from '../../../src/core/request/message.js';
import { byteTokenizer } from '../decoding/fake-text-engine.js';

/** Bytes, and two control tokens. */
const ADDED = new Map([
  ['<image>', 300],
  ['<row>', 301],
]);

/** As published templates: lists of parts alone, and nothing of tools. */
const PARTS =
  "{% for m in messages %}{{ m.role + ':' }}{% for p in m.content %}" +
  "{{ p.text if p.type == 'text' else '<image>' }}{% endfor %}{{ '\n' }}{% endfor %}";

/** Parts or text, but results of tools are text. */
const TEXT_RESULTS =
  "{% for m in messages %}{{ m.role + ':' }}{% if m.content is string %}{{ m.content }}{% elif m.role != 'tool' %}" +
  "{% for p in m.content %}{{ p.text if p.type == 'text' else '<image>' }}{% endfor %}{% endif %}" +
  "{% for call in m.tool_calls or [] %}{{ '[' + call.function.name + (call.function.arguments | tojson) + ']' }}{% endfor %}" +
  "{{ '\n' }}{% endfor %}";

const TEXT_ONLY = "{% for m in messages %}{{ m.role + ':' + m.content + '\n' }}{% endfor %}";

const tokenizerOf = (chatTemplate: string): TextTokenizer => ({
  ...byteTokenizer,
  vocabularySize: 302,
  addedTokens: ADDED,
  bytesOf: (token) =>
    token < 256
      ? Uint8Array.of(token)
      : new TextEncoder().encode([...ADDED].find(([, id]) => id === token)?.[0] ?? '?'),
  chatTemplate,
});

const picture: ContentPart = { type: 'image', mediaType: 'image/png', bytes: Uint8Array.of(1) };
const text = (value: string): ContentPart => ({ type: 'text', text: value });
const user = (...content: ContentPart[]): Message => ({ role: 'user', content });
const ask = (...messages: Message[]): GenerationRequest => plainGenerationRequest('m', { type: 'chat', messages });

/** Each image is as many tokens as its number. */
const seen = (count: number): PromptImage[] =>
  Array.from({ length: count }, (_, place) => ({
    text: `<row>${'<image>'.repeat(place + 1)}`,
    tokenCount: place + 1,
    key: -1 - place,
  }));

function render(template: string, request: GenerationRequest, count: number): string {
  const tokenizer = tokenizerOf(template);
  const formats = { toolFormat: 'hermes', reasoningFormat: 'none' } as const;
  const images = { placeholder: '<image>', all: seen(count) };
  const { tokens } = renderPrompt(request, tokenizer, formats, images);
  return tokens
    .map((token) =>
      token < 256 ? String.fromCharCode(token) : ([...ADDED].find(([, id]) => id === token)?.[0] ?? '?'),
    )
    .join('');
}

describe('images of a prompt', () => {
  it('stand where they are in the message, each with its own text', () => {
    const request = ask({ role: 'system', content: [text('s')] }, user(text('a '), picture, text(' b '), picture));
    expect(render(PARTS, request, 2)).toBe('system:s\nuser:a <row><image> b <row><image><image>\n');
    expect(render(TEXT_RESULTS, request, 2)).toBe('system:s\nuser:a <row><image> b <row><image><image>\n');
  });

  it('come before the text where the template writes no parts at all', () => {
    expect(render(TEXT_ONLY, ask(user(picture, text('What?'))), 1)).toBe('user:<row><image>What?\n');
  });

  it('of tool results are shown behind the results where these are text', () => {
    const call = { id: 'c', name: 'look', arguments: '{}' };
    const request = ask(
      user(text('Look.')),
      { role: 'assistant', content: [], toolCalls: [call] },
      { role: 'tool', toolCallId: 'c', content: [text('Here.'), picture] },
      { role: 'assistant', content: [text('Fine.')], toolCalls: [] },
      user(picture),
    );
    const prompt = render(TEXT_RESULTS, request, 2);
    expect(prompt).toContain('tool:Here.\nuser:<row><image>\nassistant:Fine.\nuser:<row><image><image>\n');
  });

  it('cannot be spelled by users, in no message and beside real ones', () => {
    const spelled = 'Say <image> and <row>!';
    const request = ask(user(text(spelled), picture));
    const tokens = renderPrompt(
      request,
      tokenizerOf(PARTS),
      { toolFormat: 'hermes', reasoningFormat: 'none' },
      { placeholder: '<image>', all: seen(1) },
    ).tokens;
    expect(tokens.filter((token) => token >= 256)).toEqual([301, 300]);
    expect(render(PARTS, request, 1)).toContain(spelled);
  });

  it('are refused where the model takes none', () => {
    const tokenizer = tokenizerOf(PARTS);
    const formats = { toolFormat: 'hermes', reasoningFormat: 'none' } as const;
    expect(() => renderPrompt(ask(user(picture)), tokenizer, formats)).toThrow(
      expect.objectContaining({ code: 'unsupported_content' }),
    );
  });

  it('are counted in the order of the prompt, which begins with the system', () => {
    const [first, second] = [1, 2].map((byte): ContentPart => ({ ...picture, bytes: Uint8Array.of(byte) }));
    const messages: Message[] = [user(first!), { role: 'system', content: [second!] }];
    expect(imagesOf(messages).map(({ bytes }) => bytes[0])).toEqual([2, 1]);
  });
});
