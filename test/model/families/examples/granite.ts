/** Outputs in the syntax of this family, and what they mean. @module */
import type { FamilyExamples } from '../family-examples.js';

export const EXAMPLES: FamilyExamples = {
  formats: { toolFormat: 'granite', reasoningFormat: 'granite' },
  examples: [
    {
      name: 'a plain answer',
      output: 'It holds that a < b, see [1] and {x}.\n\nEven “quoted”.',
      text: 'It holds that a < b, see [1] and {x}.\n\nEven “quoted”.',
    },
    {
      name: 'one call',
      output: '<|tool_call|>[{"name": "get_weather", "arguments": {"city": "Paris"}}]',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a boolean, a number and null',
      output: '<|tool_call|>[{"name": "set_light", "arguments": {"on": true, "level": 0.5, "color": null}}]',
      calls: [['set_light', { on: true, level: 0.5, color: null }]],
    },
    {
      name: 'an object in an object',
      output:
        '<|tool_call|>[{"name": "book", "arguments": {"guest": {"name": "Ann", "age": 41, "tags": ["vip", 2]}, "nights": 3}}]',
      calls: [['book', { guest: { name: 'Ann', age: 41, tags: ['vip', 2] }, nights: 3 }]],
    },
    {
      name: 'signs of the syntax in a string',
      output:
        '<|tool_call|>[{"name": "search", "arguments": {"query": "a \\"quoted\\" word, C:\\\\dir and {braces} [1]", "limit": 10}}]',
      calls: [['search', { query: 'a "quoted" word, C:\\dir and {braces} [1]', limit: 10 }]],
    },
    {
      name: 'code with line ends and indents',
      output:
        '<|tool_call|>[{"name": "write_file", "arguments": {"path": "a/b.py", "content": "def f(x):\\n    if x < 3:\\n        return \\"<b>\\"\\n    return x\\n"}}]',
      calls: [
        ['write_file', { path: 'a/b.py', content: 'def f(x):\n    if x < 3:\n        return "<b>"\n    return x\n' }],
      ],
    },
    {
      name: 'characters of other scripts, and a list',
      output: '<|tool_call|>[{"name": "search", "arguments": {"query": "Ä, 你好 and 😀", "tags": ["x", "y"]}}]',
      calls: [['search', { query: 'Ä, 你好 and 😀', tags: ['x', 'y'] }]],
    },
    { name: 'no arguments', output: '<|tool_call|>[{"name": "now", "arguments": {}}]', calls: [['now', {}]] },
    {
      name: 'two calls',
      output:
        '<|tool_call|>[{"name": "get_weather", "arguments": {"city": "Paris"}}, {"name": "get_weather", "arguments": {"city": "Oslo", "days": 2}}]',
      calls: [
        ['get_weather', { city: 'Paris' }],
        ['get_weather', { city: 'Oslo', days: 2 }],
      ],
    },
    {
      name: 'three calls of different functions',
      output:
        '<|tool_call|>[{"name": "now", "arguments": {}}, {"name": "search", "arguments": {"query": "a \\"quoted\\" word, C:\\\\dir and {braces} [1]", "limit": 10}}, {"name": "set_light", "arguments": {"on": true, "level": 0.5, "color": null}}]',
      calls: [
        ['now', {}],
        ['search', { query: 'a "quoted" word, C:\\dir and {braces} [1]', limit: 10 }],
        ['set_light', { on: true, level: 0.5, color: null }],
      ],
    },
    {
      name: 'a string that looks like a number',
      output: '<|tool_call|>[{"name": "get_weather", "arguments": {"city": "007"}}]',
      calls: [['get_weather', { city: '007' }]],
    },
    {
      name: 'text, then a call',
      output: 'Let me look that up.\n<|tool_call|>[{"name": "get_weather", "arguments": {"city": "Paris"}}]',
      text: 'Let me look that up.',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a call, then text',
      output: '<|tool_call|>[{"name": "get_weather", "arguments": {"city": "Paris"}}]\nDone.',
      text: 'Done.',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a thought, then text',
      output: 'Here is my thought process: Two and two, so <four>.\n\nHere is my response: Four.',
      text: 'Four.',
      reasoning: 'Two and two, so <four>.',
    },
    {
      name: 'a thought, then a call',
      output:
        'Here is my thought process: I need the weather.\nIn Paris.\n\nHere is my response: <|tool_call|>[{"name": "get_weather", "arguments": {"city": "Paris"}}]',
      reasoning: 'I need the weather.\nIn Paris.',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a thought, text and two calls',
      output:
        'Here is my thought process: Both.\n\nHere is my response: One moment.\n<|tool_call|>[{"name": "get_weather", "arguments": {"city": "Paris"}}, {"name": "now", "arguments": {}}]',
      text: 'One moment.',
      reasoning: 'Both.',
      calls: [
        ['get_weather', { city: 'Paris' }],
        ['now', {}],
      ],
    },
    {
      name: 'the tag of 3.1',
      output: '<tool_call>[{"name": "get_weather", "arguments": {"city": "Paris"}}]',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'the tag of the 20B model',
      output: '<function_call> {"name": "get_weather", "arguments": {"city": "Paris"}}',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'the other words',
      output: "Here's my thought process: hm\nHere's my response: Yes.",
      text: 'Yes.',
      reasoning: 'hm',
    },
    { name: 'almost the words', output: 'Here is my advice: rest.', text: 'Here is my advice: rest.' },
  ],
};
