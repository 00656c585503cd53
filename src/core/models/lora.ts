/** LoRA adapters of a GGUF model. Public. @module */
import * as v from 'valibot';
import { fields, number, optional, type Same, text } from './option-schema.js';

/** An adapter in a GGUF file. */
export interface Lora {
  /** URL of a `.gguf` file, or of a folder, or a hub id, with the adapter in it. */
  source: string;
  /** The file in the folder or hub repository that `source` names; `*` stands for any characters but `/`. */
  file?: string;
  /**
   * Without a colon: only requests for the model `<entry id>:<id>` use the adapter.
   * @default every request uses it
   */
  id?: string;
  /**
   * How strong it is: -4 to 4.
   * @default 1
   */
  scale?: number;
}

/** @internal The name of a GGUF file. */
export const GGUF_FILE = text(
  'the name of a file that ends in `.gguf`, in which `*` stands for any characters but `/`',
  (value) => /^[^/\\?#:][^\\?#:]*\.gguf$/i.test(value) && !value.split('/').includes('..'),
);

const MOST = 8;
const MOST_SCALE = 4;

const LORA = fields(
  {
    source: text('a string that is not empty', (value) => value !== ''),
    file: optional(GGUF_FILE),
    id: optional(
      text(
        'a string without `:` that is neither empty nor `latest`',
        (value) => value !== '' && value !== 'latest' && !value.includes(':'),
      ),
    ),
    scale: optional(number('a number from -4 to 4', (value) => Math.abs(value) <= MOST_SCALE)),
  },
  'a field of an adapter',
);

/** @internal Of an entry. */
export const LORAS = v.pipe(
  v.array(LORA, 'an array of adapters'),
  v.maxLength(MOST, `an array of at most ${MOST} adapters`),
  v.check(hasOwnIds, 'an array of adapters whose `id`s are all different'),
);
true satisfies Same<v.InferInput<typeof LORAS>, Lora[]>;

function hasOwnIds(loras: Lora[]): boolean {
  const ids = loras.flatMap(({ id }) => (id === undefined ? [] : [id]));
  return new Set(ids).size === ids.length;
}

/** @internal The name of the model that an adapter makes of an entry's. */
export const adaptedId = (entryId: string, loraId: string): string => `${entryId}:${loraId}`;
