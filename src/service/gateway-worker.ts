/** Entry of the gateway worker: the app, the scheduler, and the ends of all ports. @module */
import { createGateway, type Gateway } from './create-gateway.js';
import type { GatewayControl } from './gateway-control.js';
import { hearDefect } from '../core/errors/hear-defect.js';
import { tellDeviceMemory } from '../core/platform/device-memory.js';
import { serveControl } from '../relay/control/control-channel.js';
import { ownLivenessLock } from '../relay/liveness-lock.js';
import type { WorkerReady } from '../relay/protocol.js';

let gateway: Gateway | undefined;

const control: GatewayControl = {
  configure(options, page): void {
    tellDeviceMemory(options.load.deviceMemory);
    try {
      gateway = createGateway(options, page);
    } catch (thrown) {
      throw hearDefect(thrown);
    }
  },
  connect(port): void {
    gateway?.connect(port);
  },
};
serveControl(control);
const ready: WorkerReady = { type: 'ready', lifeline: await ownLivenessLock() };
globalThis.postMessage(ready);
