/** Which tabs can share an engine: those whose options mean the same service. @module */
import { filesOf } from '../core/models/entry-files.js';
import { toHex } from '../core/platform/to-hex.js';
import { PROTOCOL_VERSION } from '../relay/protocol.js';
import type { ResolvedOptions } from './resolve-options.js';

/**
 * Name of the group: equal options, on pages of one version that mean the same files by them, make equal names. It says
 * nothing of the options' values (keys are among them).
 * @param pageURL absolute
 */
export async function engineGroup(options: ResolvedOptions, pageURL: string): Promise<string> {
  const { prefix } = options;
  const text = JSON.stringify(serviceOptions(options, pageURL), sortKeys);
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return `${prefix}:${PROTOCOL_VERSION}:${toHex(new Uint8Array(digest, 0, 12))}`;
}

/** The options that make the service what it is, each as a text that is equal where the option means the same. */
export type ServiceOptions = Record<string, string>;

/**
 * Those of {@link engineGroup}.
 * @param pageURL absolute
 */
export function serviceOptions(options: ResolvedOptions, pageURL: string): ServiceOptions {
  const {
    models,
    apiKeys,
    rateLimits,
    compatibility,
    requestTimeout,
    prefix,
    hubURL: hub,
    crossOriginStorage,
  } = options;
  const files = models.map((entry) => filesOf(entry, pageURL));
  const values = {
    models: [models, files],
    apiKeys,
    rateLimits,
    compatibility,
    requestTimeout,
    prefix,
    hub,
    crossOriginStorage,
  };
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, JSON.stringify(value, sortKeys) ?? '']),
  );
}

/** Those, and what the Service Worker is told besides. */
export function startOptions(options: ResolvedOptions, pageURL: string): ServiceOptions {
  const { intercept, whenUnhosted, serviceWorker, crossOriginIsolation } = options;
  return {
    ...serviceOptions(options, pageURL),
    intercept: intercept.join(),
    whenUnhosted,
    serviceWorker: `${serviceWorker}`,
    crossOriginIsolation: `${crossOriginIsolation}`,
  };
}

/** Names of the options that two differ in. */
export function differentOptions(a: ServiceOptions, b: ServiceOptions): string[] {
  return Object.keys(a).filter((name) => a[name] !== b[name]);
}

/** Name of the lock whose holder hosts the group's engine. */
export function hostLock(group: string): string {
  return `inpage:host:${group}`;
}

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
