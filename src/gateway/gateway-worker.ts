/** Entry of the gateway worker: the app, the scheduler, and the ends of all ports. @module */
import { expose, type Remote } from 'comlink';
import { createGateway, type Gateway } from './create-gateway.js';
import type { GatewayControl, GatewayOptions, PageControl } from './gateway-control.js';
import { ownLifeline } from '../relay/lifeline.js';
import type { WorkerReady } from '../relay/protocol.js';

let gateway: Gateway | undefined;

const control: GatewayControl = {
  configure(options: GatewayOptions, page: Remote<PageControl>): void {
    gateway = createGateway(options, page);
  },
  connect(port: MessagePort): void {
    gateway?.connect(port);
  },
};
expose(control);
const ready: WorkerReady = { type: 'ready', lifeline: await ownLifeline() };
globalThis.postMessage(ready);
