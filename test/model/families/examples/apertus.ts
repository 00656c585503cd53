/** Outputs in the syntax of this family, and what they mean. @module */
import type { FamilyExamples } from '../family-examples.js';

export const EXAMPLES: FamilyExamples = {
  formats: { toolFormat: 'apertus', reasoningFormat: 'apertus' },
  examples: [
    {
      name: 'a plain answer',
      output: 'It holds that a < b, see [1] and {x}.\n\nEven “quoted”.',
      text: 'It holds that a < b, see [1] and {x}.\n\nEven “quoted”.',
    },
    {
      name: 'one call',
      output: '<|tools_prefix|>[{"get_weather": {"city": "Paris"}}]<|tools_suffix|>',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a boolean, a number and null',
      output: '<|tools_prefix|>[{"set_light": {"on": true, "level": 0.5, "color": null}}]<|tools_suffix|>',
      calls: [['set_light', { on: true, level: 0.5, color: null }]],
    },
    {
      name: 'an object in an object',
      output:
        '<|tools_prefix|>[{"book": {"guest": {"name": "Ann", "age": 41, "tags": ["vip", 2]}, "nights": 3}}]<|tools_suffix|>',
      calls: [['book', { guest: { name: 'Ann', age: 41, tags: ['vip', 2] }, nights: 3 }]],
    },
    {
      name: 'signs of the syntax in a string',
      output:
        '<|tools_prefix|>[{"search": {"query": "a \\"quoted\\" word, C:\\\\dir and {braces} [1]", "limit": 10}}]<|tools_suffix|>',
      calls: [['search', { query: 'a "quoted" word, C:\\dir and {braces} [1]', limit: 10 }]],
    },
    {
      name: 'code with line ends and indents',
      output:
        '<|tools_prefix|>[{"write_file": {"path": "a/b.py", "content": "def f(x):\\n    if x < 3:\\n        return \\"<b>\\"\\n    return x\\n"}}]<|tools_suffix|>',
      calls: [
        ['write_file', { path: 'a/b.py', content: 'def f(x):\n    if x < 3:\n        return "<b>"\n    return x\n' }],
      ],
    },
    {
      name: 'characters of other scripts, and a list',
      output: '<|tools_prefix|>[{"search": {"query": "Ä, 你好 and 😀", "tags": ["x", "y"]}}]<|tools_suffix|>',
      calls: [['search', { query: 'Ä, 你好 and 😀', tags: ['x', 'y'] }]],
    },
    { name: 'no arguments', output: '<|tools_prefix|>[{"now": {}}]<|tools_suffix|>', calls: [['now', {}]] },
    {
      name: 'two calls',
      output:
        '<|tools_prefix|>[{"get_weather": {"city": "Paris"}}, {"get_weather": {"city": "Oslo", "days": 2}}]<|tools_suffix|>',
      calls: [
        ['get_weather', { city: 'Paris' }],
        ['get_weather', { city: 'Oslo', days: 2 }],
      ],
    },
    {
      name: 'three calls of different functions',
      output:
        '<|tools_prefix|>[{"now": {}}, {"search": {"query": "a \\"quoted\\" word, C:\\\\dir and {braces} [1]", "limit": 10}}, {"set_light": {"on": true, "level": 0.5, "color": null}}]<|tools_suffix|>',
      calls: [
        ['now', {}],
        ['search', { query: 'a "quoted" word, C:\\dir and {braces} [1]', limit: 10 }],
        ['set_light', { on: true, level: 0.5, color: null }],
      ],
    },
    {
      name: 'a string that looks like a number',
      output: '<|tools_prefix|>[{"get_weather": {"city": "007"}}]<|tools_suffix|>',
      calls: [['get_weather', { city: '007' }]],
    },
    {
      name: 'text, then a call',
      output: 'Let me look that up.\n<|tools_prefix|>[{"get_weather": {"city": "Paris"}}]<|tools_suffix|>',
      text: 'Let me look that up.',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a call, then text',
      output: '<|tools_prefix|>[{"get_weather": {"city": "Paris"}}]<|tools_suffix|>\nDone.',
      text: 'Done.',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a thought, then text',
      output: '<|inner_prefix|>Two and two, so <four>.<|inner_suffix|>Four.',
      text: 'Four.',
      reasoning: 'Two and two, so <four>.',
    },
    {
      name: 'a thought, then a call',
      output:
        '<|inner_prefix|>I need the weather.\nIn Paris.<|inner_suffix|><|tools_prefix|>[{"get_weather": {"city": "Paris"}}]<|tools_suffix|>',
      reasoning: 'I need the weather.\nIn Paris.',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a thought, text and two calls',
      output:
        '<|inner_prefix|>Both.<|inner_suffix|>One moment.\n<|tools_prefix|>[{"get_weather": {"city": "Paris"}}, {"now": {}}]<|tools_suffix|>',
      text: 'One moment.',
      reasoning: 'Both.',
      calls: [
        ['get_weather', { city: 'Paris' }],
        ['now', {}],
      ],
    },
  ],
};
