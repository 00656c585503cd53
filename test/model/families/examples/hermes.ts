/** Outputs in the syntax of this family, and what they mean. @module */
import type { FamilyExamples } from '../family-examples.js';

export const EXAMPLES: FamilyExamples = {
  formats: { toolFormat: 'hermes', reasoningFormat: 'think-tags' },
  examples: [
    {
      name: 'a plain answer',
      output: 'It holds that a < b, see [1] and {x}.\n\nEven “quoted”.',
      text: 'It holds that a < b, see [1] and {x}.\n\nEven “quoted”.',
    },
    {
      name: 'one call',
      output: '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a boolean, a number and null',
      output:
        '<tool_call>\n{"name": "set_light", "arguments": {"on": true, "level": 0.5, "color": null}}\n</tool_call>',
      calls: [['set_light', { on: true, level: 0.5, color: null }]],
    },
    {
      name: 'an object in an object',
      output:
        '<tool_call>\n{"name": "book", "arguments": {"guest": {"name": "Ann", "age": 41, "tags": ["vip", 2]}, "nights": 3}}\n</tool_call>',
      calls: [['book', { guest: { name: 'Ann', age: 41, tags: ['vip', 2] }, nights: 3 }]],
    },
    {
      name: 'signs of the syntax in a string',
      output:
        '<tool_call>\n{"name": "search", "arguments": {"query": "a \\"quoted\\" word, C:\\\\dir and {braces} [1]", "limit": 10}}\n</tool_call>',
      calls: [['search', { query: 'a "quoted" word, C:\\dir and {braces} [1]', limit: 10 }]],
    },
    {
      name: 'code with line ends and indents',
      output:
        '<tool_call>\n{"name": "write_file", "arguments": {"path": "a/b.py", "content": "def f(x):\\n    if x < 3:\\n        return \\"<b>\\"\\n    return x\\n"}}\n</tool_call>',
      calls: [
        ['write_file', { path: 'a/b.py', content: 'def f(x):\n    if x < 3:\n        return "<b>"\n    return x\n' }],
      ],
    },
    {
      name: 'characters of other scripts, and a list',
      output:
        '<tool_call>\n{"name": "search", "arguments": {"query": "Ä, 你好 and 😀", "tags": ["x", "y"]}}\n</tool_call>',
      calls: [['search', { query: 'Ä, 你好 and 😀', tags: ['x', 'y'] }]],
    },
    {
      name: 'no arguments',
      output: '<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>',
      calls: [['now', {}]],
    },
    {
      name: 'two calls',
      output:
        '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo", "days": 2}}\n</tool_call>',
      calls: [
        ['get_weather', { city: 'Paris' }],
        ['get_weather', { city: 'Oslo', days: 2 }],
      ],
    },
    {
      name: 'three calls of different functions',
      output:
        '<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>\n<tool_call>\n{"name": "search", "arguments": {"query": "a \\"quoted\\" word, C:\\\\dir and {braces} [1]", "limit": 10}}\n</tool_call>\n<tool_call>\n{"name": "set_light", "arguments": {"on": true, "level": 0.5, "color": null}}\n</tool_call>',
      calls: [
        ['now', {}],
        ['search', { query: 'a "quoted" word, C:\\dir and {braces} [1]', limit: 10 }],
        ['set_light', { on: true, level: 0.5, color: null }],
      ],
    },
    {
      name: 'a string that looks like a number',
      output: '<tool_call>\n{"name": "get_weather", "arguments": {"city": "007"}}\n</tool_call>',
      calls: [['get_weather', { city: '007' }]],
    },
    {
      name: 'text, then a call',
      output:
        'Let me look that up.\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>',
      text: 'Let me look that up.',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a call, then text',
      output: '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>\nDone.',
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
        '<think>\nI need the weather.\nIn Paris.\n</think>\n\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>',
      reasoning: 'I need the weather.\nIn Paris.',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a thought, text and two calls',
      output:
        '<think>\nBoth.\n</think>\n\nOne moment.\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>\n<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>',
      text: 'One moment.',
      reasoning: 'Both.',
      calls: [
        ['get_weather', { city: 'Paris' }],
        ['now', {}],
      ],
    },
    {
      name: 'arguments before the name',
      output: '<tool_call>\n{"arguments": {"city": "Paris"}, "name": "get_weather"}\n</tool_call>',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a call in OpenAI’s shape',
      output:
        '<tool_call>\n{"type": "function", "function": {"name": "get_weather", "arguments": {"city": "Paris"}}}\n</tool_call>',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'no line ends',
      output: '<tool_call>{"name": "get_weather", "arguments": {"city": "Paris"}}</tool_call>',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'no closing tag',
      output: '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a list in the tags (Granite 3.1)',
      output: '<tool_call>[{"name": "get_weather", "arguments": {"city": "Paris"}}]</tool_call>',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'fenced JSON in the tags',
      output: '<tool_call>\n```json\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n```\n</tool_call>',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'function XML in the tags',
      output: '<tool_call>\n<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n</function>\n</tool_call>',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'arguments as a string of JSON',
      output: '<tool_call>\n{"name": "get_weather", "arguments": "{\\"city\\": \\"Paris\\"}"}\n</tool_call>',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    { name: 'tags in prose', output: 'Use <tool_call> and </tool_call>.', text: 'Use <tool_call> and </tool_call>.' },
    {
      name: 'no tags at all, of a known function',
      output: '{"name": "get_weather", "arguments": {"city": "Paris"}}',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'no tags but a fence',
      output: '```json\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n```',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'JSON that calls no known function',
      output: '{"name": "Ann", "arguments": {"city": "Paris"}}',
      text: '{"name": "Ann", "arguments": {"city": "Paris"}}',
    },
    { name: 'JSON that is data', output: '{"city": "Paris", "days": 2}', text: '{"city": "Paris", "days": 2}' },
    { name: 'a fenced answer', output: '```json\n{"city": "Paris"}\n```', text: '```json\n{"city": "Paris"}\n```' },
    {
      name: 'arguments behind the tag of a function',
      output: '<function=get_weather>{"city": "Paris"}</function>',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'in a quoted function',
      output: '<function name="get_weather">\n{"city": "Paris"}\n</function>',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'elements in a quoted function (MiniCPM 5)',
      output: '<function name="get_weather"><param name="city">Paris</param><param name="days">2</param></function>',
      calls: [['get_weather', { city: 'Paris', days: 2 }]],
    },
  ],
};
