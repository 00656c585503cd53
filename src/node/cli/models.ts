/** `inpage models`. @module */
import { type RecommendationFilter, recommend } from '../../core/models/recommended-models.js';
import { type Command, type CommandValues, table, UsageError } from './command.js';
import { print } from './print.js';

const TASKS = ['chat', 'embeddings', 'speech-to-text'] as const;
const DEVICES = ['wasm', 'webgpu'] as const;

/** Prints the list that `recommendedModels` reads. */
export const models: Command = {
  summary: 'Lists models of the Hugging Face Hub to begin with: what for, megabytes, context, licence.',
  usage: ['models [--task NAME] [--device NAME] [--max-mb N]'],
  options: {
    task: { type: 'string', value: 'NAME', help: `One of ${TASKS.join(', ')}. Default: all` },
    device: { type: 'string', value: 'NAME', help: `One of ${DEVICES.join(', ')}. Default: wasm` },
    'max-mb': { type: 'string', value: 'N', help: 'Megabytes of weights that may be downloaded. Default: any' },
  },
  examples: ['npx inpage models', 'npx inpage models --task chat --device webgpu --max-mb 1000'],
  run(words, values) {
    if (words.length > 0) throw new UsageError(`\`inpage models\` takes options only, not \`${words[0]}\`.`);
    const found = recommend(filterOf(values));
    if (found.length === 0) throw new Error('No model of the list fits. Allow more with `--max-mb`.');
    const rows = found.map(({ source, task, dtype, bytes, contextLength, license, overview }) => {
      const facts = `${task}, ${dtype}, ${bytes / 1e6} MB, ${contextLength} tokens, ${license}`;
      return [source, `${facts}. ${overview}`] as const;
    });
    print(`${table(rows)}\n`);
  },
};

function filterOf({ task, device, 'max-mb': most }: CommandValues): RecommendationFilter {
  if (most !== undefined && !(Number(most) > 0)) {
    throw new UsageError(`\`--max-mb\` must be a number above 0, not \`${String(most)}\`.`);
  }
  return {
    ...(task !== undefined && { task: oneOf(TASKS, '--task', task) }),
    ...(device !== undefined && { device: oneOf(DEVICES, '--device', device) }),
    ...(most !== undefined && { maxBytes: Number(most) * 1e6 }),
  };
}

function oneOf<Name extends string>(names: readonly Name[], flag: string, value: string | boolean): Name {
  const found = names.find((name) => name === value);
  if (found === undefined)
    throw new UsageError(`\`${flag}\` must be one of ${names.join(', ')}, not \`${String(value)}\`.`);
  return found;
}
