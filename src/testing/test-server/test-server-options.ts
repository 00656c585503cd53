/** Checks what the test server is told, and takes functions out of scripts. @module */
import * as v from 'valibot';
import { InferenceError } from '../../core/errors/inference-error.js';
import { checkFallbacks, warnOfIdleFields } from '../../core/models/check-models.js';
import { INFERENCE_OPTIONS } from '../../core/models/inference-options.js';
import { fields, number, optional, parseOptions, wrongOption } from '../../core/models/option-schema.js';
import { SCRIPT, SCRIPTED_REPLY, type ScriptedReply } from '../../core/models/script.js';
import { runsInProcess } from '../../serve/models/runs-in-node.js';
import type { SentEntry, SentReply, SentScript, ServerSettings } from './protocol.js';
import type { ReplyFunction, TestScript, TestServerOptions } from './test-server-types.js';

/** Where the clock stands. */
const START = '2026-01-01T00:00:00Z';

const isPort = (port: number): boolean => Number.isInteger(port) && port >= 0 && port <= 65_535;

const OPTIONS = fields(
  {
    ...v.pick(INFERENCE_OPTIONS, [
      'models',
      'apiKeys',
      'rateLimits',
      'compatibility',
      'requestTimeout',
      'prefix',
      'record',
      'storeResponses',
    ]).entries,
    port: optional(number('a whole number from 0 to 65535', isPort), 0),
    now: optional(v.unknown()),
  },
  'an option of startTestServer',
);

/** The functions of a test, by their numbers. */
export type ReplyFunctions = ReplyFunction[];

/** @throws InferenceError `invalid_request` whose `param` names the option */
export function readServerOptions(options: TestServerOptions, functions: ReplyFunctions): ServerSettings {
  const { models, now = START } = options;
  const sent = Array.isArray(models) ? models.map((entry: unknown) => withoutFunctions(entry, functions)) : undefined;
  const checked = parseOptions(OPTIONS, {
    ...options,
    ...(models !== undefined && { models: sent?.map(({ plain }) => plain) ?? models }),
  });
  const entries = models === undefined ? undefined : checked.models;
  for (const [index, entry] of (entries ?? []).entries()) {
    if (!runsInProcess(entry))
      throw wrongOption(
        `models.${index}.backend`,
        '`scripted` or `upstream`, because a test server runs no other models',
      );
  }
  checkFallbacks(entries ?? []);
  warnOfIdleFields(entries ?? []);
  return {
    ...checked,
    models: entries?.map((entry, index): SentEntry => ({ ...entry, ...withScript(sent?.[index]?.script) })),
    port: checked.port ?? 0,
    now: startOf(now),
  };
}

/** @throws InferenceError `invalid_request` whose `param` names what is wrong */
export function readUse(
  given: TestScript | ScriptedReply | ReplyFunction | readonly (ScriptedReply | ReplyFunction)[],
  functions: ReplyFunctions,
): SentScript {
  if (typeof given === 'function' || Array.isArray(given)) return readScript({ replies: given }, functions);
  if (typeof given === 'object' && given !== null && 'replies' in given) return readScript(given, functions);
  return { replies: [readReply(given)] };
}

/** @throws InferenceError about a reply of a test, or what a function of it has returned */
export function readReply(reply: unknown): ScriptedReply {
  if (typeof reply !== 'object' || reply === null)
    throw new InferenceError('invalid_request', "A reply must be an object such as `{ text: 'Hi' }`.");
  return parseOptions(SCRIPTED_REPLY, reply, 'field');
}

function readScript(script: { replies: unknown }, functions: ReplyFunctions): SentScript {
  const { plain, sent } = split(script, functions);
  parseOptions(SCRIPT, plain, 'field');
  return sent;
}

function withScript(script: SentScript | undefined): { script?: SentScript } {
  return script ? { script } : {};
}

/** An entry for the check, and its script with the numbers of its functions. */
function withoutFunctions(entry: unknown, functions: ReplyFunctions): { plain: unknown; script?: SentScript } {
  const { script } = (entry ?? {}) as { script?: unknown };
  if (typeof script !== 'object' || script === null) return { plain: entry };
  const { plain, sent } = split(script as { replies: unknown }, functions);
  return { plain: { ...(entry as object), script: plain }, script: sent };
}

function split(script: { replies: unknown }, functions: ReplyFunctions): { plain: object; sent: SentScript } {
  const given = typeof script.replies === 'function' ? [script.replies] : script.replies;
  if (!Array.isArray(given)) return { plain: script, sent: script as SentScript };
  const numbered = given.map((reply: unknown): SentReply =>
    typeof reply === 'function' ? { function: functions.push(reply as ReplyFunction) - 1 } : (reply as ScriptedReply),
  );
  // The check sees an empty reply in the place of a function.
  const plain = given.map((reply: unknown) => (typeof reply === 'function' ? {} : reply));
  return { plain: { ...script, replies: plain }, sent: { ...script, replies: numbered } };
}

/** Unix milliseconds; undefined: the machine's clock. */
function startOf(now: unknown): number | undefined {
  if (now === 'real') return undefined;
  // A Date may be of another realm.
  const time = typeof now === 'string' ? Date.parse(now) : Number(now);
  if (Number.isFinite(time) && now !== null) return time;
  throw new InferenceError(
    'invalid_request',
    "The option `now` must be a Date, Unix milliseconds, an ISO string or 'real'.",
    { param: 'now' },
  );
}
