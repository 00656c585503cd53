/** Outputs in the syntax of this family, and what they mean. @module */
import type { FamilyExamples } from '../family-examples.js';

export const EXAMPLES: FamilyExamples = {
  formats: { toolFormat: 'lfm2', reasoningFormat: 'think-tags' },
  examples: [
    {
      name: 'a plain answer',
      output: 'It holds that a < b, see [1] and {x}.\n\nEven “quoted”.',
      text: 'It holds that a < b, see [1] and {x}.\n\nEven “quoted”.',
    },
    {
      name: 'one call',
      output: '<|tool_call_start|>[get_weather(city="Paris")]<|tool_call_end|>',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a boolean, a number and null',
      output: '<|tool_call_start|>[set_light(on=True, level=0.5, color=None)]<|tool_call_end|>',
      calls: [['set_light', { on: true, level: 0.5, color: null }]],
    },
    {
      name: 'an object in an object',
      output:
        '<|tool_call_start|>[book(guest={"name": "Ann", "age": 41, "tags": ["vip", 2]}, nights=3)]<|tool_call_end|>',
      calls: [['book', { guest: { name: 'Ann', age: 41, tags: ['vip', 2] }, nights: 3 }]],
    },
    {
      name: 'signs of the syntax in a string',
      output:
        '<|tool_call_start|>[search(query="a \\"quoted\\" word, C:\\\\dir and {braces} [1]", limit=10)]<|tool_call_end|>',
      calls: [['search', { query: 'a "quoted" word, C:\\dir and {braces} [1]', limit: 10 }]],
    },
    {
      name: 'code with line ends and indents',
      output:
        '<|tool_call_start|>[write_file(path="a/b.py", content="def f(x):\\n    if x < 3:\\n        return \\"<b>\\"\\n    return x\\n")]<|tool_call_end|>',
      calls: [
        ['write_file', { path: 'a/b.py', content: 'def f(x):\n    if x < 3:\n        return "<b>"\n    return x\n' }],
      ],
    },
    {
      name: 'characters of other scripts, and a list',
      output: '<|tool_call_start|>[search(query="Ä, 你好 and 😀", tags=["x", "y"])]<|tool_call_end|>',
      calls: [['search', { query: 'Ä, 你好 and 😀', tags: ['x', 'y'] }]],
    },
    { name: 'no arguments', output: '<|tool_call_start|>[now()]<|tool_call_end|>', calls: [['now', {}]] },
    {
      name: 'two calls',
      output: '<|tool_call_start|>[get_weather(city="Paris"), get_weather(city="Oslo", days=2)]<|tool_call_end|>',
      calls: [
        ['get_weather', { city: 'Paris' }],
        ['get_weather', { city: 'Oslo', days: 2 }],
      ],
    },
    {
      name: 'three calls of different functions',
      output:
        '<|tool_call_start|>[now(), search(query="a \\"quoted\\" word, C:\\\\dir and {braces} [1]", limit=10), set_light(on=True, level=0.5, color=None)]<|tool_call_end|>',
      calls: [
        ['now', {}],
        ['search', { query: 'a "quoted" word, C:\\dir and {braces} [1]', limit: 10 }],
        ['set_light', { on: true, level: 0.5, color: null }],
      ],
    },
    {
      name: 'a string that looks like a number',
      output: '<|tool_call_start|>[get_weather(city="007")]<|tool_call_end|>',
      calls: [['get_weather', { city: '007' }]],
    },
    {
      name: 'text, then a call',
      output: 'Let me look that up.\n<|tool_call_start|>[get_weather(city="Paris")]<|tool_call_end|>',
      text: 'Let me look that up.',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a call, then text',
      output: '<|tool_call_start|>[get_weather(city="Paris")]<|tool_call_end|>\nDone.',
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
        '<think>\nI need the weather.\nIn Paris.\n</think>\n\n<|tool_call_start|>[get_weather(city="Paris")]<|tool_call_end|>',
      reasoning: 'I need the weather.\nIn Paris.',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a thought, text and two calls',
      output:
        '<think>\nBoth.\n</think>\n\nOne moment.\n<|tool_call_start|>[get_weather(city="Paris"), now()]<|tool_call_end|>',
      text: 'One moment.',
      reasoning: 'Both.',
      calls: [
        ['get_weather', { city: 'Paris' }],
        ['now', {}],
      ],
    },
    {
      name: 'text before and after',
      output: 'Sure.<|tool_call_start|>[now()]<|tool_call_end|>Checking.',
      text: 'Sure.Checking.',
      calls: [['now', {}]],
    },
    {
      name: 'a pair of tags for each call',
      output:
        '<|tool_call_start|>[now()]<|tool_call_end|><|tool_call_start|>[get_weather(city="Paris")]<|tool_call_end|>',
      calls: [
        ['now', {}],
        ['get_weather', { city: 'Paris' }],
      ],
    },
    {
      name: 'single quotes',
      output: "<|tool_call_start|>[get_weather(city='Paris', days=2)]<|tool_call_end|>",
      calls: [['get_weather', { city: 'Paris', days: 2 }]],
    },
    {
      name: 'no brackets',
      output: '<|tool_call_start|>get_weather(city="Paris")<|tool_call_end|>',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'JSON’s words',
      output: '<|tool_call_start|>[set_light(on=true, level=1, color=null)]<|tool_call_end|>',
      calls: [['set_light', { on: true, level: 1, color: null }]],
    },
    {
      name: 'JSON in the tags',
      output: '<|tool_call_start|>[{"name": "get_weather", "arguments": {"city": "Paris"}}]<|tool_call_end|>',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'an argument by place',
      output: '<|tool_call_start|>[get_weather("Paris")]<|tool_call_end|>',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    { name: 'no tags', output: '[get_weather(city="Paris")]', calls: [['get_weather', { city: 'Paris' }]] },
    {
      name: 'a call inside a thought that is not closed',
      output: '<think>look<|tool_call_start|>[now()]<|tool_call_end|>',
      reasoning: 'look',
      calls: [['now', {}]],
    },
    {
      name: 'cut inside a value',
      output: '<|tool_call_start|>[get_weather(days=2, city="Par',
      open: ['get_weather', '{"days":2'],
    },
  ],
};
