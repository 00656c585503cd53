/**
 * Entry of the page that tools open to host the service. What nearly every start fetches piece by piece is in this one
 * file: each request of a page under test passes the test's process.
 * @module
 */
import * as tabs from './other-tabs.js';
import * as options from './resolve-options.js';
import * as neighbours from './service-worker-neighbours.js';
import { startInference } from './start-inference.js';

/** Named here, these are part of this file. */
const parts = { options, tabs, neighbours };

Object.assign(window, { startInference, parts });
