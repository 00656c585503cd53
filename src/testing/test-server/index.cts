/** The types of `require('inpage/test-server')`. @module */
import type * as server from './index.js' with { 'resolution-mode': 'import' };

export type * from './index.js' with { 'resolution-mode': 'import' };
export declare const startTestServer: typeof server.startTestServer;
export declare const useTestServer: typeof server.useTestServer;
export declare const readRecording: typeof server.readRecording;
