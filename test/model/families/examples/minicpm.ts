/** Outputs in the syntax of this family, and what they mean. @module */
import type { FamilyExamples } from '../family-examples.js';

export const EXAMPLES: FamilyExamples = {
  formats: { toolFormat: 'minicpm', reasoningFormat: 'minicpm' },
  examples: [
    {
      name: 'a plain answer',
      output: 'It holds that a < b, see [1] and {x}.\n\nEven “quoted”.',
      text: 'It holds that a < b, see [1] and {x}.\n\nEven “quoted”.',
    },
    {
      name: 'one call',
      output: '<|tool_call_start|>\n```python\nget_weather(city="Paris")\n```\n<|tool_call_end|>',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a boolean, a number and null',
      output: '<|tool_call_start|>\n```python\nset_light(on=True, level=0.5, color=None)\n```\n<|tool_call_end|>',
      calls: [['set_light', { on: true, level: 0.5, color: null }]],
    },
    {
      name: 'an object in an object',
      output:
        '<|tool_call_start|>\n```python\nbook(guest={"name": "Ann", "age": 41, "tags": ["vip", 2]}, nights=3)\n```\n<|tool_call_end|>',
      calls: [['book', { guest: { name: 'Ann', age: 41, tags: ['vip', 2] }, nights: 3 }]],
    },
    {
      name: 'signs of the syntax in a string',
      output:
        '<|tool_call_start|>\n```python\nsearch(query="a \\"quoted\\" word, C:\\\\dir and {braces} [1]", limit=10)\n```\n<|tool_call_end|>',
      calls: [['search', { query: 'a "quoted" word, C:\\dir and {braces} [1]', limit: 10 }]],
    },
    {
      name: 'code with line ends and indents',
      output:
        '<|tool_call_start|>\n```python\nwrite_file(path="a/b.py", content="def f(x):\\n    if x < 3:\\n        return \\"<b>\\"\\n    return x\\n")\n```\n<|tool_call_end|>',
      calls: [
        ['write_file', { path: 'a/b.py', content: 'def f(x):\n    if x < 3:\n        return "<b>"\n    return x\n' }],
      ],
    },
    {
      name: 'characters of other scripts, and a list',
      output: '<|tool_call_start|>\n```python\nsearch(query="Ä, 你好 and 😀", tags=["x", "y"])\n```\n<|tool_call_end|>',
      calls: [['search', { query: 'Ä, 你好 and 😀', tags: ['x', 'y'] }]],
    },
    {
      name: 'no arguments',
      output: '<|tool_call_start|>\n```python\nnow()\n```\n<|tool_call_end|>',
      calls: [['now', {}]],
    },
    {
      name: 'two calls',
      output:
        '<|tool_call_start|>\n```python\nget_weather(city="Paris")\nget_weather(city="Oslo", days=2)\n```\n<|tool_call_end|>',
      calls: [
        ['get_weather', { city: 'Paris' }],
        ['get_weather', { city: 'Oslo', days: 2 }],
      ],
    },
    {
      name: 'three calls of different functions',
      output:
        '<|tool_call_start|>\n```python\nnow()\nsearch(query="a \\"quoted\\" word, C:\\\\dir and {braces} [1]", limit=10)\nset_light(on=True, level=0.5, color=None)\n```\n<|tool_call_end|>',
      calls: [
        ['now', {}],
        ['search', { query: 'a "quoted" word, C:\\dir and {braces} [1]', limit: 10 }],
        ['set_light', { on: true, level: 0.5, color: null }],
      ],
    },
    {
      name: 'a string that looks like a number',
      output: '<|tool_call_start|>\n```python\nget_weather(city="007")\n```\n<|tool_call_end|>',
      calls: [['get_weather', { city: '007' }]],
    },
    {
      name: 'text, then a call',
      output: 'Let me look that up.\n<|tool_call_start|>\n```python\nget_weather(city="Paris")\n```\n<|tool_call_end|>',
      text: 'Let me look that up.',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a call, then text',
      output: '<|tool_call_start|>\n```python\nget_weather(city="Paris")\n```\n<|tool_call_end|>\nDone.',
      text: 'Done.',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a thought, then text',
      output: '<|thought_start|>\nTwo and two, so <four>.\n<|thought_end|>\n\nFour.',
      text: 'Four.',
      reasoning: 'Two and two, so <four>.',
    },
    {
      name: 'a thought, then a call',
      output:
        '<|thought_start|>\nI need the weather.\nIn Paris.\n<|thought_end|>\n\n<|tool_call_start|>\n```python\nget_weather(city="Paris")\n```\n<|tool_call_end|>',
      reasoning: 'I need the weather.\nIn Paris.',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a thought, text and two calls',
      output:
        '<|thought_start|>\nBoth.\n<|thought_end|>\n\nOne moment.\n<|tool_call_start|>\n```python\nget_weather(city="Paris")\nnow()\n```\n<|tool_call_end|>',
      text: 'One moment.',
      reasoning: 'Both.',
      calls: [
        ['get_weather', { city: 'Paris' }],
        ['now', {}],
      ],
    },
  ],
};
