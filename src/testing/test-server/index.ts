/**
 * The service for tests, in plain Node: the page's gateway with scripted models, without a browser.
 * @module
 * @example
 * import { startTestServer } from 'inpage/test-server';
 * const server = await startTestServer();
 */
export { startTestServer } from './start-test-server.js';
export { useTestServer } from './use-test-server.js';
export type { TestHooks, UseTestServerOptions } from './use-test-server.js';
export type { ModelEntry as ModelFields } from '../../core/models/model-entry.js';
export { readRecording } from '../../serve/recording/recording-file.js';
export type {
  Journal,
  JournalAnswer,
  JournalEntry,
  ReplyFunction,
  ReplyMessage,
  ReplyRequest,
  ReplyTool,
  RequestFilter,
  TestModel,
  TestScript,
  TestServer,
  TestServerOptions,
} from './test-server-types.js';
