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
  /** Remembers it with the file, which has to be there as a whole for that. Never rejects. */
  keep: () => Promise<void>;
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
  const memory = new TrialMemory(source);
  const keep = (): Promise<void> => memory.keep();
  const trial = async (tried: Model): Promise<Trial<Model>> => {
    const [isRight, keepsBits] = await memory.answers(['computes right', 'keeps bits'], tried, async () => {
      const found = await tryGpu(tried);
      return [found.isRight, found.keepsBits];
    });
    return { isRight: isRight!, keepsBits: keepsBits!, tried, keep };
  };
  if (isSimulated) return trial(model);
  const [two, four, halves] = await memory.answers(['32 sums', '64 sums', 'halves'], model, async () => {
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

/** What was found of this GPU, browser and version of the shaders with this file. */
class TrialMemory {
  readonly #source: TrialSource;
  /** What is not kept yet. */
  #found: (readonly [question: string, answer: boolean])[] = [];

  constructor(source: TrialSource) {
    this.#source = source;
  }

  /** @param find what finds them out, in the order of the questions, where they are not known */
  async answers(
    questions: readonly string[],
    { identity }: Identified,
    find: () => Promise<readonly boolean[]>,
  ): Promise<readonly boolean[]> {
    const { file, files } = this.#source;
    const asked = questions.map((question) => `${question} (${identity})`);
    const known = await Promise.all(asked.map((question) => files.fact(file, question)));
    const answers = known.filter((answer) => answer !== undefined);
    if (answers.length === asked.length) return answers;
    const found = await find();
    this.#found.push(...asked.map((question, index) => [question, found[index]!] as const));
    return found;
  }

  async keep(): Promise<void> {
    const { file, files } = this.#source;
    const found = this.#found.splice(0);
    try {
      // One after the other: each is written beside those that are there.
      for (const [question, answer] of found) await files.keepFact(file, question, answer);
    } catch {
      // A full disk is no reason to fail.
    }
  }
}
