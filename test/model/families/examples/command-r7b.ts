/** Outputs in the syntax of this family, and what they mean. @module */
import type { FamilyExamples } from '../family-examples.js';

export const EXAMPLES: FamilyExamples = {
  formats: { toolFormat: 'command-r7b', reasoningFormat: 'command-r7b' },
  examples: [
    {
      name: 'a plain answer',
      output: 'It holds that a < b, see [1] and {x}.\n\nEven “quoted”.',
      text: 'It holds that a < b, see [1] and {x}.\n\nEven “quoted”.',
    },
    {
      name: 'one call',
      output:
        '<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "get_weather", "parameters": {"city": "Paris"}}]<|END_ACTION|>',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a boolean, a number and null',
      output:
        '<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "set_light", "parameters": {"on": true, "level": 0.5, "color": null}}]<|END_ACTION|>',
      calls: [['set_light', { on: true, level: 0.5, color: null }]],
    },
    {
      name: 'an object in an object',
      output:
        '<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "book", "parameters": {"guest": {"name": "Ann", "age": 41, "tags": ["vip", 2]}, "nights": 3}}]<|END_ACTION|>',
      calls: [['book', { guest: { name: 'Ann', age: 41, tags: ['vip', 2] }, nights: 3 }]],
    },
    {
      name: 'signs of the syntax in a string',
      output:
        '<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "search", "parameters": {"query": "a \\"quoted\\" word, C:\\\\dir and {braces} [1]", "limit": 10}}]<|END_ACTION|>',
      calls: [['search', { query: 'a "quoted" word, C:\\dir and {braces} [1]', limit: 10 }]],
    },
    {
      name: 'code with line ends and indents',
      output:
        '<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "write_file", "parameters": {"path": "a/b.py", "content": "def f(x):\\n    if x < 3:\\n        return \\"<b>\\"\\n    return x\\n"}}]<|END_ACTION|>',
      calls: [
        ['write_file', { path: 'a/b.py', content: 'def f(x):\n    if x < 3:\n        return "<b>"\n    return x\n' }],
      ],
    },
    {
      name: 'characters of other scripts, and a list',
      output:
        '<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "search", "parameters": {"query": "Ä, 你好 and 😀", "tags": ["x", "y"]}}]<|END_ACTION|>',
      calls: [['search', { query: 'Ä, 你好 and 😀', tags: ['x', 'y'] }]],
    },
    {
      name: 'no arguments',
      output: '<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "now", "parameters": {}}]<|END_ACTION|>',
      calls: [['now', {}]],
    },
    {
      name: 'two calls',
      output:
        '<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "get_weather", "parameters": {"city": "Paris"}}, {"tool_call_id": "1", "tool_name": "get_weather", "parameters": {"city": "Oslo", "days": 2}}]<|END_ACTION|>',
      calls: [
        ['get_weather', { city: 'Paris' }],
        ['get_weather', { city: 'Oslo', days: 2 }],
      ],
    },
    {
      name: 'three calls of different functions',
      output:
        '<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "now", "parameters": {}}, {"tool_call_id": "1", "tool_name": "search", "parameters": {"query": "a \\"quoted\\" word, C:\\\\dir and {braces} [1]", "limit": 10}}, {"tool_call_id": "2", "tool_name": "set_light", "parameters": {"on": true, "level": 0.5, "color": null}}]<|END_ACTION|>',
      calls: [
        ['now', {}],
        ['search', { query: 'a "quoted" word, C:\\dir and {braces} [1]', limit: 10 }],
        ['set_light', { on: true, level: 0.5, color: null }],
      ],
    },
    {
      name: 'a string that looks like a number',
      output:
        '<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "get_weather", "parameters": {"city": "007"}}]<|END_ACTION|>',
      calls: [['get_weather', { city: '007' }]],
    },
    {
      name: 'text, then a call',
      output:
        'Let me look that up.\n<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "get_weather", "parameters": {"city": "Paris"}}]<|END_ACTION|>',
      text: 'Let me look that up.',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a call, then text',
      output:
        '<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "get_weather", "parameters": {"city": "Paris"}}]<|END_ACTION|>\nDone.',
      text: 'Done.',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a thought, then text',
      output: '<|START_THINKING|>Two and two, so <four>.<|END_THINKING|>Four.',
      text: 'Four.',
      reasoning: 'Two and two, so <four>.',
    },
    {
      name: 'a thought, then a call',
      output:
        '<|START_THINKING|>I need the weather.\nIn Paris.<|END_THINKING|><|START_ACTION|>[{"tool_call_id": "0", "tool_name": "get_weather", "parameters": {"city": "Paris"}}]<|END_ACTION|>',
      reasoning: 'I need the weather.\nIn Paris.',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a thought, text and two calls',
      output:
        '<|START_THINKING|>Both.<|END_THINKING|>One moment.\n<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "get_weather", "parameters": {"city": "Paris"}}, {"tool_call_id": "1", "tool_name": "now", "parameters": {}}]<|END_ACTION|>',
      text: 'One moment.',
      reasoning: 'Both.',
      calls: [
        ['get_weather', { city: 'Paris' }],
        ['now', {}],
      ],
    },
    {
      name: 'a response in its tags',
      output: '<|START_THINKING|>hm<|END_THINKING|><|START_RESPONSE|>Yes.<|END_RESPONSE|>',
      text: 'Yes.',
      reasoning: 'hm',
    },
    {
      name: 'an action over lines',
      output:
        '<|START_ACTION|>[\n    {"tool_call_id": "0", "tool_name": "get_weather", "parameters": {"city": "Paris"}}\n]<|END_ACTION|>',
      calls: [['get_weather', { city: 'Paris' }]],
    },
  ],
};
