/** What a GPU computes, and with which shaders: found out once for a file. @module */
import type { GgufSource } from '../gguf-source.js';
import type { SelfCheck } from './self-check.js';
import { DEFAULT_TUNING, type ShaderTuning } from './shaders/tuning.js';

/** Where it is remembered. */
export type TrialSource = Pick<GgufSource<unknown>, 'file' | 'files'>;

/** A model on a GPU, for which its outcomes are remembered. */
interface Identified {
  identity: string;
  tuning?: ShaderTuning;
}

/** What finds it out. */
interface Trials<Model> {
  tuneGpu: (model: Model) => Promise<ShaderTuning>;
  tryGpu: (model: Model) => Promise<SelfCheck>;
}

/** What was found. */
export interface Trial<Model> extends SelfCheck {
  /** The model with the shaders that were tried. */
  tried: Model;
}

/**
 * Tries a GPU with the shaders that are the fastest there; where they compute something else, with those for all GPUs. A GPU that
 * is simulated is not worth the time of finding out.
 */
export async function tryRemembered<Model extends Identified>(
  { tryGpu, tuneGpu }: Trials<Model>,
  model: Model,
  source: TrialSource,
  isSimulated = false,
): Promise<Trial<Model>> {
  const trial = async (tried: Model): Promise<Trial<Model>> => {
    const [isRight, keepsBits] = await remembered(['computes right', 'keeps bits'], tried, source, async () => {
      const found = await tryGpu(tried);
      return [found.isRight, found.keepsBits];
    });
    return { isRight: isRight!, keepsBits: keepsBits!, tried };
  };
  if (isSimulated) return trial(model);
  const [two, four, halves] = await remembered(['32 sums', '64 sums', 'halves'], model, source, async () => {
    const found = await tuneGpu(model);
    return [found.lanes === 32, found.lanes === 64, found.halves];
  });
  const tuned = withTuning(model, { lanes: four ? 64 : two ? 32 : 16, halves: halves! });
  const found = await trial(tuned);
  return tuned === model || (found.isRight && found.keepsBits) ? found : trial(model);
}

/** What tuned shaders compute has other bits: it is tried, remembered and kept apart from that of others. */
function withTuning<Model extends Identified>(model: Model, tuning: ShaderTuning): Model {
  const { lanes, halves } = tuning;
  if (lanes === DEFAULT_TUNING.lanes && halves === DEFAULT_TUNING.halves) return model;
  return { ...model, tuning, identity: `${model.identity}, ${lanes} sums${halves ? ', halves' : ''}` };
}

/** What was found of this GPU, browser and version of the shaders with this file; found out once. */
async function remembered(
  questions: readonly string[],
  { identity }: Identified,
  { file, files }: TrialSource,
  find: () => Promise<readonly boolean[]>,
): Promise<readonly boolean[]> {
  const asked = questions.map((question) => `${question} (${identity})`);
  const known = await Promise.all(asked.map((question) => files.fact(file, question)));
  const answers = known.filter((answer) => answer !== undefined);
  if (answers.length === asked.length) return answers;
  const found = await find();
  try {
    // One after the other: each is written beside those that are there.
    for (const [index, question] of asked.entries()) await files.keepFact(file, question, found[index]!);
  } catch {
    // A full disk is no reason to fail.
  }
  return found;
}
