/** `inpage models`. @module */
import { type RecommendationFilter, recommend } from '../../core/models/recommended-models.js';
import { suggestName } from '../../core/models/suggest-name.js';
import { type Command, type CommandValues, table, UsageError } from './command.js';
import { print } from './print.js';

const TASKS = ['chat', 'embeddings', 'rerank', 'speech-to-text', 'text-to-speech'] as const;
const DEVICES = ['wasm', 'webgpu'] as const;

/** Prints the list that `recommendedModels` reads. */
export const models: Command = {
  summary: 'Lists recommended models from the Hugging Face Hub, with their use, size, context window and license.',
  usage: ['models [--task NAME] [--device NAME] [--max-mb N]', 'models --entry NAME'],
  options: {
    task: { type: 'string', value: 'NAME', help: `One of ${TASKS.join(', ')}. Default: all` },
    device: { type: 'string', value: 'NAME', help: `One of ${DEVICES.join(', ')}. Default: wasm` },
    entry: { type: 'string', value: 'NAME', help: 'Prints the entry of this model, for `models` of `startInference`' },
    'max-mb': { type: 'string', value: 'N', help: 'Megabytes of weights that may be downloaded. Default: any' },
  },
  examples: [
    'npx inpage models',
    'npx inpage models --task chat --device webgpu --max-mb 1000',
    'npx inpage models --entry Qwen3-0.6B-GGUF',
  ],
  run(words, values) {
    if (words.length > 0) throw new UsageError(`\`inpage models\` accepts options only, not \`${words[0]}\`.`);
    if (values['entry'] !== undefined) return print(`${entryText(String(values['entry']))}\n`);
    const found = recommend(readFilter(values));
    if (found.length === 0) throw new Error('No model of the list fits. Allow more with `--max-mb`.');
    const rows = found.map((model) => {
      const { source, task, backend, dtype, bytes, contextLength, license, languages, overview } = model;
      const facts = `${task}, ${backend}, ${dtype}, ${bytes / 1e6} MB, ${contextLength} tokens, ${license}`;
      return [source, `${facts}. ${overview} Languages: ${languages}.`] as const;
    });
    print(`${table(rows)}\n`);
  },
};

/** As JavaScript, to paste: for any device where the model runs on both. @param name id or source */
function entryText(name: string): string {
  const all = DEVICES.flatMap((device) => recommend({ device }));
  const [found, other] = all.filter(({ source, entry }) => [source, entry.id].includes(name));
  if (!found) {
    const ids = [...new Set(all.map(({ entry }) => entry.id))];
    throw new UsageError(`There is no \`${name}\`. ${suggestName(name, ids)}`);
  }
  const ofOneDevice = new Set(other ? ['device', 'dtype'] : []);
  const fields = Object.entries(found.entry).filter(([key]) => !ofOneDevice.has(key));
  return `{ ${fields.map(([key, value]) => `${key}: '${String(value)}'`).join(', ')} }`;
}

function readFilter({ task, device, 'max-mb': most }: CommandValues): RecommendationFilter {
  if (most !== undefined && !(Number(most) > 0)) {
    throw new UsageError(`\`--max-mb\` must be a number above 0, not \`${String(most)}\`.`);
  }
  return {
    ...(task !== undefined && { task: oneOf(TASKS, '--task', task) }),
    ...(device !== undefined && { device: oneOf(DEVICES, '--device', device) }),
    ...(most !== undefined && { maxBytes: Number(most) * 1e6 }),
  };
}

function oneOf<Name extends string>(names: readonly Name[], flag: string, value: CommandValues[string]): Name {
  const found = names.find((name) => name === value);
  if (found === undefined)
    throw new UsageError(`\`${flag}\` must be one of ${names.join(', ')}, not \`${String(value)}\`.`);
  return found;
}
