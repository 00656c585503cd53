/** Outputs in the syntax of this family, and what they mean. @module */
import type { FamilyExamples } from '../family-examples.js';

export const EXAMPLES: FamilyExamples = {
  formats: { toolFormat: 'phi4-mini', reasoningFormat: 'think-tags' },
  examples: [
    {
      name: 'a plain answer',
      output: 'It holds that a < b, see [1] and {x}.\n\nEven “quoted”.',
      text: 'It holds that a < b, see [1] and {x}.\n\nEven “quoted”.',
    },
    {
      name: 'one call',
      output: '<|tool_call|>[{"name": "get_weather", "arguments": {"city": "Paris"}}]<|/tool_call|>',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a boolean, a number and null',
      output:
        '<|tool_call|>[{"name": "set_light", "arguments": {"on": true, "level": 0.5, "color": null}}]<|/tool_call|>',
      calls: [['set_light', { on: true, level: 0.5, color: null }]],
    },
    {
      name: 'an object in an object',
      output:
        '<|tool_call|>[{"name": "book", "arguments": {"guest": {"name": "Ann", "age": 41, "tags": ["vip", 2]}, "nights": 3}}]<|/tool_call|>',
      calls: [['book', { guest: { name: 'Ann', age: 41, tags: ['vip', 2] }, nights: 3 }]],
    },
    {
      name: 'signs of the syntax in a string',
      output:
        '<|tool_call|>[{"name": "search", "arguments": {"query": "a \\"quoted\\" word, C:\\\\dir and {braces} [1]", "limit": 10}}]<|/tool_call|>',
      calls: [['search', { query: 'a "quoted" word, C:\\dir and {braces} [1]', limit: 10 }]],
    },
    {
      name: 'code with line ends and indents',
      output:
        '<|tool_call|>[{"name": "write_file", "arguments": {"path": "a/b.py", "content": "def f(x):\\n    if x < 3:\\n        return \\"<b>\\"\\n    return x\\n"}}]<|/tool_call|>',
      calls: [
        ['write_file', { path: 'a/b.py', content: 'def f(x):\n    if x < 3:\n        return "<b>"\n    return x\n' }],
      ],
    },
    {
      name: 'characters of other scripts, and a list',
      output:
        '<|tool_call|>[{"name": "search", "arguments": {"query": "Ä, 你好 and 😀", "tags": ["x", "y"]}}]<|/tool_call|>',
      calls: [['search', { query: 'Ä, 你好 and 😀', tags: ['x', 'y'] }]],
    },
    {
      name: 'no arguments',
      output: '<|tool_call|>[{"name": "now", "arguments": {}}]<|/tool_call|>',
      calls: [['now', {}]],
    },
    {
      name: 'two calls',
      output:
        '<|tool_call|>[{"name": "get_weather", "arguments": {"city": "Paris"}}, {"name": "get_weather", "arguments": {"city": "Oslo", "days": 2}}]<|/tool_call|>',
      calls: [
        ['get_weather', { city: 'Paris' }],
        ['get_weather', { city: 'Oslo', days: 2 }],
      ],
    },
    {
      name: 'three calls of different functions',
      output:
        '<|tool_call|>[{"name": "now", "arguments": {}}, {"name": "search", "arguments": {"query": "a \\"quoted\\" word, C:\\\\dir and {braces} [1]", "limit": 10}}, {"name": "set_light", "arguments": {"on": true, "level": 0.5, "color": null}}]<|/tool_call|>',
      calls: [
        ['now', {}],
        ['search', { query: 'a "quoted" word, C:\\dir and {braces} [1]', limit: 10 }],
        ['set_light', { on: true, level: 0.5, color: null }],
      ],
    },
    {
      name: 'a string that looks like a number',
      output: '<|tool_call|>[{"name": "get_weather", "arguments": {"city": "007"}}]<|/tool_call|>',
      calls: [['get_weather', { city: '007' }]],
    },
    {
      name: 'text, then a call',
      output:
        'Let me look that up.\n<|tool_call|>[{"name": "get_weather", "arguments": {"city": "Paris"}}]<|/tool_call|>',
      text: 'Let me look that up.',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a call, then text',
      output: '<|tool_call|>[{"name": "get_weather", "arguments": {"city": "Paris"}}]<|/tool_call|>\nDone.',
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
        '<think>\nI need the weather.\nIn Paris.\n</think>\n\n<|tool_call|>[{"name": "get_weather", "arguments": {"city": "Paris"}}]<|/tool_call|>',
      reasoning: 'I need the weather.\nIn Paris.',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a thought, text and two calls',
      output:
        '<think>\nBoth.\n</think>\n\nOne moment.\n<|tool_call|>[{"name": "get_weather", "arguments": {"city": "Paris"}}, {"name": "now", "arguments": {}}]<|/tool_call|>',
      text: 'One moment.',
      reasoning: 'Both.',
      calls: [
        ['get_weather', { city: 'Paris' }],
        ['now', {}],
      ],
    },
    {
      name: 'functools',
      output: 'functools[{"name": "get_weather", "arguments": {"city": "Paris"}}]',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'parameters for arguments',
      output: '<|tool_call|>[{"name": "get_weather", "parameters": {"city": "Paris"}}]<|/tool_call|>',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'one object without a list',
      output: '<|tool_call|>{"name": "get_weather", "arguments": {"city": "Paris"}}<|/tool_call|>',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    { name: 'the word in prose', output: 'Use functools in Python.', text: 'Use functools in Python.' },
  ],
};
