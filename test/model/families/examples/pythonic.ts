/** Outputs in the syntax of this family, and what they mean. @module */
import type { FamilyExamples } from '../family-examples.js';

export const EXAMPLES: FamilyExamples = {
  formats: { toolFormat: 'pythonic', reasoningFormat: 'think-tags' },
  examples: [
    {
      name: 'a plain answer',
      output: 'It holds that a < b, see [1] and {x}.\n\nEven “quoted”.',
      text: 'It holds that a < b, see [1] and {x}.\n\nEven “quoted”.',
    },
    { name: 'one call', output: '[get_weather(city="Paris")]', calls: [['get_weather', { city: 'Paris' }]] },
    {
      name: 'a boolean, a number and null',
      output: '[set_light(on=True, level=0.5, color=None)]',
      calls: [['set_light', { on: true, level: 0.5, color: null }]],
    },
    {
      name: 'an object in an object',
      output: '[book(guest={"name": "Ann", "age": 41, "tags": ["vip", 2]}, nights=3)]',
      calls: [['book', { guest: { name: 'Ann', age: 41, tags: ['vip', 2] }, nights: 3 }]],
    },
    {
      name: 'signs of the syntax in a string',
      output: '[search(query="a \\"quoted\\" word, C:\\\\dir and {braces} [1]", limit=10)]',
      calls: [['search', { query: 'a "quoted" word, C:\\dir and {braces} [1]', limit: 10 }]],
    },
    {
      name: 'code with line ends and indents',
      output:
        '[write_file(path="a/b.py", content="def f(x):\\n    if x < 3:\\n        return \\"<b>\\"\\n    return x\\n")]',
      calls: [
        ['write_file', { path: 'a/b.py', content: 'def f(x):\n    if x < 3:\n        return "<b>"\n    return x\n' }],
      ],
    },
    {
      name: 'characters of other scripts, and a list',
      output: '[search(query="Ä, 你好 and 😀", tags=["x", "y"])]',
      calls: [['search', { query: 'Ä, 你好 and 😀', tags: ['x', 'y'] }]],
    },
    { name: 'no arguments', output: '[now()]', calls: [['now', {}]] },
    {
      name: 'two calls',
      output: '[get_weather(city="Paris"), get_weather(city="Oslo", days=2)]',
      calls: [
        ['get_weather', { city: 'Paris' }],
        ['get_weather', { city: 'Oslo', days: 2 }],
      ],
    },
    {
      name: 'three calls of different functions',
      output:
        '[now(), search(query="a \\"quoted\\" word, C:\\\\dir and {braces} [1]", limit=10), set_light(on=True, level=0.5, color=None)]',
      calls: [
        ['now', {}],
        ['search', { query: 'a "quoted" word, C:\\dir and {braces} [1]', limit: 10 }],
        ['set_light', { on: true, level: 0.5, color: null }],
      ],
    },
    {
      name: 'a string that looks like a number',
      output: '[get_weather(city="007")]',
      calls: [['get_weather', { city: '007' }]],
    },
    {
      name: 'a thought, then text',
      output: '<think>\nTwo and two, so <four>.\n</think>\n\nFour.',
      text: 'Four.',
      reasoning: 'Two and two, so <four>.',
    },
    {
      name: 'a thought, then a call',
      output: '<think>\nI need the weather.\nIn Paris.\n</think>\n\n[get_weather(city="Paris")]',
      reasoning: 'I need the weather.\nIn Paris.',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'with the tags of Llama 4',
      output: '<|python_start|>[get_weather(city="Paris")]<|python_end|>',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    { name: 'a list is text', output: '[1, 2]', text: '[1, 2]' },
    { name: 'a call later in the answer is text', output: 'So [now()]', text: 'So [now()]' },
  ],
};
