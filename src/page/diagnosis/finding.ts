/** What a check of `diagnose` tells, and what it looks at. @module */
import type { LatestStart } from './latest-start.js';
import type { ModelEntry } from '../../core/models/model-entry.js';

/** The result of one check. */
export interface Finding {
  /** Name of the check, e.g. `webgpu`. */
  check: string;
  /** `warning`: it works, but slower or with less; `problem`: something does not work. */
  level: 'ok' | 'warning' | 'problem';
  /** What was found. */
  message: string;
  /** What to do; only with warnings and problems. */
  fix?: string;
}

/** @internal A result without the name of its check. */
export type CheckResult = Omit<Finding, 'check'>;

/** @internal The service that is looked at: the one that this page started last, else what `startInference()` would start. */
export interface Subject {
  /** `never`: no one has called `startInference`; `ended`: it failed, or was stopped; else see `LatestStart`. */
  state: 'never' | LatestStart['state'];
  /** Why it did not start. */
  error: string | undefined;
  prefix: string;
  /** Absolute URL of the script; false: none. */
  serviceWorker: string | false;
  crossOriginIsolation: boolean;
  models: readonly ModelEntry[];
  /** Absent: the public one. */
  hub: string | undefined;
  /** Absolute URL of the folder with ONNX Runtime's files. */
  assetsURL: string;
  /** SHA-256 (hexadecimal) of files of this version by file name; none where no one knows them. */
  hashes: Readonly<Record<string, string>>;
}

/** @internal */
export type Check = (subject: Subject) => Promise<CheckResult | CheckResult[]>;

/** @internal */
export const ok = (message: string): CheckResult => ({ level: 'ok', message });
/** @internal */
export const warning = (message: string, fix: string): CheckResult => ({ level: 'warning', message, fix });
/** @internal */
export const problem = (message: string, fix: string): CheckResult => ({ level: 'problem', message, fix });

/** @internal Whether any model runs on ONNX Runtime. */
export function usesOnnxRuntime({ models }: Subject): boolean {
  return models.some(({ backend }) => backend === 'transformers');
}

/** @internal Whether any model runs on WASM, which the page's policy must allow. */
export function usesWasm({ models }: Subject): boolean {
  return models.some(({ backend }) => backend === 'transformers' || backend === 'gguf');
}
