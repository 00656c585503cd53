/**
 * Names in the options of `startInference`, down to the scripts of scripted models. A page fetches this apart from its own
 * few kilobytes.
 * @module
 */
import type { ApiKey, RateLimits } from '../core/models/access-options.js';
import { checkNames } from '../core/models/check-names.js';
import type { ModelEntry, Pricing, Script, ScriptedReply, VendorMetadata } from '../core/models/model-entry.js';
import { OPTION_NAMES } from './option-names.js';
import type { InferenceOptions } from './start-options.js';

type Names<Of> = Record<keyof Of, true>;

const ENTRY: Names<ModelEntry> = {
  id: true,
  task: true,
  backend: true,
  source: true,
  upstreamModel: true,
  headers: true,
  revision: true,
  integrity: true,
  device: true,
  dtype: true,
  toolFormat: true,
  reasoningFormat: true,
  modelLibrary: true,
  ownedBy: true,
  contextLength: true,
  maxCompletionTokens: true,
  metadata: true,
  pricing: true,
  access: true,
  status: true,
  aliases: true,
  fallback: true,
  script: true,
};

const METADATA: Names<VendorMetadata> = {
  region: true,
  is_external: true,
  architecture: true,
  provider: true,
  capabilities: true,
  license: true,
  status: true,
  hf_link: true,
  overview: true,
  category: true,
};
const PRICING: Names<Pricing> = { prompt: true, completion: true, duration_per_hour: true };
const SCRIPT: Names<Script> = { replies: true, tokenDelayMs: true, failWith: true };
const REPLY: Names<ScriptedReply> = { match: true, text: true, reasoning: true, toolCalls: true, repeat: true };
const CALL: Names<NonNullable<ScriptedReply['toolCalls']>[number]> = { name: true, arguments: true };
const KEY: Names<Exclude<ApiKey, string>> = { key: true, revoked: true };
const LIMITS: Names<RateLimits> = { requestsPerMinute: true, requestsPerDay: true };

/**
 * Refuses names that mean nothing, of options and of all fields in them. Values of a wrong kind are left to the checks of
 * values.
 * @param known the options that there are
 * @param what what they are
 * @throws InferenceError `invalid_request` that names the field and the nearest known one
 */
export function checkOptionNames(
  options: InferenceOptions,
  known: Record<string, true> = OPTION_NAMES,
  what = 'an option of startInference',
): void {
  if (typeof options !== 'object' || options === null) return;
  checkNames(options, known, what);
  check(options.rateLimits, LIMITS, 'rateLimits');
  each(options.apiKeys, 'apiKeys', (key, path) => check(key, KEY, path, 'a key'));
  each(options.models, 'models', checkEntryNames);
}

/**
 * The same for one entry.
 * @param path dotted path of the entry; empty: it stands alone
 */
export function checkEntryNames(entry: ModelEntry, path = ''): void {
  const below = (name: string): string => (path === '' ? name : `${path}.${name}`);
  check(entry, ENTRY, path, 'a model entry');
  check(entry?.metadata, METADATA, below('metadata'));
  check(entry?.pricing, PRICING, below('pricing'));
  check(entry?.script, SCRIPT, below('script'));
  each(entry?.script?.replies, below('script.replies'), (reply, replyPath) => {
    check(reply, REPLY, replyPath, 'a reply');
    each(reply?.toolCalls, `${replyPath}.toolCalls`, (call, callPath) => check(call, CALL, callPath, 'a call'));
  });
}

function check(value: unknown, known: Record<string, true>, path: string, of = `\`${path.split('.').pop()}\``): void {
  if (typeof value === 'object' && value !== null) checkNames(value, known, `a field of ${of}`, path);
}

function each<Item>(items: readonly Item[] | undefined, path: string, look: (item: Item, path: string) => void): void {
  if (Array.isArray(items)) items.forEach((item: Item, index) => look(item, `${path}.${index}`));
}
