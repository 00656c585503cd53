/** Outputs in the syntax of this family, and what they mean. @module */
import type { FamilyExamples } from '../family-examples.js';

export const EXAMPLES: FamilyExamples = {
  formats: { toolFormat: 'llama3', reasoningFormat: 'think-tags' },
  examples: [
    {
      name: 'a plain answer',
      output: 'It holds that a < b, see [1] and {x}.\n\nEven “quoted”.',
      text: 'It holds that a < b, see [1] and {x}.\n\nEven “quoted”.',
    },
    {
      name: 'one call',
      output: '{"name": "get_weather", "parameters": {"city": "Paris"}}',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a boolean, a number and null',
      output: '{"name": "set_light", "parameters": {"on": true, "level": 0.5, "color": null}}',
      calls: [['set_light', { on: true, level: 0.5, color: null }]],
    },
    {
      name: 'an object in an object',
      output: '{"name": "book", "parameters": {"guest": {"name": "Ann", "age": 41, "tags": ["vip", 2]}, "nights": 3}}',
      calls: [['book', { guest: { name: 'Ann', age: 41, tags: ['vip', 2] }, nights: 3 }]],
    },
    {
      name: 'signs of the syntax in a string',
      output:
        '{"name": "search", "parameters": {"query": "a \\"quoted\\" word, C:\\\\dir and {braces} [1]", "limit": 10}}',
      calls: [['search', { query: 'a "quoted" word, C:\\dir and {braces} [1]', limit: 10 }]],
    },
    {
      name: 'code with line ends and indents',
      output:
        '{"name": "write_file", "parameters": {"path": "a/b.py", "content": "def f(x):\\n    if x < 3:\\n        return \\"<b>\\"\\n    return x\\n"}}',
      calls: [
        ['write_file', { path: 'a/b.py', content: 'def f(x):\n    if x < 3:\n        return "<b>"\n    return x\n' }],
      ],
    },
    {
      name: 'characters of other scripts, and a list',
      output: '{"name": "search", "parameters": {"query": "Ä, 你好 and 😀", "tags": ["x", "y"]}}',
      calls: [['search', { query: 'Ä, 你好 and 😀', tags: ['x', 'y'] }]],
    },
    { name: 'no arguments', output: '{"name": "now", "parameters": {}}', calls: [['now', {}]] },
    {
      name: 'two calls',
      output:
        '{"name": "get_weather", "parameters": {"city": "Paris"}}; {"name": "get_weather", "parameters": {"city": "Oslo", "days": 2}}',
      calls: [
        ['get_weather', { city: 'Paris' }],
        ['get_weather', { city: 'Oslo', days: 2 }],
      ],
    },
    {
      name: 'three calls of different functions',
      output:
        '{"name": "now", "parameters": {}}; {"name": "search", "parameters": {"query": "a \\"quoted\\" word, C:\\\\dir and {braces} [1]", "limit": 10}}; {"name": "set_light", "parameters": {"on": true, "level": 0.5, "color": null}}',
      calls: [
        ['now', {}],
        ['search', { query: 'a "quoted" word, C:\\dir and {braces} [1]', limit: 10 }],
        ['set_light', { on: true, level: 0.5, color: null }],
      ],
    },
    {
      name: 'a string that looks like a number',
      output: '{"name": "get_weather", "parameters": {"city": "007"}}',
      calls: [['get_weather', { city: '007' }]],
    },
    {
      name: 'a call, then text',
      output: '{"name": "get_weather", "parameters": {"city": "Paris"}}\nDone.',
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
        '<think>\nI need the weather.\nIn Paris.\n</think>\n\n{"name": "get_weather", "parameters": {"city": "Paris"}}',
      reasoning: 'I need the weather.\nIn Paris.',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'with the tag',
      output: '<|python_tag|>{"name": "get_weather", "parameters": {"city": "Paris"}}',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'type first',
      output: '{"type": "function", "name": "get_weather", "parameters": {"city": "Paris"}}',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    { name: 'JSON that is no call', output: '{"answer": 42}', text: '{"answer": 42}' },
  ],
};
