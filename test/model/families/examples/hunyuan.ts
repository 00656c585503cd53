/** Outputs in the syntax of this family, and what they mean. @module */
import type { FamilyExamples } from '../family-examples.js';

export const EXAMPLES: FamilyExamples = {
  formats: { toolFormat: 'hunyuan', reasoningFormat: 'hunyuan' },
  examples: [
    {
      name: 'a plain answer',
      output: 'It holds that a < b, see [1] and {x}.\n\nEven “quoted”.',
      text: 'It holds that a < b, see [1] and {x}.\n\nEven “quoted”.',
    },
    {
      name: 'one call',
      output: '<tool_calls>[{"name": "get_weather", "arguments": {"city": "Paris"}}]</tool_calls>',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a boolean, a number and null',
      output:
        '<tool_calls>[{"name": "set_light", "arguments": {"on": true, "level": 0.5, "color": null}}]</tool_calls>',
      calls: [['set_light', { on: true, level: 0.5, color: null }]],
    },
    {
      name: 'an object in an object',
      output:
        '<tool_calls>[{"name": "book", "arguments": {"guest": {"name": "Ann", "age": 41, "tags": ["vip", 2]}, "nights": 3}}]</tool_calls>',
      calls: [['book', { guest: { name: 'Ann', age: 41, tags: ['vip', 2] }, nights: 3 }]],
    },
    {
      name: 'signs of the syntax in a string',
      output:
        '<tool_calls>[{"name": "search", "arguments": {"query": "a \\"quoted\\" word, C:\\\\dir and {braces} [1]", "limit": 10}}]</tool_calls>',
      calls: [['search', { query: 'a "quoted" word, C:\\dir and {braces} [1]', limit: 10 }]],
    },
    {
      name: 'code with line ends and indents',
      output:
        '<tool_calls>[{"name": "write_file", "arguments": {"path": "a/b.py", "content": "def f(x):\\n    if x < 3:\\n        return \\"<b>\\"\\n    return x\\n"}}]</tool_calls>',
      calls: [
        ['write_file', { path: 'a/b.py', content: 'def f(x):\n    if x < 3:\n        return "<b>"\n    return x\n' }],
      ],
    },
    {
      name: 'characters of other scripts, and a list',
      output:
        '<tool_calls>[{"name": "search", "arguments": {"query": "Ä, 你好 and 😀", "tags": ["x", "y"]}}]</tool_calls>',
      calls: [['search', { query: 'Ä, 你好 and 😀', tags: ['x', 'y'] }]],
    },
    {
      name: 'no arguments',
      output: '<tool_calls>[{"name": "now", "arguments": {}}]</tool_calls>',
      calls: [['now', {}]],
    },
    {
      name: 'two calls',
      output:
        '<tool_calls>[{"name": "get_weather", "arguments": {"city": "Paris"}}, {"name": "get_weather", "arguments": {"city": "Oslo", "days": 2}}]</tool_calls>',
      calls: [
        ['get_weather', { city: 'Paris' }],
        ['get_weather', { city: 'Oslo', days: 2 }],
      ],
    },
    {
      name: 'three calls of different functions',
      output:
        '<tool_calls>[{"name": "now", "arguments": {}}, {"name": "search", "arguments": {"query": "a \\"quoted\\" word, C:\\\\dir and {braces} [1]", "limit": 10}}, {"name": "set_light", "arguments": {"on": true, "level": 0.5, "color": null}}]</tool_calls>',
      calls: [
        ['now', {}],
        ['search', { query: 'a "quoted" word, C:\\dir and {braces} [1]', limit: 10 }],
        ['set_light', { on: true, level: 0.5, color: null }],
      ],
    },
    {
      name: 'a string that looks like a number',
      output: '<tool_calls>[{"name": "get_weather", "arguments": {"city": "007"}}]</tool_calls>',
      calls: [['get_weather', { city: '007' }]],
    },
    {
      name: 'text, then a call',
      output:
        'Let me look that up.\n<tool_calls>[{"name": "get_weather", "arguments": {"city": "Paris"}}]</tool_calls>',
      text: 'Let me look that up.',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a call, then text',
      output: '<tool_calls>[{"name": "get_weather", "arguments": {"city": "Paris"}}]</tool_calls>\nDone.',
      text: 'Done.',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a thought, then text',
      output: '<think>\nTwo and two, so <four>.\n</think>\nFour.',
      text: 'Four.',
      reasoning: 'Two and two, so <four>.',
    },
    {
      name: 'a thought, then a call',
      output:
        '<think>\nI need the weather.\nIn Paris.\n</think>\n<tool_calls>[{"name": "get_weather", "arguments": {"city": "Paris"}}]</tool_calls>',
      reasoning: 'I need the weather.\nIn Paris.',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a thought, text and two calls',
      output:
        '<think>\nBoth.\n</think>\nOne moment.\n<tool_calls>[{"name": "get_weather", "arguments": {"city": "Paris"}}, {"name": "now", "arguments": {}}]</tool_calls>',
      text: 'One moment.',
      reasoning: 'Both.',
      calls: [
        ['get_weather', { city: 'Paris' }],
        ['now', {}],
      ],
    },
    {
      name: 'an answer in its tags',
      output: '<think>\nhm\n</think>\n<answer>\nHello.\n</answer>',
      text: 'Hello.',
      reasoning: 'hm',
    },
    { name: 'an empty thought', output: '<think>\n\n</think>\n<answer>\nHello.\n</answer>', text: 'Hello.' },
    { name: 'only an answer', output: '<answer>\nHello.\n</answer>', text: 'Hello.' },
    {
      name: 'an answer, then a call',
      output:
        '<think>\nhm\n</think>\n<answer>\nWait.\n<tool_calls>[{"name": "get_weather", "arguments": {"city": "Paris"}}]</tool_calls>\n</answer>',
      text: 'Wait.',
      reasoning: 'hm',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'fenced JSON behind the name',
      output: '<tool_calls>\n<tool_call>get_weather\n```json\n{"city": "Paris"}\n```\n</tool_call>\n</tool_calls>',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'line ends around the list',
      output: '<tool_calls>\n[\n  {"name": "get_weather", "arguments": {"city": "Paris"}}\n]\n</tool_calls>',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    { name: 'cut inside the answer', output: '<think>\nhm\n</think>\n<answer>\nHel', text: 'Hel', reasoning: 'hm' },
  ],
};
