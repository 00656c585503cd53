/** Outputs in the syntax of this family, and what they mean. @module */
import type { FamilyExamples } from '../family-examples.js';

export const EXAMPLES: FamilyExamples = {
  formats: { toolFormat: 'gemma4', reasoningFormat: 'gemma4' },
  examples: [
    {
      name: 'a plain answer',
      output: 'It holds that a < b, see [1] and {x}.\n\nEven “quoted”.',
      text: 'It holds that a < b, see [1] and {x}.\n\nEven “quoted”.',
    },
    {
      name: 'one call',
      output: '<|tool_call>call:get_weather{city:<|"|>Paris<|"|>}<tool_call|>',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a boolean, a number and null',
      output: '<|tool_call>call:set_light{on:true,level:0.5,color:null}<tool_call|>',
      calls: [['set_light', { on: true, level: 0.5, color: null }]],
    },
    {
      name: 'an object in an object',
      output: '<|tool_call>call:book{guest:{name:<|"|>Ann<|"|>,age:41,tags:[<|"|>vip<|"|>,2]},nights:3}<tool_call|>',
      calls: [['book', { guest: { name: 'Ann', age: 41, tags: ['vip', 2] }, nights: 3 }]],
    },
    {
      name: 'signs of the syntax in a string',
      output: '<|tool_call>call:search{query:<|"|>a "quoted" word, C:\\dir and {braces} [1]<|"|>,limit:10}<tool_call|>',
      calls: [['search', { query: 'a "quoted" word, C:\\dir and {braces} [1]', limit: 10 }]],
    },
    {
      name: 'code with line ends and indents',
      output:
        '<|tool_call>call:write_file{path:<|"|>a/b.py<|"|>,content:<|"|>def f(x):\n    if x < 3:\n        return "<b>"\n    return x\n<|"|>}<tool_call|>',
      calls: [
        ['write_file', { path: 'a/b.py', content: 'def f(x):\n    if x < 3:\n        return "<b>"\n    return x\n' }],
      ],
    },
    {
      name: 'characters of other scripts, and a list',
      output: '<|tool_call>call:search{query:<|"|>Ä, 你好 and 😀<|"|>,tags:[<|"|>x<|"|>,<|"|>y<|"|>]}<tool_call|>',
      calls: [['search', { query: 'Ä, 你好 and 😀', tags: ['x', 'y'] }]],
    },
    { name: 'no arguments', output: '<|tool_call>call:now{}<tool_call|>', calls: [['now', {}]] },
    {
      name: 'two calls',
      output:
        '<|tool_call>call:get_weather{city:<|"|>Paris<|"|>}<tool_call|><|tool_call>call:get_weather{city:<|"|>Oslo<|"|>,days:2}<tool_call|>',
      calls: [
        ['get_weather', { city: 'Paris' }],
        ['get_weather', { city: 'Oslo', days: 2 }],
      ],
    },
    {
      name: 'three calls of different functions',
      output:
        '<|tool_call>call:now{}<tool_call|><|tool_call>call:search{query:<|"|>a "quoted" word, C:\\dir and {braces} [1]<|"|>,limit:10}<tool_call|><|tool_call>call:set_light{on:true,level:0.5,color:null}<tool_call|>',
      calls: [
        ['now', {}],
        ['search', { query: 'a "quoted" word, C:\\dir and {braces} [1]', limit: 10 }],
        ['set_light', { on: true, level: 0.5, color: null }],
      ],
    },
    {
      name: 'a string that looks like a number',
      output: '<|tool_call>call:get_weather{city:<|"|>007<|"|>}<tool_call|>',
      calls: [['get_weather', { city: '007' }]],
    },
    {
      name: 'text, then a call',
      output: 'Let me look that up.\n<|tool_call>call:get_weather{city:<|"|>Paris<|"|>}<tool_call|>',
      text: 'Let me look that up.',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a call, then text',
      output: '<|tool_call>call:get_weather{city:<|"|>Paris<|"|>}<tool_call|>\nDone.',
      text: 'Done.',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a thought, then text',
      output: '<|channel>thought\nTwo and two, so <four>.<channel|>Four.',
      text: 'Four.',
      reasoning: 'Two and two, so <four>.',
    },
    {
      name: 'a thought, then a call',
      output:
        '<|channel>thought\nI need the weather.\nIn Paris.<channel|><|tool_call>call:get_weather{city:<|"|>Paris<|"|>}<tool_call|>',
      reasoning: 'I need the weather.\nIn Paris.',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'a thought, text and two calls',
      output:
        '<|channel>thought\nBoth.<channel|>One moment.\n<|tool_call>call:get_weather{city:<|"|>Paris<|"|>}<tool_call|><|tool_call>call:now{}<tool_call|>',
      text: 'One moment.',
      reasoning: 'Both.',
      calls: [
        ['get_weather', { city: 'Paris' }],
        ['now', {}],
      ],
    },
    {
      name: 'two thoughts',
      output: '<|channel>thought\nfirst<channel|><|channel>thought\nsecond<channel|>Done.',
      text: 'Done.',
      reasoning: 'firstsecond',
    },
    { name: 'a thought without its name', output: '<|channel>hm<channel|>Yes.', text: 'Yes.', reasoning: 'hm' },
    { name: 'an empty thought', output: '<|channel>thought\n<channel|>Yes.', text: 'Yes.' },
    {
      name: 'a thought after text',
      output: 'Well.<|channel>thought\nhm<channel|>Yes.',
      text: 'Well.Yes.',
      reasoning: 'hm',
    },
    {
      name: 'the closing tag forgotten',
      output: '<|tool_call>call:get_weather{city:<|"|>Paris<|"|>}',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'quotes of JSON',
      output: '<|tool_call>call:search{query:"raw \\"quoted\\"",limit:3}<tool_call|>',
      calls: [['search', { query: 'raw "quoted"', limit: 3 }]],
    },
    {
      name: 'quoted keys',
      output: '<|tool_call>call:book{<|"|>guest<|"|>:{<|"|>name<|"|>:<|"|>Ann<|"|>},nights:2}<tool_call|>',
      calls: [['book', { guest: { name: 'Ann' }, nights: 2 }]],
    },
    {
      name: 'white space in lists',
      output: '<|tool_call>call:search{query:<|"|>x<|"|>, tags:[\n  <|"|>a<|"|>,\n  <|"|>b<|"|>\n]}<tool_call|>',
      calls: [['search', { query: 'x', tags: ['a', 'b'] }]],
    },
    {
      name: 'a backslash is only that',
      output: '<|tool_call>call:search{query:<|"|>C:\\users\\n<|"|>}<tool_call|>',
      calls: [['search', { query: 'C:\\users\\n' }]],
    },
    {
      name: 'a word without quotes',
      output: '<|tool_call>call:get_weather{city:Paris}<tool_call|>',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    {
      name: 'the response that the model begins',
      output: '<|tool_call>call:now{}<tool_call|><|tool_response>',
      calls: [['now', {}]],
    },
    {
      name: 'a call inside a thought',
      output: '<|channel>thought\nlook<|tool_call>call:now{}<tool_call|>',
      reasoning: 'look',
      calls: [['now', {}]],
    },
    {
      name: 'cut inside a string',
      output: '<|tool_call>call:search{limit:2,query:<|"|>unfin',
      open: ['search', '{"limit": 2'],
    },
  ],
};
