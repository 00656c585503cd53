/** What a model entry must be, and which of its fields belong together: entries come from JavaScript and JSON, too. @module */
import type * as v from 'valibot';
import { pipe, rawCheck } from 'valibot';
import { ENTRY_FIELDS, type ModelEntry, type TypedModelEntry } from './model-entry.js';
import { fields, type Same } from './option-schema.js';
import { problemOfSource } from './source-problem.js';

type Backend = ModelEntry['backend'];
type Task = ModelEntry['task'];

/** What browsers have models of their own for. Other backends look at a model's files before they say what it is for. */
const BUILT_IN_TASKS: readonly Task[] = ['chat', 'embeddings'];

/** The fields of a union's members. */
type FieldsOf<Entry> = Entry extends unknown ? keyof Entry : never;

/** The backends that have a field. */
type BackendsWith<Field> = {
  [Each in Backend]: Field extends FieldsOf<Extract<TypedModelEntry, { backend: Each }>> ? Each : never;
}[Backend];

/** The fields that not every entry has. */
type Limited = { [Field in keyof ModelEntry]-?: Backend extends BackendsWith<Field> ? never : Field }[keyof ModelEntry];

const ON_DEVICE = ['gguf', 'transformers', 'web-llm', 'scripted'] as const;

const BACKENDS_OF = {
  source: ['gguf', 'transformers', 'web-llm', 'upstream', 'scripted'],
  upstreamModel: ['upstream'],
  headers: ['upstream'],
  revision: ON_DEVICE,
  integrity: ON_DEVICE,
  device: ON_DEVICE,
  dtype: ['gguf', 'transformers'],
  file: ['gguf'],
  kvCache: ['gguf'],
  loras: ['gguf'],
  chatTemplate: ['gguf'],
  toolFormat: ON_DEVICE,
  reasoningFormat: ON_DEVICE,
  pooling: ['gguf', 'transformers'],
  inputs: ['transformers'],
  voices: ['transformers'],
  phonemizer: ['transformers'],
  prompts: ['gguf', 'transformers', 'upstream', 'scripted'],
  judgePrompt: ['gguf', 'transformers'],
  truncate: ON_DEVICE,
  modelLibrary: ['web-llm'],
  languages: ['built-in'],
  script: ['scripted'],
} as const satisfies { [Field in Limited]: readonly BackendsWith<Field>[] };

/** Fields that say nothing to models of other tasks. */
const TASKS_WITH: { readonly [Field in Limited]?: readonly Task[] } = {
  kvCache: ['chat'],
  loras: ['chat'],
  chatTemplate: ['chat'],
  toolFormat: ['chat'],
  reasoningFormat: ['chat'],
  pooling: ['embeddings', 'rerank'],
  inputs: ['embeddings', 'rerank'],
  prompts: ['embeddings'],
  truncate: ['embeddings'],
  judgePrompt: ['rerank'],
  voices: ['text-to-speech'],
  phonemizer: ['text-to-speech'],
};

/** What is said of a field, as the end of a sentence. */
interface EntryProblem {
  field: keyof ModelEntry;
  message: string;
}

/** What is wrong, and what the field must be: the end of "The option `…` must be …". */
function problemOf(entry: ModelEntry): EntryProblem | undefined {
  const { backend, loras, task } = entry;
  if (backend === 'built-in' && !BUILT_IN_TASKS.includes(task))
    return {
      field: 'task',
      message: `${choiceOf(BUILT_IN_TASKS)}, because the backend \`${backend}\` has no models for ${task}`,
    };
  if (loras && (backend !== 'gguf' || task !== 'chat'))
    return { field: 'loras', message: 'left out, because only chat models in GGUF files have adapters' };
  const message = problemOfSource(entry);
  return message === undefined ? undefined : { field: 'source', message };
}

/** The fields that this entry's backend or task does not read, each with the reason: the end of "… has no effect, because …". */
export function idleFields(entry: ModelEntry): EntryProblem[] {
  const { backend, task } = entry;
  return (Object.keys(BACKENDS_OF) as Limited[]).flatMap((field) => {
    if (entry[field] === undefined) return [];
    const backends: readonly Backend[] = BACKENDS_OF[field];
    if (!backends.includes(backend)) return [{ field, message: onlyFor('backend', backends, backend) }];
    const users = TASKS_WITH[field];
    return users && !users.includes(task) ? [{ field, message: onlyFor('task', users, task) }] : [];
  });
}

function onlyFor(kind: 'backend' | 'task', users: readonly string[], own: string): string {
  return `it is for the ${kind} ${choiceOf(users)}, and this model has \`${own}\``;
}

function choiceOf(names: readonly string[]): string {
  const quoted = names.map((name) => `\`${name}\``);
  const last = quoted.pop()!;
  return quoted.length === 0 ? last : `${quoted.join(', ')} or ${last}`;
}

const entrySchema = fields(ENTRY_FIELDS, 'a field of a model entry');
true satisfies Same<v.InferInput<typeof entrySchema>, ModelEntry>;

const checkedEntry: v.GenericSchema<ModelEntry> = pipe(
  entrySchema,
  rawCheck(({ dataset: { typed, value }, addIssue }) => {
    const problem = typed ? problemOf(value) : undefined;
    if (!typed || !problem) return;
    const { field: key, message } = problem;
    addIssue({ message, path: [{ type: 'object', origin: 'value', input: value, key, value: value[key] }] });
  }),
);

/** @internal */
export const MODEL_ENTRY = checkedEntry as v.GenericSchema<TypedModelEntry, ModelEntry>;
