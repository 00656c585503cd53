/** Outputs in the syntax of this family, and what they mean. @module */
import type { FamilyExamples } from '../family-examples.js';

export const EXAMPLES: FamilyExamples = {
  formats: { toolFormat: 'olmo3', reasoningFormat: 'think-tags' },
  examples: [
    {
      name: 'a plain answer',
      output: 'It holds that a < b, see [1] and {x}.\n\nEven “quoted”.',
      text: 'It holds that a < b, see [1] and {x}.\n\nEven “quoted”.',
    },
    {
      name: 'one call',
      output: '<function_calls>\nget_weather(city="Paris")\n</function_calls>',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a boolean, a number and null',
      output: '<function_calls>\nset_light(on=true, level=0.5, color=null)\n</function_calls>',
      calls: [['set_light', { on: true, level: 0.5, color: null }]],
    },
    {
      name: 'an object in an object',
      output:
        '<function_calls>\nbook(guest={"name": "Ann", "age": 41, "tags": ["vip", 2]}, nights=3)\n</function_calls>',
      calls: [['book', { guest: { name: 'Ann', age: 41, tags: ['vip', 2] }, nights: 3 }]],
    },
    {
      name: 'signs of the syntax in a string',
      output:
        '<function_calls>\nsearch(query="a \\"quoted\\" word, C:\\\\dir and {braces} [1]", limit=10)\n</function_calls>',
      calls: [['search', { query: 'a "quoted" word, C:\\dir and {braces} [1]', limit: 10 }]],
    },
    {
      name: 'code with line ends and indents',
      output:
        '<function_calls>\nwrite_file(path="a/b.py", content="def f(x):\\n    if x < 3:\\n        return \\"<b>\\"\\n    return x\\n")\n</function_calls>',
      calls: [
        ['write_file', { path: 'a/b.py', content: 'def f(x):\n    if x < 3:\n        return "<b>"\n    return x\n' }],
      ],
    },
    {
      name: 'characters of other scripts, and a list',
      output: '<function_calls>\nsearch(query="Ä, 你好 and 😀", tags=["x", "y"])\n</function_calls>',
      calls: [['search', { query: 'Ä, 你好 and 😀', tags: ['x', 'y'] }]],
    },
    { name: 'no arguments', output: '<function_calls>\nnow()\n</function_calls>', calls: [['now', {}]] },
    {
      name: 'two calls',
      output: '<function_calls>\nget_weather(city="Paris")\nget_weather(city="Oslo", days=2)\n</function_calls>',
      calls: [
        ['get_weather', { city: 'Paris' }],
        ['get_weather', { city: 'Oslo', days: 2 }],
      ],
    },
    {
      name: 'three calls of different functions',
      output:
        '<function_calls>\nnow()\nsearch(query="a \\"quoted\\" word, C:\\\\dir and {braces} [1]", limit=10)\nset_light(on=true, level=0.5, color=null)\n</function_calls>',
      calls: [
        ['now', {}],
        ['search', { query: 'a "quoted" word, C:\\dir and {braces} [1]', limit: 10 }],
        ['set_light', { on: true, level: 0.5, color: null }],
      ],
    },
    {
      name: 'a string that looks like a number',
      output: '<function_calls>\nget_weather(city="007")\n</function_calls>',
      calls: [['get_weather', { city: '007' }]],
    },
    {
      name: 'text, then a call',
      output: 'Let me look that up.\n<function_calls>\nget_weather(city="Paris")\n</function_calls>',
      text: 'Let me look that up.',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a call, then text',
      output: '<function_calls>\nget_weather(city="Paris")\n</function_calls>\nDone.',
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
        '<think>\nI need the weather.\nIn Paris.\n</think>\n\n<function_calls>\nget_weather(city="Paris")\n</function_calls>',
      reasoning: 'I need the weather.\nIn Paris.',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a thought, text and two calls',
      output:
        '<think>\nBoth.\n</think>\n\nOne moment.\n<function_calls>\nget_weather(city="Paris")\nnow()\n</function_calls>',
      text: 'One moment.',
      reasoning: 'Both.',
      calls: [
        ['get_weather', { city: 'Paris' }],
        ['now', {}],
      ],
    },
    {
      name: 'no line ends',
      output: '<function_calls>get_weather(city="Paris")</function_calls>',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'text before in the same line',
      output: 'Let me see.<function_calls>now()</function_calls>',
      text: 'Let me see.',
      calls: [['now', {}]],
    },
    {
      name: 'single quotes',
      output: "<function_calls>get_weather(city='Paris')</function_calls>",
      calls: [['get_weather', { city: 'Paris' }]],
    },
  ],
};
