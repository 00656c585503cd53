/** Outputs in the syntax of this family, and what they mean. @module */
import type { FamilyExamples } from '../family-examples.js';

export const EXAMPLES: FamilyExamples = {
  formats: { toolFormat: 'nemotron-mini', reasoningFormat: 'think-tags' },
  examples: [
    {
      name: 'a plain answer',
      output: 'It holds that a < b, see [1] and {x}.\n\nEven “quoted”.',
      text: 'It holds that a < b, see [1] and {x}.\n\nEven “quoted”.',
    },
    {
      name: 'one call',
      output: '<toolcall> {"type": "function", "name": "get_weather", "arguments": {"city": "Paris"}} </toolcall>',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a boolean, a number and null',
      output:
        '<toolcall> {"type": "function", "name": "set_light", "arguments": {"on": true, "level": 0.5, "color": null}} </toolcall>',
      calls: [['set_light', { on: true, level: 0.5, color: null }]],
    },
    {
      name: 'an object in an object',
      output:
        '<toolcall> {"type": "function", "name": "book", "arguments": {"guest": {"name": "Ann", "age": 41, "tags": ["vip", 2]}, "nights": 3}} </toolcall>',
      calls: [['book', { guest: { name: 'Ann', age: 41, tags: ['vip', 2] }, nights: 3 }]],
    },
    {
      name: 'signs of the syntax in a string',
      output:
        '<toolcall> {"type": "function", "name": "search", "arguments": {"query": "a \\"quoted\\" word, C:\\\\dir and {braces} [1]", "limit": 10}} </toolcall>',
      calls: [['search', { query: 'a "quoted" word, C:\\dir and {braces} [1]', limit: 10 }]],
    },
    {
      name: 'code with line ends and indents',
      output:
        '<toolcall> {"type": "function", "name": "write_file", "arguments": {"path": "a/b.py", "content": "def f(x):\\n    if x < 3:\\n        return \\"<b>\\"\\n    return x\\n"}} </toolcall>',
      calls: [
        ['write_file', { path: 'a/b.py', content: 'def f(x):\n    if x < 3:\n        return "<b>"\n    return x\n' }],
      ],
    },
    {
      name: 'characters of other scripts, and a list',
      output:
        '<toolcall> {"type": "function", "name": "search", "arguments": {"query": "Ä, 你好 and 😀", "tags": ["x", "y"]}} </toolcall>',
      calls: [['search', { query: 'Ä, 你好 and 😀', tags: ['x', 'y'] }]],
    },
    {
      name: 'no arguments',
      output: '<toolcall> {"type": "function", "name": "now", "arguments": {}} </toolcall>',
      calls: [['now', {}]],
    },
    {
      name: 'two calls',
      output:
        '<toolcall> {"type": "function", "name": "get_weather", "arguments": {"city": "Paris"}} </toolcall>\n<toolcall> {"type": "function", "name": "get_weather", "arguments": {"city": "Oslo", "days": 2}} </toolcall>',
      calls: [
        ['get_weather', { city: 'Paris' }],
        ['get_weather', { city: 'Oslo', days: 2 }],
      ],
    },
    {
      name: 'three calls of different functions',
      output:
        '<toolcall> {"type": "function", "name": "now", "arguments": {}} </toolcall>\n<toolcall> {"type": "function", "name": "search", "arguments": {"query": "a \\"quoted\\" word, C:\\\\dir and {braces} [1]", "limit": 10}} </toolcall>\n<toolcall> {"type": "function", "name": "set_light", "arguments": {"on": true, "level": 0.5, "color": null}} </toolcall>',
      calls: [
        ['now', {}],
        ['search', { query: 'a "quoted" word, C:\\dir and {braces} [1]', limit: 10 }],
        ['set_light', { on: true, level: 0.5, color: null }],
      ],
    },
    {
      name: 'a string that looks like a number',
      output: '<toolcall> {"type": "function", "name": "get_weather", "arguments": {"city": "007"}} </toolcall>',
      calls: [['get_weather', { city: '007' }]],
    },
    {
      name: 'text, then a call',
      output:
        'Let me look that up.\n<toolcall> {"type": "function", "name": "get_weather", "arguments": {"city": "Paris"}} </toolcall>',
      text: 'Let me look that up.',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a call, then text',
      output:
        '<toolcall> {"type": "function", "name": "get_weather", "arguments": {"city": "Paris"}} </toolcall>\nDone.',
      text: 'Done.',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a thought, then text',
      output: '<think>\nTwo and two, so <four>.\n</think>\n\nFour.',
      text: 'Four.',
      reasoning: 'Two and two, so <four>.',
    },
    {
      name: 'a thought, then a call',
      output:
        '<think>\nI need the weather.\nIn Paris.\n</think>\n\n<toolcall> {"type": "function", "name": "get_weather", "arguments": {"city": "Paris"}} </toolcall>',
      reasoning: 'I need the weather.\nIn Paris.',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a thought, text and two calls',
      output:
        '<think>\nBoth.\n</think>\n\nOne moment.\n<toolcall> {"type": "function", "name": "get_weather", "arguments": {"city": "Paris"}} </toolcall>\n<toolcall> {"type": "function", "name": "now", "arguments": {}} </toolcall>',
      text: 'One moment.',
      reasoning: 'Both.',
      calls: [
        ['get_weather', { city: 'Paris' }],
        ['now', {}],
      ],
    },
  ],
};
