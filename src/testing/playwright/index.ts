/**
 * For Playwright tests of apps that talk to a `/v1`: puts the service in front of the app under test. The app and its
 * server stay as they are; no request leaves the machine.
 * @module
 * @example
 * // test.ts
 * import { test as base } from '@playwright/test';
 * import { inferenceFixtures, type InferenceFixtures } from 'inpage/playwright';
 * export const test = base.extend<InferenceFixtures>(inferenceFixtures);
 */
export { inferenceFixtures } from './inference-fixtures.js';
export type { InferenceFixtures } from './inference-fixtures.js';
export { installInference } from './install-inference.js';
export type { InstalledInference, InstallOptions } from './install-inference.js';
export type { UnmatchedRequest } from './misses.js';
export { readRecording } from '../../serve/recording/recording-file.js';
