/** What the examples of the families mean, and the tools that they call. @module */
import type { Tool } from '../../../../src/core/request/tool.js';

/** What an output means. What is absent is empty. */
export interface Meaning {
  text?: string;
  reasoning?: string;
  /** Names and arguments of complete calls. */
  calls?: readonly (readonly [name: string, given: object])[];
  /** The call that was cut, and the JSON of its arguments as far as it is certain. */
  open?: readonly [name: string, given: string];
}

/** What every family says in its own syntax, as far as it can. */
export const MEANINGS: Readonly<Record<string, Meaning>> = {
  'a plain answer': { text: 'It holds that a < b, see [1] and {x}.\n\nEven “quoted”.' },
  'one call': { calls: [['get_weather', { city: 'Paris' }]] },
  'a boolean, a number and null': { calls: [['set_light', { on: true, level: 0.5, color: null }]] },
  'an object in an object': { calls: [['book', { guest: { name: 'Ann', age: 41, tags: ['vip', 2] }, nights: 3 }]] },
  'signs of the syntax in a string': {
    calls: [['search', { query: 'a "quoted" word, C:\\dir and {braces} [1]', limit: 10 }]],
  },
  'code with line ends and indents': {
    calls: [
      ['write_file', { path: 'a/b.py', content: 'def f(x):\n    if x < 3:\n        return "<b>"\n    return x\n' }],
    ],
  },
  'characters of other scripts, and a list': { calls: [['search', { query: 'Ä, 你好 and 😀', tags: ['x', 'y'] }]] },
  'no arguments': { calls: [['now', {}]] },
  'two calls': {
    calls: [
      ['get_weather', { city: 'Paris' }],
      ['get_weather', { city: 'Oslo', days: 2 }],
    ],
  },
  'three calls of different functions': {
    calls: [
      ['now', {}],
      ['search', { query: 'a "quoted" word, C:\\dir and {braces} [1]', limit: 10 }],
      ['set_light', { on: true, level: 0.5, color: null }],
    ],
  },
  'a string that looks like a number': { calls: [['get_weather', { city: '007' }]] },
  'text, then a call': { text: 'Let me look that up.', calls: [['get_weather', { city: 'Paris' }]] },
  'a call, then text': { text: 'Done.', calls: [['get_weather', { city: 'Paris' }]] },
  'a thought, then text': { text: 'Four.', reasoning: 'Two and two, so <four>.' },
  'a thought, then a call': {
    reasoning: 'I need the weather.\nIn Paris.',
    calls: [['get_weather', { city: 'Paris' }]],
  },
  'a thought, text and two calls': {
    text: 'One moment.',
    reasoning: 'Both.',
    calls: [
      ['get_weather', { city: 'Paris' }],
      ['now', {}],
    ],
  },
  'no thought': { text: 'Paris.\n' },
  'a thought of several paragraphs': { text: 'Done.\n\nReally.', reasoning: 'One.\n\nTwo: a < b.' },
  'a thought in another script': { text: '答案是42。', reasoning: '我在思考。' },
};

/** The tools that the examples call. */
export const EXAMPLE_TOOLS: readonly Tool[] = [
  {
    name: 'get_weather',
    description: 'Tells the weather.',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 1, maximum: 14 } },
      required: ['city'],
    },
  },
  {
    name: 'search',
    description: 'Searches.',
    parameters: {
      type: 'object',
      properties: {
        query: { type: 'string' },
        limit: { type: ['integer', 'null'] },
        tags: { type: 'array', items: { type: 'string' } },
      },
      required: ['query'],
    },
  },
  {
    name: 'write_file',
    parameters: {
      type: 'object',
      properties: { path: { type: 'string' }, content: { type: 'string' } },
      required: ['path', 'content'],
    },
  },
  {
    name: 'set_light',
    parameters: {
      type: 'object',
      properties: {
        on: { type: 'boolean' },
        level: { type: 'number', minimum: 0, maximum: 1 },
        color: { enum: ['red', 'blue', null] },
      },
      required: ['on'],
    },
  },
  {
    name: 'book',
    parameters: {
      type: 'object',
      properties: {
        guest: {
          type: 'object',
          properties: { name: { type: 'string', maxLength: 20 }, age: { type: 'integer' }, tags: { type: 'array' } },
          required: ['name'],
        },
        nights: { type: 'integer' },
      },
      required: ['guest'],
    },
  },
  { name: 'now' },
];
