/** Mistakes in the scripts of models for tests. */
import { answerMistakes, type Mistake } from './support/mistakes.js';
import { start } from './support/start.js';

const script = (value: unknown) => start({ models: [{ id: 'm', task: 'chat', backend: 'scripted', script: value }] });
const reply = (value: unknown) => script({ replies: [value] });

const SCRIPTS: readonly Mistake[] = [
  ['a script that is a list', 'The option `models.0.script` must be an object, not a list.', script([{ text: 'Hi' }])],
  [
    '`reply` instead of `replies`',
    '`models.0.script.reply` is not a field of `script`. Known are: replies, onUnmatched, images, tokenDelayMs, failWith.',
    script({ reply: 'Hi' }),
  ],
  [
    'replies that are texts',
    'The option `models.0.script.replies.0` must be an object with fields such as `match`, `times`, `text`.',
    script({ replies: ['Hi'] }),
  ],
  [
    '`content` instead of `text`',
    '`models.0.script.replies.0.content` is not a field of a reply. Known are: match, times, text, reasoning,',
    reply({ content: 'Hi' }),
  ],
  [
    '`tool_calls` instead of `toolCalls`',
    '`models.0.script.replies.0.tool_calls` is not a field of a reply. Did you mean `toolCalls`?',
    reply({ tool_calls: [] }),
  ],
  [
    'arguments of a call as JSON text',
    'The option `models.0.script.replies.0.toolCalls.0.arguments` must be an object.',
    reply({ toolCalls: [{ name: 'f', arguments: '{}' }] }),
  ],
  [
    'a call in the form of the API',
    '`models.0.script.replies.0.toolCalls.0.type` is not a field of a call. Known are: name, arguments.',
    reply({ toolCalls: [{ type: 'function', function: { name: 'f', arguments: '{}' } }] }),
  ],
  [
    'a regular expression as `match`',
    'The option `models.0.script.replies.0.match` must be a string, or an object with conditions such as `last` and `system`, not a regular expression.',
    reply({ match: /hi/, text: 'Hi' }),
  ],
  [
    'a misspelt condition',
    '`models.0.script.replies.0.match.contain` is not a field of `match`. Known are: last, any, system, user, toolResult, turn, hasToolResult, tool, images.',
    reply({ match: { contain: 'hi' }, text: 'Hi' }),
  ],
  [
    'a failure that does not exist',
    'The option `models.0.script.replies.0.error.status` must be one of 400, 401, 404, 408, 413, 429, 500, 502, 503, 504, 529.',
    reply({ error: { status: 418 } }),
  ],
  [
    'a failure that is a number',
    'The option `models.0.script.replies.0.error` must be an object with `status`.',
    reply({ error: 500 }),
  ],
  [
    '`failWith` of a status',
    'The option `models.0.script.failWith` must be one of timeout, internal, unavailable.',
    script({ replies: [], failWith: 429 }),
  ],
  [
    'a score above 1',
    'The option `models.0.script.replies.0.score` must be a number from 0 to 1.',
    reply({ score: 7 }),
  ],
  [
    '`times: 0`',
    'The option `models.0.script.replies.0.times` must be a whole number above 0.',
    reply({ text: 'Hi', times: 0 }),
  ],
  [
    'a function in a script of a page',
    'The option `models.0.script.replies.0` must be an object with fields such as `match`, `times`, `text`.',
    script({ replies: [() => ({ text: 'Hi' })] }),
  ],
];

answerMistakes(SCRIPTS);
