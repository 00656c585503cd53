/** Outputs in the syntax of this family, and what they mean. @module */
import type { FamilyExamples } from '../family-examples.js';

export const EXAMPLES: FamilyExamples = {
  formats: { toolFormat: 'qwen3-coder', reasoningFormat: 'think-tags' },
  examples: [
    {
      name: 'a plain answer',
      output: 'It holds that a < b, see [1] and {x}.\n\nEven “quoted”.',
      text: 'It holds that a < b, see [1] and {x}.\n\nEven “quoted”.',
    },
    {
      name: 'one call',
      output: '<tool_call>\n<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n</function>\n</tool_call>',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a boolean, a number and null',
      output:
        '<tool_call>\n<function=set_light>\n<parameter=on>\ntrue\n</parameter>\n<parameter=level>\n0.5\n</parameter>\n<parameter=color>\nnull\n</parameter>\n</function>\n</tool_call>',
      calls: [['set_light', { on: true, level: 0.5, color: null }]],
    },
    {
      name: 'an object in an object',
      output:
        '<tool_call>\n<function=book>\n<parameter=guest>\n{"name": "Ann", "age": 41, "tags": ["vip", 2]}\n</parameter>\n<parameter=nights>\n3\n</parameter>\n</function>\n</tool_call>',
      calls: [['book', { guest: { name: 'Ann', age: 41, tags: ['vip', 2] }, nights: 3 }]],
    },
    {
      name: 'signs of the syntax in a string',
      output:
        '<tool_call>\n<function=search>\n<parameter=query>\na "quoted" word, C:\\dir and {braces} [1]\n</parameter>\n<parameter=limit>\n10\n</parameter>\n</function>\n</tool_call>',
      calls: [['search', { query: 'a "quoted" word, C:\\dir and {braces} [1]', limit: 10 }]],
    },
    {
      name: 'code with line ends and indents',
      output:
        '<tool_call>\n<function=write_file>\n<parameter=path>\na/b.py\n</parameter>\n<parameter=content>\ndef f(x):\n    if x < 3:\n        return "<b>"\n    return x\n</parameter>\n</function>\n</tool_call>',
      calls: [
        ['write_file', { path: 'a/b.py', content: 'def f(x):\n    if x < 3:\n        return "<b>"\n    return x' }],
      ],
    },
    {
      name: 'characters of other scripts, and a list',
      output:
        '<tool_call>\n<function=search>\n<parameter=query>\nÄ, 你好 and 😀\n</parameter>\n<parameter=tags>\n["x", "y"]\n</parameter>\n</function>\n</tool_call>',
      calls: [['search', { query: 'Ä, 你好 and 😀', tags: ['x', 'y'] }]],
    },
    { name: 'no arguments', output: '<tool_call>\n<function=now>\n</function>\n</tool_call>', calls: [['now', {}]] },
    {
      name: 'two calls',
      output:
        '<tool_call>\n<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n</function>\n</tool_call>\n<tool_call>\n<function=get_weather>\n<parameter=city>\nOslo\n</parameter>\n<parameter=days>\n2\n</parameter>\n</function>\n</tool_call>',
      calls: [
        ['get_weather', { city: 'Paris' }],
        ['get_weather', { city: 'Oslo', days: 2 }],
      ],
    },
    {
      name: 'three calls of different functions',
      output:
        '<tool_call>\n<function=now>\n</function>\n</tool_call>\n<tool_call>\n<function=search>\n<parameter=query>\na "quoted" word, C:\\dir and {braces} [1]\n</parameter>\n<parameter=limit>\n10\n</parameter>\n</function>\n</tool_call>\n<tool_call>\n<function=set_light>\n<parameter=on>\ntrue\n</parameter>\n<parameter=level>\n0.5\n</parameter>\n<parameter=color>\nnull\n</parameter>\n</function>\n</tool_call>',
      calls: [
        ['now', {}],
        ['search', { query: 'a "quoted" word, C:\\dir and {braces} [1]', limit: 10 }],
        ['set_light', { on: true, level: 0.5, color: null }],
      ],
    },
    {
      name: 'a string that looks like a number',
      output: '<tool_call>\n<function=get_weather>\n<parameter=city>\n007\n</parameter>\n</function>\n</tool_call>',
      calls: [['get_weather', { city: '007' }]],
    },
    {
      name: 'text, then a call',
      output:
        'Let me look that up.\n<tool_call>\n<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n</function>\n</tool_call>',
      text: 'Let me look that up.',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a call, then text',
      output:
        '<tool_call>\n<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n</function>\n</tool_call>\nDone.',
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
        '<think>\nI need the weather.\nIn Paris.\n</think>\n\n<tool_call>\n<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n</function>\n</tool_call>',
      reasoning: 'I need the weather.\nIn Paris.',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a thought, text and two calls',
      output:
        '<think>\nBoth.\n</think>\n\nOne moment.\n<tool_call>\n<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n</function>\n</tool_call>\n<tool_call>\n<function=now>\n</function>\n</tool_call>',
      text: 'One moment.',
      reasoning: 'Both.',
      calls: [
        ['get_weather', { city: 'Paris' }],
        ['now', {}],
      ],
    },
    {
      name: 'no line ends at all',
      output:
        '<tool_call><function=get_weather><parameter=city>Paris</parameter><parameter=days>3</parameter></function></tool_call>',
      calls: [['get_weather', { city: 'Paris', days: 3 }]],
    },
    {
      name: 'the first tag forgotten',
      output: '<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n</function>\n</tool_call>',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a number that does not fit stays text',
      output:
        '<tool_call>\n<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n<parameter=days>\nthree\n</parameter>\n</function>\n</tool_call>',
      calls: [['get_weather', { city: 'Paris', days: 'three' }]],
    },
    {
      name: 'Python’s words for booleans',
      output:
        '<tool_call>\n<function=set_light>\n<parameter=on>\nTrue\n</parameter>\n<parameter=level>\n1\n</parameter>\n</function>\n</tool_call>',
      calls: [['set_light', { on: true, level: 1 }]],
    },
    {
      name: 'JSON in a string stays a string',
      output:
        '<tool_call>\n<function=write_file>\n<parameter=path>\nx.json\n</parameter>\n<parameter=content>\n{"a": [1, 2]}\n</parameter>\n</function>\n</tool_call>',
      calls: [['write_file', { path: 'x.json', content: '{"a": [1, 2]}' }]],
    },
    {
      name: 'empty lines at the borders of a string stay',
      output:
        '<tool_call>\n<function=write_file>\n<parameter=path>\nx\n</parameter>\n<parameter=content>\n\nline\n\n</parameter>\n</function>\n</tool_call>',
      calls: [['write_file', { path: 'x', content: '\nline\n' }]],
    },
    {
      name: 'an empty string',
      output:
        '<tool_call>\n<function=write_file>\n<parameter=path>\nx\n</parameter>\n<parameter=content>\n</parameter>\n</function>\n</tool_call>',
      calls: [['write_file', { path: 'x', content: '' }]],
    },
    {
      name: 'closing tags of values forgotten',
      output:
        '<tool_call>\n<function=get_weather>\n<parameter=city>\nParis\n<parameter=days>\n2\n</function>\n</tool_call>',
      calls: [['get_weather', { city: 'Paris', days: 2 }]],
    },
    {
      name: 'HTML in a value',
      output:
        '<tool_call>\n<function=write_file>\n<parameter=path>\na.html\n</parameter>\n<parameter=content>\n<p class="x">a &amp; b</p>\n<function></parametr>\n</parameter>\n</function>\n</tool_call>',
      calls: [['write_file', { path: 'a.html', content: '<p class="x">a &amp; b</p>\n<function></parametr>' }]],
    },
    {
      name: 'a call inside a thought that is not closed',
      output:
        '<think>\nI need the weather.\n<tool_call>\n<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n</function>\n</tool_call>',
      reasoning: 'I need the weather.',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'an argument that no schema knows',
      output:
        '<tool_call>\n<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n<parameter=extra>\n5\n</parameter>\n</function>\n</tool_call>',
      calls: [['get_weather', { city: 'Paris', extra: 5 }]],
    },
    {
      name: 'JSON in the tags',
      output: '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'cut inside a string',
      output: '<tool_call>\n<function=write_file>\n<parameter=path>\nx\n</parameter>\n<parameter=content>\nfirst\nsec',
      open: ['write_file', '{"path": "x", "content": "first\\nsec'],
    },
  ],
};
