/** Conversations that chat templates must keep every word of. */
import type { ContentPart, Message } from '../../src/core/request/message.js';
import type { Tool } from '../../src/core/request/tool.js';

export interface Conversation {
  name: string;
  messages: Message[];
  tools?: Tool[];
  /** Words that the prompt must hold. Templates may drop earlier thoughts. */
  words: string[];
}

const text = (value: string): ContentPart[] => [{ type: 'text', text: value }];
const system = (value: string): Message => ({ role: 'system', content: text(value) });
const user = (value: string): Message => ({ role: 'user', content: text(value) });
const image: ContentPart = { type: 'image', mediaType: 'image/png', bytes: Uint8Array.of(1) };

function assistant(value: string, more: { reasoning?: string; calls?: [string, string, object][] } = {}): Message {
  const { reasoning, calls = [] } = more;
  const toolCalls = calls.map(([id, name, given]) => ({ id, name, arguments: JSON.stringify(given) }));
  return { role: 'assistant', content: text(value), toolCalls, ...(reasoning !== undefined && { reasoning }) };
}

const result = (toolCallId: string, value: string): Message => ({ role: 'tool', toolCallId, content: text(value) });

/** Arguments that are called like the methods of a dictionary. */
const AWKWARD: Tool = {
  name: 'update_cart',
  description: 'Changes a cart.',
  parameters: {
    type: 'object',
    properties: {
      items: { type: 'array', items: { type: 'string' }, description: 'What to buy' },
      get: { type: 'boolean', description: 'Whether to fetch' },
      keys: { type: 'integer', description: 'How many keys' },
      values: { type: 'object', properties: { pop: { type: 'number' } }, description: 'Prices' },
    },
    required: ['items', 'get'],
  },
};

const WEATHER: Tool = {
  name: 'get_weather',
  description: 'Current weather of a city.',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string', description: 'Its name' }, unit: { type: 'string', enum: ['C', 'F'] } },
    required: ['city'],
  },
};

const TYPED: Tool = {
  name: 'search_notes',
  description: 'Finds notes – “quoted”, <tags> & more.',
  parameters: {
    type: 'object',
    properties: {
      query: { type: ['string', 'null'], description: 'Any text' },
      tags: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } } } },
      limit: { type: 'integer', default: 10, minimum: 1 },
      scope: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
    },
  },
};

const CART = { items: ['apple', 'pear'], get: true, keys: 3, values: { pop: 1.5 } };

export const CONVERSATIONS: readonly Conversation[] = [
  { name: 'question', messages: [user('Which river is this?')], words: ['Which river is this?'] },
  {
    name: 'system, turns',
    messages: [system('Be brief, Anna.'), user('Hallo „Welt“ 😀'), assistant('Servus.'), user('How are you?')],
    words: ['Be brief, Anna.', 'Hallo „Welt“ 😀', 'Servus.', 'How are you?'],
  },
  {
    name: 'tool with awkward names',
    messages: [system('You help.'), user('Buy apples.')],
    tools: [AWKWARD],
    words: ['You help.', 'Buy apples.', 'update_cart', 'Changes a cart.'],
  },
  {
    name: 'call with awkward names',
    messages: [
      user('Buy apples.'),
      assistant('', { calls: [['callabc01', 'update_cart', CART]] }),
      result('callabc01', '{"total": 12.5}'),
    ],
    tools: [AWKWARD, WEATHER],
    words: ['Buy apples.', 'update_cart', 'apple', 'pear', '12.5', 'get_weather'],
  },
  {
    name: 'two calls, answered',
    messages: [
      system('You help.'),
      user('Weather in Rome and Oslo?'),
      assistant('I look.', {
        calls: [
          ['callrome1', 'get_weather', { city: 'Rome' }],
          ['calloslo1', 'get_weather', { city: 'Oslo', unit: 'C' }],
        ],
      }),
      result('callrome1', 'sunny'),
      result('calloslo1', 'snowy'),
      assistant('Sun and snow.'),
      user('Thanks, bye.'),
    ],
    tools: [WEATHER, TYPED],
    words: ['You help.', 'Rome', 'Oslo', 'sunny', 'snowy', 'Sun and snow.', 'Thanks, bye.', 'search_notes'],
  },
  {
    name: 'thoughts',
    messages: [
      user('One plus one?'),
      assistant('It is two.', { reasoning: 'An easy sum.' }),
      user('And weather in Rome?'),
      assistant('', { reasoning: 'I need a tool.', calls: [['callrome1', 'get_weather', { city: 'Rome' }]] }),
      result('callrome1', 'sunny'),
    ],
    tools: [WEATHER, TYPED],
    words: ['One plus one?', 'It is two.', 'And weather in Rome?', 'Rome', 'sunny', 'search_notes'],
  },
  {
    name: 'thoughts in the text',
    messages: [user('One plus one?'), assistant('<think>\nAn easy sum.\n</think>\n\nIt is two.'), user('And three?')],
    words: ['One plus one?', 'It is two.', 'And three?'],
  },
  {
    name: 'image, then text',
    messages: [
      { role: 'user', content: [...text('What is here? '), image] },
      assistant('A bear.'),
      user('Which kind of bear?'),
    ],
    words: ['What is here?', 'A bear.', 'Which kind of bear?'],
  },
  {
    name: 'late system message',
    messages: [
      system('Be brief.'),
      user('First question.'),
      assistant('First answer.'),
      system('Now answer in verse.'),
      user('Second question.'),
    ],
    words: ['Be brief.', 'First question.', 'First answer.', 'Now answer in verse.', 'Second question.'],
  },
  {
    name: 'many types, a result of old',
    messages: [
      system('Line one.\nLine two.'),
      user('Find notes.'),
      assistant('', { calls: [['callnotes', 'search_notes', { query: 'a "b" ü', limit: 2, tags: [{ name: 'x' }] }]] }),
      result('callnotes', '[{"note": "keys"}]'),
      assistant('Here they are.'),
      user('  Spaces around  '),
    ],
    tools: [TYPED, AWKWARD],
    words: ['Line two.', 'Find notes.', 'search_notes', 'Here they are.', 'Spaces around', 'update_cart'],
  },
];
