/** Outputs in the syntax of this family, and what they mean. @module */
import type { FamilyExamples } from '../family-examples.js';

export const EXAMPLES: FamilyExamples = {
  formats: { toolFormat: 'seed-oss', reasoningFormat: 'seed-oss' },
  examples: [
    {
      name: 'a plain answer',
      output: 'It holds that a < b, see [1] and {x}.\n\nEven “quoted”.',
      text: 'It holds that a < b, see [1] and {x}.\n\nEven “quoted”.',
    },
    {
      name: 'one call',
      output:
        '<seed:tool_call>\n<function=get_weather>\n<parameter=city>Paris</parameter>\n</function>\n</seed:tool_call>',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a boolean, a number and null',
      output:
        '<seed:tool_call>\n<function=set_light>\n<parameter=on>true</parameter>\n<parameter=level>0.5</parameter>\n<parameter=color>null</parameter>\n</function>\n</seed:tool_call>',
      calls: [['set_light', { on: true, level: 0.5, color: null }]],
    },
    {
      name: 'an object in an object',
      output:
        '<seed:tool_call>\n<function=book>\n<parameter=guest>{"name": "Ann", "age": 41, "tags": ["vip", 2]}</parameter>\n<parameter=nights>3</parameter>\n</function>\n</seed:tool_call>',
      calls: [['book', { guest: { name: 'Ann', age: 41, tags: ['vip', 2] }, nights: 3 }]],
    },
    {
      name: 'signs of the syntax in a string',
      output:
        '<seed:tool_call>\n<function=search>\n<parameter=query>a "quoted" word, C:\\dir and {braces} [1]</parameter>\n<parameter=limit>10</parameter>\n</function>\n</seed:tool_call>',
      calls: [['search', { query: 'a "quoted" word, C:\\dir and {braces} [1]', limit: 10 }]],
    },
    {
      name: 'code with line ends and indents',
      output:
        '<seed:tool_call>\n<function=write_file>\n<parameter=path>a/b.py</parameter>\n<parameter=content>def f(x):\n    if x < 3:\n        return "<b>"\n    return x\n</parameter>\n</function>\n</seed:tool_call>',
      calls: [
        ['write_file', { path: 'a/b.py', content: 'def f(x):\n    if x < 3:\n        return "<b>"\n    return x\n' }],
      ],
    },
    {
      name: 'characters of other scripts, and a list',
      output:
        '<seed:tool_call>\n<function=search>\n<parameter=query>Ä, 你好 and 😀</parameter>\n<parameter=tags>["x", "y"]</parameter>\n</function>\n</seed:tool_call>',
      calls: [['search', { query: 'Ä, 你好 and 😀', tags: ['x', 'y'] }]],
    },
    {
      name: 'no arguments',
      output: '<seed:tool_call>\n<function=now>\n</function>\n</seed:tool_call>',
      calls: [['now', {}]],
    },
    {
      name: 'two calls',
      output:
        '<seed:tool_call>\n<function=get_weather>\n<parameter=city>Paris</parameter>\n</function>\n</seed:tool_call>\n<seed:tool_call>\n<function=get_weather>\n<parameter=city>Oslo</parameter>\n<parameter=days>2</parameter>\n</function>\n</seed:tool_call>',
      calls: [
        ['get_weather', { city: 'Paris' }],
        ['get_weather', { city: 'Oslo', days: 2 }],
      ],
    },
    {
      name: 'three calls of different functions',
      output:
        '<seed:tool_call>\n<function=now>\n</function>\n</seed:tool_call>\n<seed:tool_call>\n<function=search>\n<parameter=query>a "quoted" word, C:\\dir and {braces} [1]</parameter>\n<parameter=limit>10</parameter>\n</function>\n</seed:tool_call>\n<seed:tool_call>\n<function=set_light>\n<parameter=on>true</parameter>\n<parameter=level>0.5</parameter>\n<parameter=color>null</parameter>\n</function>\n</seed:tool_call>',
      calls: [
        ['now', {}],
        ['search', { query: 'a "quoted" word, C:\\dir and {braces} [1]', limit: 10 }],
        ['set_light', { on: true, level: 0.5, color: null }],
      ],
    },
    {
      name: 'a string that looks like a number',
      output:
        '<seed:tool_call>\n<function=get_weather>\n<parameter=city>007</parameter>\n</function>\n</seed:tool_call>',
      calls: [['get_weather', { city: '007' }]],
    },
    {
      name: 'text, then a call',
      output:
        'Let me look that up.\n<seed:tool_call>\n<function=get_weather>\n<parameter=city>Paris</parameter>\n</function>\n</seed:tool_call>',
      text: 'Let me look that up.',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a call, then text',
      output:
        '<seed:tool_call>\n<function=get_weather>\n<parameter=city>Paris</parameter>\n</function>\n</seed:tool_call>\nDone.',
      text: 'Done.',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a thought, then text',
      output: '<seed:think>Two and two, so <four>.</seed:think>Four.',
      text: 'Four.',
      reasoning: 'Two and two, so <four>.',
    },
    {
      name: 'a thought, then a call',
      output:
        '<seed:think>I need the weather.\nIn Paris.</seed:think><seed:tool_call>\n<function=get_weather>\n<parameter=city>Paris</parameter>\n</function>\n</seed:tool_call>',
      reasoning: 'I need the weather.\nIn Paris.',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a thought, text and two calls',
      output:
        '<seed:think>Both.</seed:think>One moment.\n<seed:tool_call>\n<function=get_weather>\n<parameter=city>Paris</parameter>\n</function>\n</seed:tool_call>\n<seed:tool_call>\n<function=now>\n</function>\n</seed:tool_call>',
      text: 'One moment.',
      reasoning: 'Both.',
      calls: [
        ['get_weather', { city: 'Paris' }],
        ['now', {}],
      ],
    },
  ],
};
