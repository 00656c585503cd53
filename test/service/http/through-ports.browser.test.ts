/** Suites of the gateway once more, by the door of a page: what a request loses on its way shows in no other. */
import { buildAppsBehindPorts } from '../../support/build-app.js';

buildAppsBehindPorts();
await import('./cases.test.js');
await import('./bodies.test.js');
await import('./models.test.js');
await import('./responses/conversations.test.js');
await import('./responses/items.test.js');
await import('./messages/fields.test.js');
await import('./decisions/decisions.test.js');
