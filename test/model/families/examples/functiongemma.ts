/** Outputs in the syntax of this family, and what they mean. @module */
import type { FamilyExamples } from '../family-examples.js';

export const EXAMPLES: FamilyExamples = {
  formats: { toolFormat: 'functiongemma', reasoningFormat: 'think-tags' },
  examples: [
    {
      name: 'a plain answer',
      output: 'It holds that a < b, see [1] and {x}.\n\nEven “quoted”.',
      text: 'It holds that a < b, see [1] and {x}.\n\nEven “quoted”.',
    },
    {
      name: 'one call',
      output: '<start_function_call>call:get_weather{city:<escape>Paris<escape>}<end_function_call>',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a boolean, a number and null',
      output: '<start_function_call>call:set_light{on:true,level:0.5,color:null}<end_function_call>',
      calls: [['set_light', { on: true, level: 0.5, color: null }]],
    },
    {
      name: 'an object in an object',
      output:
        '<start_function_call>call:book{guest:{name:<escape>Ann<escape>,age:41,tags:[<escape>vip<escape>,2]},nights:3}<end_function_call>',
      calls: [['book', { guest: { name: 'Ann', age: 41, tags: ['vip', 2] }, nights: 3 }]],
    },
    {
      name: 'signs of the syntax in a string',
      output:
        '<start_function_call>call:search{query:<escape>a "quoted" word, C:\\dir and {braces} [1]<escape>,limit:10}<end_function_call>',
      calls: [['search', { query: 'a "quoted" word, C:\\dir and {braces} [1]', limit: 10 }]],
    },
    {
      name: 'code with line ends and indents',
      output:
        '<start_function_call>call:write_file{path:<escape>a/b.py<escape>,content:<escape>def f(x):\n    if x < 3:\n        return "<b>"\n    return x\n<escape>}<end_function_call>',
      calls: [
        ['write_file', { path: 'a/b.py', content: 'def f(x):\n    if x < 3:\n        return "<b>"\n    return x\n' }],
      ],
    },
    {
      name: 'characters of other scripts, and a list',
      output:
        '<start_function_call>call:search{query:<escape>Ä, 你好 and 😀<escape>,tags:[<escape>x<escape>,<escape>y<escape>]}<end_function_call>',
      calls: [['search', { query: 'Ä, 你好 and 😀', tags: ['x', 'y'] }]],
    },
    { name: 'no arguments', output: '<start_function_call>call:now{}<end_function_call>', calls: [['now', {}]] },
    {
      name: 'two calls',
      output:
        '<start_function_call>call:get_weather{city:<escape>Paris<escape>}<end_function_call><start_function_call>call:get_weather{city:<escape>Oslo<escape>,days:2}<end_function_call>',
      calls: [
        ['get_weather', { city: 'Paris' }],
        ['get_weather', { city: 'Oslo', days: 2 }],
      ],
    },
    {
      name: 'three calls of different functions',
      output:
        '<start_function_call>call:now{}<end_function_call><start_function_call>call:search{query:<escape>a "quoted" word, C:\\dir and {braces} [1]<escape>,limit:10}<end_function_call><start_function_call>call:set_light{on:true,level:0.5,color:null}<end_function_call>',
      calls: [
        ['now', {}],
        ['search', { query: 'a "quoted" word, C:\\dir and {braces} [1]', limit: 10 }],
        ['set_light', { on: true, level: 0.5, color: null }],
      ],
    },
    {
      name: 'a string that looks like a number',
      output: '<start_function_call>call:get_weather{city:<escape>007<escape>}<end_function_call>',
      calls: [['get_weather', { city: '007' }]],
    },
    {
      name: 'text, then a call',
      output:
        'Let me look that up.\n<start_function_call>call:get_weather{city:<escape>Paris<escape>}<end_function_call>',
      text: 'Let me look that up.',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a call, then text',
      output: '<start_function_call>call:get_weather{city:<escape>Paris<escape>}<end_function_call>\nDone.',
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
        '<think>\nI need the weather.\nIn Paris.\n</think>\n\n<start_function_call>call:get_weather{city:<escape>Paris<escape>}<end_function_call>',
      reasoning: 'I need the weather.\nIn Paris.',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a thought, text and two calls',
      output:
        '<think>\nBoth.\n</think>\n\nOne moment.\n<start_function_call>call:get_weather{city:<escape>Paris<escape>}<end_function_call><start_function_call>call:now{}<end_function_call>',
      text: 'One moment.',
      reasoning: 'Both.',
      calls: [
        ['get_weather', { city: 'Paris' }],
        ['now', {}],
      ],
    },
    {
      name: 'text between calls',
      output:
        '<start_function_call>call:now{}<end_function_call>Some text<start_function_call>call:now{}<end_function_call>',
      text: 'Some text',
      calls: [
        ['now', {}],
        ['now', {}],
      ],
    },
    { name: 'a tag that never comes', output: 'Hello <start world', text: 'Hello <start world' },
    {
      name: 'words and numbers without quotes',
      output: '<start_function_call>call:get_weather{city:Paris,days:2}<end_function_call>',
      calls: [['get_weather', { city: 'Paris', days: 2 }]],
    },
    {
      name: 'the response that the model begins',
      output: '<start_function_call>call:now{}<end_function_call><start_function_response>',
      calls: [['now', {}]],
    },
  ],
};
