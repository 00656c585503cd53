/** States stay in wasm memory here, unlike in Node. */
import { describeInPage } from './load-in-page.js';

describeInPage('wasm');
