/** Puts the browser's interfaces for built-in models into the window, on the page's own models. @module */
import type { ModelStatus } from '../core/models/model-status.js';
import { INTERFACES, type InterfaceName } from './interface-names.js';
import { canonicalTags } from './languages.js';
import { createLanguageModel } from './language-model.js';
import { createProofreader } from './proofreading.js';
import { createSemanticEmbedder } from './semantic-embedder.js';
import { type Inference, Service } from './service.js';
import { taskModel } from './text-task.js';
import { TOOL_CLASSES } from './tool-parts.js';
import { createTranslationInterfaces } from './translation.js';
import { createWritingInterfaces } from './writing.js';

/** What {@link installBuiltInAI} takes. */
export interface BuiltInAIOptions {
  /**
   * Ids of the catalog; absent: its first `chat` and its first `embeddings` entry.
   * @example
   * installBuiltInAI(inference, { models: { chat: 'qwen' } });
   */
  models?: { chat?: string; embeddings?: string };
  /**
   * Tags of the languages that the chat model knows.
   * @default ['en']
   * @example
   * installBuiltInAI(inference, { languages: ['en', 'de'] });
   */
  languages?: readonly string[];
  /**
   * Replaces also interfaces of the browser's own that work: all, or those of these names.
   * @default false
   * @example
   * installBuiltInAI(inference, { force: ['LanguageModel'] });
   */
  force?: boolean | readonly string[];
  /**
   * Names of the only interfaces that are installed.
   * @example
   * installBuiltInAI(inference, { only: ['LanguageModel', 'Summarizer'] });
   */
  only?: readonly string[];
  /**
   * The key that requests are sent with, where the service asks for one.
   * @example
   * installBuiltInAI(inference, { apiKey: 'key-of-a-test' });
   */
  apiKey?: string;
}

/** What {@link installBuiltInAI} has done. Each interface is in one of the lists. */
export interface InstalledBuiltInAI {
  /** On the page's own models now. */
  installed: InterfaceName[];
  /** The browser's own, or left as it was. */
  kept: InterfaceName[];
  /** What the catalog or `languages` cannot serve. */
  missing: InterfaceName[];
  /** Puts back what was there, and destroys what was created. */
  remove(): void;
}

const KNOWN = new Set(['models', 'languages', 'force', 'only', 'apiKey']);

/** What is asked of the browser's own interface to see whether it works. */
interface Own {
  availability?: (options?: object) => Promise<string>;
}

let latest: InstalledBuiltInAI | undefined;

/**
 * Installs `LanguageModel` and its siblings where the browser has none, or none that works on this device.
 * @param inference what `startInference` gave
 * @throws TypeError or RangeError that names the option that is wrong
 * @example
 * await installBuiltInAI(await startInference());
 * const session = await LanguageModel.create();
 */
export async function installBuiltInAI(
  inference: Inference,
  options: BuiltInAIOptions = {},
): Promise<InstalledBuiltInAI> {
  const { service, only, force } = readOptions(inference, options);
  latest?.remove();
  const made = makeInterfaces(service);
  const lists: Pick<InstalledBuiltInAI, 'installed' | 'kept' | 'missing'> = { installed: [], kept: [], missing: [] };
  const works = await Promise.all(
    INTERFACES.map(async (name) => !force.has(name) && ownWorks(name, service.settings.languages)),
  );
  const replaced: (() => void)[] = [];
  for (const [index, name] of INTERFACES.entries()) {
    const isLeft = !only.has(name) || works[index];
    const globals = made[name];
    lists[isLeft ? 'kept' : globals ? 'installed' : 'missing'].push(name);
    if (isLeft || !globals) continue;
    for (const [property, value] of Object.entries(globals)) replaced.push(define(property, named(property, value)));
  }
  const installed: InstalledBuiltInAI = {
    ...lists,
    remove() {
      if (latest === installed) latest = undefined;
      for (const restore of replaced.splice(0)) restore();
      for (const lifetime of service.lifetimes) lifetime.end();
    },
  };
  return (latest = installed);
}

