/** Outputs in the syntax of this family, and what they mean. @module */
import type { FamilyExamples } from '../family-examples.js';

export const EXAMPLES: FamilyExamples = {
  formats: { toolFormat: 'minimax-m2', reasoningFormat: 'think-tags' },
  examples: [
    {
      name: 'a plain answer',
      output: 'It holds that a < b, see [1] and {x}.\n\nEven “quoted”.',
      text: 'It holds that a < b, see [1] and {x}.\n\nEven “quoted”.',
    },
    {
      name: 'one call',
      output:
        '<minimax:tool_call>\n<invoke name="get_weather">\n<parameter name="city">Paris</parameter>\n</invoke>\n</minimax:tool_call>',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a boolean, a number and null',
      output:
        '<minimax:tool_call>\n<invoke name="set_light">\n<parameter name="on">true</parameter>\n<parameter name="level">0.5</parameter>\n<parameter name="color">null</parameter>\n</invoke>\n</minimax:tool_call>',
      calls: [['set_light', { on: true, level: 0.5, color: null }]],
    },
    {
      name: 'an object in an object',
      output:
        '<minimax:tool_call>\n<invoke name="book">\n<parameter name="guest">{"name": "Ann", "age": 41, "tags": ["vip", 2]}</parameter>\n<parameter name="nights">3</parameter>\n</invoke>\n</minimax:tool_call>',
      calls: [['book', { guest: { name: 'Ann', age: 41, tags: ['vip', 2] }, nights: 3 }]],
    },
    {
      name: 'signs of the syntax in a string',
      output:
        '<minimax:tool_call>\n<invoke name="search">\n<parameter name="query">a "quoted" word, C:\\dir and {braces} [1]</parameter>\n<parameter name="limit">10</parameter>\n</invoke>\n</minimax:tool_call>',
      calls: [['search', { query: 'a "quoted" word, C:\\dir and {braces} [1]', limit: 10 }]],
    },
    {
      name: 'code with line ends and indents',
      output:
        '<minimax:tool_call>\n<invoke name="write_file">\n<parameter name="path">a/b.py</parameter>\n<parameter name="content">def f(x):\n    if x < 3:\n        return "<b>"\n    return x\n</parameter>\n</invoke>\n</minimax:tool_call>',
      calls: [
        ['write_file', { path: 'a/b.py', content: 'def f(x):\n    if x < 3:\n        return "<b>"\n    return x\n' }],
      ],
    },
    {
      name: 'characters of other scripts, and a list',
      output:
        '<minimax:tool_call>\n<invoke name="search">\n<parameter name="query">Ä, 你好 and 😀</parameter>\n<parameter name="tags">["x", "y"]</parameter>\n</invoke>\n</minimax:tool_call>',
      calls: [['search', { query: 'Ä, 你好 and 😀', tags: ['x', 'y'] }]],
    },
    {
      name: 'no arguments',
      output: '<minimax:tool_call>\n<invoke name="now">\n</invoke>\n</minimax:tool_call>',
      calls: [['now', {}]],
    },
    {
      name: 'two calls',
      output:
        '<minimax:tool_call>\n<invoke name="get_weather">\n<parameter name="city">Paris</parameter>\n</invoke>\n<invoke name="get_weather">\n<parameter name="city">Oslo</parameter>\n<parameter name="days">2</parameter>\n</invoke>\n</minimax:tool_call>',
      calls: [
        ['get_weather', { city: 'Paris' }],
        ['get_weather', { city: 'Oslo', days: 2 }],
      ],
    },
    {
      name: 'three calls of different functions',
      output:
        '<minimax:tool_call>\n<invoke name="now">\n</invoke>\n<invoke name="search">\n<parameter name="query">a "quoted" word, C:\\dir and {braces} [1]</parameter>\n<parameter name="limit">10</parameter>\n</invoke>\n<invoke name="set_light">\n<parameter name="on">true</parameter>\n<parameter name="level">0.5</parameter>\n<parameter name="color">null</parameter>\n</invoke>\n</minimax:tool_call>',
      calls: [
        ['now', {}],
        ['search', { query: 'a "quoted" word, C:\\dir and {braces} [1]', limit: 10 }],
        ['set_light', { on: true, level: 0.5, color: null }],
      ],
    },
    {
      name: 'a string that looks like a number',
      output:
        '<minimax:tool_call>\n<invoke name="get_weather">\n<parameter name="city">007</parameter>\n</invoke>\n</minimax:tool_call>',
      calls: [['get_weather', { city: '007' }]],
    },
    {
      name: 'text, then a call',
      output:
        'Let me look that up.\n<minimax:tool_call>\n<invoke name="get_weather">\n<parameter name="city">Paris</parameter>\n</invoke>\n</minimax:tool_call>',
      text: 'Let me look that up.',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a call, then text',
      output:
        '<minimax:tool_call>\n<invoke name="get_weather">\n<parameter name="city">Paris</parameter>\n</invoke>\n</minimax:tool_call>\nDone.',
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
        '<think>\nI need the weather.\nIn Paris.\n</think>\n\n<minimax:tool_call>\n<invoke name="get_weather">\n<parameter name="city">Paris</parameter>\n</invoke>\n</minimax:tool_call>',
      reasoning: 'I need the weather.\nIn Paris.',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a thought, text and two calls',
      output:
        '<think>\nBoth.\n</think>\n\nOne moment.\n<minimax:tool_call>\n<invoke name="get_weather">\n<parameter name="city">Paris</parameter>\n</invoke>\n<invoke name="now">\n</invoke>\n</minimax:tool_call>',
      text: 'One moment.',
      reasoning: 'Both.',
      calls: [
        ['get_weather', { city: 'Paris' }],
        ['now', {}],
      ],
    },
  ],
};
