/** What an entry says of its model for `GET /v1/models`. Public. @module */
import * as v from 'valibot';
import { fields, optional, text } from './option-schema.js';

/** Shown by `GET /v1/models?verbose=true` as `vendor_metadata`. */
export interface VendorMetadata {
  /** Data residency; `on-device` for local models. */
  region?: string;
  /** Requests leave the device. */
  is_external?: boolean;
  /** Name of the model's architecture, e.g. `llama`. */
  architecture?: string;
  /** Who made the model. */
  provider?: string;
  /** What the model can do, e.g. `chat`, `tools`, `json`, `reasoning`, `vision`, `embeddings`, `transcription`. */
  capabilities?: string[];
  /** SPDX id or name of the weights' license. */
  license?: string;
  /** In the words of the catalog, e.g. `available`. */
  status?: string;
  /** Page of the model on its hub. */
  hf_link?: string;
  /** What the model is, in a sentence or two. */
  overview?: string;
  /**
   * What the model is for.
   * @default the task
   */
  category?: string;
}

/** Shown as it is by `GET /v1/models`, in whatever unit the app means; nothing is billed. */
export interface Pricing {
  /** Price of prompt tokens. */
  prompt: number;
  /** Price of generated tokens. */
  completion: number;
  /** Price of an hour of sound. */
  duration_per_hour: number;
}

const someText = text('a text');

/** @internal */
export const METADATA = fields(
  {
    region: optional(someText),
    is_external: optional(v.boolean('true or false')),
    architecture: optional(someText),
    provider: optional(someText),
    capabilities: optional(v.array(someText, 'an array of texts')),
    license: optional(someText),
    status: optional(someText),
    hf_link: optional(someText),
    overview: optional(someText),
    category: optional(someText),
  },
  'a field of `metadata`',
);

const price = v.number('a number');
/** @internal */
export const PRICING = fields({ prompt: price, completion: price, duration_per_hour: price }, 'a field of `pricing`');