/** Each interface's globals; without those that the catalog or `languages` cannot serve. */
function makeInterfaces(service: Service): Partial<Record<InterfaceName, Record<string, unknown>>> {
  const { chat, embeddings, languages } = service.settings;
  const made: Partial<Record<InterfaceName, object>> = {};
  if (chat !== undefined) {
    const on = taskModel(service, chat);
    const { Translator, LanguageDetector } = createTranslationInterfaces(on);
    Object.assign(made, {
      LanguageModel: createLanguageModel(on),
      ...createWritingInterfaces(on),
      ...(languages.length > 1 && { Translator, LanguageDetector }),
      Proofreader: createProofreader(on),
    });
  }
  if (embeddings !== undefined) made.SemanticEmbedder = createSemanticEmbedder(service, embeddings);
  return Object.fromEntries(
    Object.entries(made).map(([name, value]) => [
      name,
      { [name]: value, ...(name === 'LanguageModel' && TOOL_CLASSES) },
    ]),
  );
}

/** Whether the browser's own is there and not `unavailable`. */
async function ownWorks(name: InterfaceName, [first, second]: readonly string[]): Promise<boolean> {
  const own = (globalThis as Record<string, unknown>)[name] as Own | undefined;
  if (typeof own?.availability !== 'function') return false;
  // One language is nothing to ask a translator about: it is left as it is.
  if (name === 'Translator' && second === undefined) return true;
  const asked = name === 'Translator' ? { sourceLanguage: first, targetLanguage: second } : undefined;
  try {
    return (await own.availability(asked)) !== 'unavailable';
  } catch {
    return false;
  }
}

/** A class as the browser's own is called: bundlers shorten names. */
function named(name: string, value: unknown): unknown {
  return Object.defineProperty(value as object, 'name', { value: name, configurable: true });
}

/** Defines a global as the browser does. @returns puts back what was there */
function define(name: string, value: unknown): () => void {
  const before = Object.getOwnPropertyDescriptor(globalThis, name);
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true, enumerable: false });
  return () => {
    if (before) Object.defineProperty(globalThis, name, before);
    else delete (globalThis as Record<string, unknown>)[name];
  };
}

interface Read {
  service: Service;
  only: ReadonlySet<string>;
  force: ReadonlySet<string>;
}

/** @throws TypeError or RangeError */
function readOptions(inference: Inference, options: BuiltInAIOptions): Read {
  for (const name of Object.keys(options)) if (!KNOWN.has(name)) throw new TypeError(`Unknown option \`${name}\`.`);
  const { models = {}, languages = ['en'], force = false, only, apiKey } = options;
  for (const name of Object.keys(models))
    if (name !== 'chat' && name !== 'embeddings') throw new TypeError(`Unknown option \`models.${name}\`.`);
  if (apiKey !== undefined && typeof apiKey !== 'string') throw new TypeError('`apiKey` must be a string.');
  const catalog = inference.status();
  const settings = {
    chat: entryFor(catalog, 'chat', models.chat),
    embeddings: entryFor(catalog, 'embeddings', models.embeddings),
    languages: canonicalTags(languages, 'languages'),
    apiKey,
  };
  return {
    service: new Service(inference, settings),
    only: only === undefined ? new Set(INTERFACES) : names(only, 'only'),
    force: typeof force === 'boolean' ? new Set(force ? INTERFACES : []) : names(force, 'force'),
  };
}

/** @throws TypeError */
function names(list: readonly string[], option: string): ReadonlySet<string> {
  if (!Array.isArray(list)) throw new TypeError(`\`${option}\` must be a list of names.`);
  const unknown = list.find((name) => !(INTERFACES as readonly string[]).includes(name));
  if (unknown !== undefined) throw new TypeError(`\`${option}\` names \`${unknown}\`, which is not an interface.`);
  return new Set(list);
}

/** @throws TypeError */
function entryFor(catalog: readonly ModelStatus[], task: 'chat' | 'embeddings', id?: string): string | undefined {
  if (id === undefined) return catalog.find((entry) => entry.task === task && entry.backend !== 'built-in')?.id;
  if (catalog.some((entry) => entry.id === id && entry.task === task)) return id;
  throw new TypeError(`\`models.${task}\` names \`${id}\`, which is not an entry of the task \`${task}\`.`);
}
