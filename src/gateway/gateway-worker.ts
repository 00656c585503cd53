/** Entry of the gateway worker: the app, the scheduler, and the ends of all ports. @module */
import { createGateway, type Gateway } from './create-gateway.js';
import type { GatewayControl, PageControl } from './gateway-control.js';
import { type LineEnd, openControlLine } from '../relay/control/control-line.js';
import { ownLifeline } from '../relay/lifeline.js';
import type { WorkerReady } from '../relay/protocol.js';

let gateway: Gateway | undefined;

const control: GatewayControl = {
  configure(options): void {
    gateway = createGateway(options, page);
  },
  connect(port): void {
    gateway?.connect(port);
  },
};
const page = openControlLine<PageControl>(globalThis as unknown as LineEnd, control);
const ready: WorkerReady = { type: 'ready', lifeline: await ownLifeline() };
globalThis.postMessage(ready);
