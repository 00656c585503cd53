/** Outputs in the syntax of this family, and what they mean. @module */
import type { FamilyExamples } from '../family-examples.js';

export const EXAMPLES: FamilyExamples = {
  formats: { toolFormat: 'mistral', reasoningFormat: 'think-brackets' },
  examples: [
    {
      name: 'a plain answer',
      output: 'It holds that a < b, see [1] and {x}.\n\nEven “quoted”.',
      text: 'It holds that a < b, see [1] and {x}.\n\nEven “quoted”.',
    },
    {
      name: 'one call',
      output: '[TOOL_CALLS] [{"name": "get_weather", "arguments": {"city": "Paris"}}]',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a boolean, a number and null',
      output: '[TOOL_CALLS] [{"name": "set_light", "arguments": {"on": true, "level": 0.5, "color": null}}]',
      calls: [['set_light', { on: true, level: 0.5, color: null }]],
    },
    {
      name: 'an object in an object',
      output:
        '[TOOL_CALLS] [{"name": "book", "arguments": {"guest": {"name": "Ann", "age": 41, "tags": ["vip", 2]}, "nights": 3}}]',
      calls: [['book', { guest: { name: 'Ann', age: 41, tags: ['vip', 2] }, nights: 3 }]],
    },
    {
      name: 'signs of the syntax in a string',
      output:
        '[TOOL_CALLS] [{"name": "search", "arguments": {"query": "a \\"quoted\\" word, C:\\\\dir and {braces} [1]", "limit": 10}}]',
      calls: [['search', { query: 'a "quoted" word, C:\\dir and {braces} [1]', limit: 10 }]],
    },
    {
      name: 'code with line ends and indents',
      output:
        '[TOOL_CALLS] [{"name": "write_file", "arguments": {"path": "a/b.py", "content": "def f(x):\\n    if x < 3:\\n        return \\"<b>\\"\\n    return x\\n"}}]',
      calls: [
        ['write_file', { path: 'a/b.py', content: 'def f(x):\n    if x < 3:\n        return "<b>"\n    return x\n' }],
      ],
    },
    {
      name: 'characters of other scripts, and a list',
      output: '[TOOL_CALLS] [{"name": "search", "arguments": {"query": "Ä, 你好 and 😀", "tags": ["x", "y"]}}]',
      calls: [['search', { query: 'Ä, 你好 and 😀', tags: ['x', 'y'] }]],
    },
    { name: 'no arguments', output: '[TOOL_CALLS] [{"name": "now", "arguments": {}}]', calls: [['now', {}]] },
    {
      name: 'two calls',
      output:
        '[TOOL_CALLS] [{"name": "get_weather", "arguments": {"city": "Paris"}}, {"name": "get_weather", "arguments": {"city": "Oslo", "days": 2}}]',
      calls: [
        ['get_weather', { city: 'Paris' }],
        ['get_weather', { city: 'Oslo', days: 2 }],
      ],
    },
    {
      name: 'three calls of different functions',
      output:
        '[TOOL_CALLS] [{"name": "now", "arguments": {}}, {"name": "search", "arguments": {"query": "a \\"quoted\\" word, C:\\\\dir and {braces} [1]", "limit": 10}}, {"name": "set_light", "arguments": {"on": true, "level": 0.5, "color": null}}]',
      calls: [
        ['now', {}],
        ['search', { query: 'a "quoted" word, C:\\dir and {braces} [1]', limit: 10 }],
        ['set_light', { on: true, level: 0.5, color: null }],
      ],
    },
    {
      name: 'a string that looks like a number',
      output: '[TOOL_CALLS] [{"name": "get_weather", "arguments": {"city": "007"}}]',
      calls: [['get_weather', { city: '007' }]],
    },
    {
      name: 'text, then a call',
      output: 'Let me look that up.\n[TOOL_CALLS] [{"name": "get_weather", "arguments": {"city": "Paris"}}]',
      text: 'Let me look that up.',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a call, then text',
      output: '[TOOL_CALLS] [{"name": "get_weather", "arguments": {"city": "Paris"}}]\nDone.',
      text: 'Done.',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a thought, then text',
      output: '[THINK]Two and two, so <four>.[/THINK]Four.',
      text: 'Four.',
      reasoning: 'Two and two, so <four>.',
    },
    {
      name: 'a thought, then a call',
      output:
        '[THINK]I need the weather.\nIn Paris.[/THINK][TOOL_CALLS] [{"name": "get_weather", "arguments": {"city": "Paris"}}]',
      reasoning: 'I need the weather.\nIn Paris.',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a thought, text and two calls',
      output:
        '[THINK]Both.[/THINK]One moment.\n[TOOL_CALLS] [{"name": "get_weather", "arguments": {"city": "Paris"}}, {"name": "now", "arguments": {}}]',
      text: 'One moment.',
      reasoning: 'Both.',
      calls: [
        ['get_weather', { city: 'Paris' }],
        ['now', {}],
      ],
    },
    {
      name: 'the named form',
      output: '[TOOL_CALLS]get_weather[ARGS]{"city": "Paris"}',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'the named form twice',
      output: '[TOOL_CALLS]get_weather[ARGS]{"city": "Paris"}[TOOL_CALLS]now[ARGS]{}',
      calls: [
        ['get_weather', { city: 'Paris' }],
        ['now', {}],
      ],
    },
    {
      name: 'an id between',
      output: '[TOOL_CALLS]get_weather[CALL_ID]abc123xyz[ARGS]{"city": "Paris"}',
      calls: [['get_weather', { city: 'Paris' }]],
    },
  ],
};
