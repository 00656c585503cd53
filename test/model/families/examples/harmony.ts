/** Outputs in the syntax of this family, and what they mean. @module */
import type { FamilyExamples } from '../family-examples.js';

export const EXAMPLES: FamilyExamples = {
  formats: { toolFormat: 'harmony', reasoningFormat: 'harmony' },
  examples: [
    {
      name: 'a plain answer',
      output: '<|channel|>final<|message|>It holds that a < b, see [1] and {x}.\n\nEven “quoted”.',
      text: 'It holds that a < b, see [1] and {x}.\n\nEven “quoted”.',
    },
    {
      name: 'one call',
      output: '<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"city": "Paris"}',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a boolean, a number and null',
      output:
        '<|channel|>commentary to=functions.set_light <|constrain|>json<|message|>{"on": true, "level": 0.5, "color": null}',
      calls: [['set_light', { on: true, level: 0.5, color: null }]],
    },
    {
      name: 'an object in an object',
      output:
        '<|channel|>commentary to=functions.book <|constrain|>json<|message|>{"guest": {"name": "Ann", "age": 41, "tags": ["vip", 2]}, "nights": 3}',
      calls: [['book', { guest: { name: 'Ann', age: 41, tags: ['vip', 2] }, nights: 3 }]],
    },
    {
      name: 'signs of the syntax in a string',
      output:
        '<|channel|>commentary to=functions.search <|constrain|>json<|message|>{"query": "a \\"quoted\\" word, C:\\\\dir and {braces} [1]", "limit": 10}',
      calls: [['search', { query: 'a "quoted" word, C:\\dir and {braces} [1]', limit: 10 }]],
    },
    {
      name: 'code with line ends and indents',
      output:
        '<|channel|>commentary to=functions.write_file <|constrain|>json<|message|>{"path": "a/b.py", "content": "def f(x):\\n    if x < 3:\\n        return \\"<b>\\"\\n    return x\\n"}',
      calls: [
        ['write_file', { path: 'a/b.py', content: 'def f(x):\n    if x < 3:\n        return "<b>"\n    return x\n' }],
      ],
    },
    {
      name: 'characters of other scripts, and a list',
      output:
        '<|channel|>commentary to=functions.search <|constrain|>json<|message|>{"query": "Ä, 你好 and 😀", "tags": ["x", "y"]}',
      calls: [['search', { query: 'Ä, 你好 and 😀', tags: ['x', 'y'] }]],
    },
    {
      name: 'no arguments',
      output: '<|channel|>commentary to=functions.now <|constrain|>json<|message|>{}',
      calls: [['now', {}]],
    },
    {
      name: 'two calls',
      output:
        '<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"city": "Paris"}<|end|><|start|>assistant<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"city": "Oslo", "days": 2}',
      calls: [
        ['get_weather', { city: 'Paris' }],
        ['get_weather', { city: 'Oslo', days: 2 }],
      ],
    },
    {
      name: 'three calls of different functions',
      output:
        '<|channel|>commentary to=functions.now <|constrain|>json<|message|>{}<|end|><|start|>assistant<|channel|>commentary to=functions.search <|constrain|>json<|message|>{"query": "a \\"quoted\\" word, C:\\\\dir and {braces} [1]", "limit": 10}<|end|><|start|>assistant<|channel|>commentary to=functions.set_light <|constrain|>json<|message|>{"on": true, "level": 0.5, "color": null}',
      calls: [
        ['now', {}],
        ['search', { query: 'a "quoted" word, C:\\dir and {braces} [1]', limit: 10 }],
        ['set_light', { on: true, level: 0.5, color: null }],
      ],
    },
    {
      name: 'a string that looks like a number',
      output: '<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"city": "007"}',
      calls: [['get_weather', { city: '007' }]],
    },
    {
      name: 'text, then a call',
      output:
        '<|channel|>commentary<|message|>Let me look that up.<|end|><|start|>assistant<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"city": "Paris"}',
      text: 'Let me look that up.',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a thought, then text',
      output:
        '<|channel|>analysis<|message|>Two and two, so <four>.<|end|><|start|>assistant<|channel|>final<|message|>Four.',
      text: 'Four.',
      reasoning: 'Two and two, so <four>.',
    },
    {
      name: 'a thought, then a call',
      output:
        '<|channel|>analysis<|message|>I need the weather.\nIn Paris.<|end|><|start|>assistant<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"city": "Paris"}',
      reasoning: 'I need the weather.\nIn Paris.',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a thought, text and two calls',
      output:
        '<|channel|>analysis<|message|>Both.<|end|><|start|>assistant<|channel|>commentary<|message|>One moment.<|end|><|start|>assistant<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"city": "Paris"}<|end|><|start|>assistant<|channel|>commentary to=functions.now <|constrain|>json<|message|>{}',
      text: 'One moment.',
      reasoning: 'Both.',
      calls: [
        ['get_weather', { city: 'Paris' }],
        ['now', {}],
      ],
    },
    {
      name: 'the recipient before the channel',
      output:
        '<|channel|>analysis<|message|>hm<|end|><|start|>assistant to=functions.get_weather<|channel|>commentary json<|message|>{"city": "Paris"}',
      reasoning: 'hm',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'the recipient is the first thing that is written',
      output: ' to=functions.get_weather<|channel|>commentary <|constrain|>json<|message|>{"city": "Paris"}',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'the recipient first, in the analysis channel',
      output: ' to=functions.get_weather<|channel|>analysis<|message|>{"city": "Paris"}',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a message to the assistant itself',
      output: '<|channel|>commentary to=assistant<|channel|>final<|message|>Yes.',
      text: 'Yes.',
    },
    {
      name: 'a preamble',
      output:
        '<|channel|>commentary<|message|>I look it up.<|end|><|start|>assistant<|channel|>commentary to=functions.now<|message|>{}',
      text: 'I look it up.',
      calls: [['now', {}]],
    },
    { name: 'no channel', output: 'Just text.', text: 'Just text.' },
    {
      name: 'a final message with its format',
      output: '<|channel|>final <|constrain|>json<|message|>{"a": 1}',
      text: '{"a": 1}',
    },
    { name: 'text that speaks of to=', output: ' to=be or not', text: 'to=be or not' },
  ],
};
