/** What `LanguageModel` is asked to be able to. @module */
import { dictionary, listOf, oneOf } from './idl.js';
import { canonicalTags, servedAs } from './languages.js';
import { INPUT_TYPES } from './prompt-input.js';
import { readSampling, type Sampling } from './sampling-options.js';
import type { Service } from './service.js';
import { readTools, type Tools } from './tool-rounds.js';

const OUTPUT_TYPES = ['text', 'image', 'audio', 'tool-call'] as const;

/** What `availability` and `create` both read. */
export interface SessionOptions {
  sampling: Sampling;
  tools: Tools;
  /** Kinds of input. */
  inputs: ReadonlySet<string>;
  outputs: ReadonlySet<string>;
  languages: readonly string[];
}

/** @throws TypeError or RangeError */
export function readSessionOptions(options: unknown): SessionOptions {
  const { expectedInputs, expectedOutputs, tools, ...rest } = dictionary(options);
  const languages: string[] = [];
  const kinds = (list: unknown, types: readonly string[], name: string): ReadonlySet<string> =>
    new Set(
      (list === undefined ? [] : listOf(list, name)).map((each) => {
        const { type, languages: tags } = dictionary(each, name);
        if (tags !== undefined) languages.push(...canonicalTags(tags, 'languages'));
        return oneOf(type, types, `${name}.type`);
      }),
    );
  const inputs = kinds(expectedInputs, [...INPUT_TYPES, 'tool-call'], 'expectedInputs');
  const outputs = kinds(expectedOutputs, OUTPUT_TYPES, 'expectedOutputs');
  return {
    sampling: readSampling(rest),
    tools: readTools(tools, outputs.has('tool-call')),
    inputs,
    outputs,
    languages,
  };
}

/** What is known before a model is loaded: whether the options can be served at all. */
export function canServe({ languages, inputs, outputs }: SessionOptions, service: Service): boolean {
  if (languages.some((tag) => servedAs(tag, service.settings.languages) === undefined)) return false;
  if (outputs.has('image') || outputs.has('audio')) return false;
  return !inputs.has('audio') || service.speechModel !== undefined;
}

/** Whether the model sees, where it is asked to. */
export async function canSee({ inputs }: SessionOptions, service: Service, model: string): Promise<boolean> {
  return !inputs.has('image') || service.sees(model);
}
