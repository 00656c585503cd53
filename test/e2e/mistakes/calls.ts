/** Calls that are wrong on a page that runs, and all calls after `stop()`. */
import { ask, call, load, type Mistake } from './make-mistake.js';

const UNKNOWN =
  'The model `nope` does not exist. Available models: `count`, `blocked`, `blocked-gguf`, `blocked-file`, `limited`, `limited-gguf`, `waiting`, `private` and more.';

export const CALLS: readonly Mistake[] = [
  ['`load` of an unknown model', UNKNOWN, load('nope')],
  ['`load` of nothing', UNKNOWN.replace('nope', 'undefined'), call(() => (window.inference!.load as () => unknown)())],
  ['`unload` of an unknown model', UNKNOWN, call(() => window.inference!.unload('nope'))],
  ['`download` of an unknown model', UNKNOWN, call(() => window.inference!.download('nope'))],
  [
    '`importModel` of an unknown model',
    UNKNOWN,
    call(() => window.inference!.importModel('nope', [new File(['x'], 'x')])),
  ],
  [
    '`importModel` without files',
    '`files` must be a directory handle, or a non-empty list of `File` or `FileSystemEntry` objects.',
    call(() => window.inference!.importModel('long', null as never)),
  ],
  [
    '`importModel` of a model without files',
    'The model `count` has the backend `scripted`, which uses no files. Only models with the backends `gguf`, `transformers` and `web-llm` can be imported.',
    call(() => window.inference!.importModel('count', [new File(['x'], 'x')])),
  ],
  [
    '`importModel` with other files',
    'The model `picked` could not be loaded. The picked files do not include `config.json`.',
    call(() => window.inference!.importModel('picked', [new File(['x'], 'x')])),
  ],
  [
    '`importModel` with other files, GGUF',
    'The model `picked-gguf` could not be loaded. The picked files do not include `a.gguf`.',
    call(() => window.inference!.importModel('picked-gguf', [new File(['x'], 'x')])),
  ],
  [
    '`remove` of an unknown model',
    `${UNKNOWN} For files of a model that is not in \`models\`, pass the \`source\` that \`stored()\` lists.`,
    call(() => window.inference!.remove('nope')),
  ],
  ['`cachePrompt` of an unknown model', UNKNOWN, call(() => window.inference!.cachePrompt('nope', 'Hi'))],
  [
    '`cachePrompt` of a model without prompts',
    'The prompts of `count` cannot be cached. Only models with the backends `gguf` and `transformers` support this.',
    call(() => window.inference!.cachePrompt('count', 'Hi')),
  ],
  [
    '`cachePrompt` of what is no message',
    '`messages.0.role` is required.',
    call(() => window.inference!.cachePrompt('long-gguf', [{ text: 'Hi' }])),
  ],
  [
    '`faults.set` of another fault',
    '`nonsense` is not a fault. Known are: fail, delayBeforeHeadersMs, delayPerEventMs, cutStreamAfterEvents.',
    call(() => window.inference!.faults.set({ nonsense: 1 } as never)),
  ],
  [
    '`recorded` without `record`',
    'No answers are recorded. Set the option `record` to `true`.',
    call(() => window.inference!.recorded()),
  ],
  [
    'a second start with other options',
    'Inference is already running on this page with different options (`models`, `hub`). Call its `stop()` first.',
    call(() => window.startInference({ models: [] })),
  ],
];

const STOPPED =
  '`stop()` was called on this `inference`. Call `startInference` again and use the object that it returns.';

export const STOPPED_CALLS: readonly Mistake[] = [
  ['`load`', STOPPED, load('count')],
  ['`unload`', STOPPED, call(() => window.inference!.unload('count'))],
  ['`download`', STOPPED, call(() => window.inference!.download('long'))],
  [
    '`download` with a signal',
    STOPPED,
    call(() => window.inference!.download('long', { signal: new AbortController().signal })),
  ],
  ['`importModel`', STOPPED, call(() => window.inference!.importModel('long', [new File(['x'], 'x')]))],
  ['`remove`', STOPPED, call(() => window.inference!.remove('long'))],
  ['`cachePrompt`', STOPPED, call(() => window.inference!.cachePrompt('long', 'Hi'))],
  ['`faults.set`', STOPPED, call(() => window.inference!.faults.set({}))],
  ['`faults.clear`', STOPPED, call(() => window.inference!.faults.clear())],
  ['`recorded`', STOPPED, call(() => window.inference!.recorded())],
  ['`storedResponses`', STOPPED, call(() => window.inference!.storedResponses())],
  ['`removeResponses`', STOPPED, call(() => window.inference!.removeResponses())],
  ['`storedFiles`', STOPPED, call(() => window.inference!.storedFiles())],
  ['`removeFiles`', STOPPED, call(() => window.inference!.removeFiles())],
  ['`inference.fetch`', `503 ${STOPPED}`, ask('count', 'inference.fetch')],
  [
    '`fetch`',
    '503 Inference was stopped on this page and is not running in any other tab. Call `startInference` again before you use `fetch` or `inference.fetch`.',
    ask('count'),
  ],
];

/** Told in the console. */
export const WARNED_STOPPED_CALLS: readonly Mistake[] = [
  ['`subscribe`', STOPPED, call(() => void window.inference!.subscribe(() => {}))],
];
