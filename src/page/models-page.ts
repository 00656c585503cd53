/**
 * Entry of the page that `serve` opens for models that only pages can run. Its gateway is in Node; one WebSocket, whose
 * address is the fragment of this page's, carries what the ports of model workers carry.
 * @module
 */
import { transfer } from 'comlink';
import type { ModelsPageControl, SpawnedWorker } from '../service/gateway-control.js';
import { serveControl } from '../relay/control/control-channel.js';
import { PortTunnel } from '../relay/tunnel/port-tunnel.js';
import { listStored, removeStored } from '../store/list-stored.js';
import { openModelPort, spawnError, startModelWorker, startPageModel } from './start-model-worker.js';

/** By their ids: ends each. */
const models = new Map<number, () => void>();
let nextId = 1;

/** Locks are no lifelines for another program: there a port that closes says that its worker is gone. */
const spawned = (id: number, port: MessagePort): SpawnedWorker => transfer({ id, port, lifeline: undefined }, [port]);

const control: ModelsPageControl = {
  async spawnModelWorker() {
    const id = nextId++;
    const take = (worker: Worker): void => void models.set(id, () => worker.terminate());
    try {
      return spawned(id, await openModelPort(await startModelWorker(take, () => models.has(id))));
    } catch (thrown) {
      control.endModelWorker(id);
      throw spawnError(thrown);
    }
  },
  async serveInPage() {
    const id = nextId++;
    const { port1, port2 } = new MessageChannel();
    models.set(id, await startPageModel(port2));
    return spawned(id, port1);
  },
  endModelWorker(id) {
    models.get(id)?.();
    models.delete(id);
  },
  stored: (sources) => listStored(sources),
  removeStored: (model, sources) => removeStored(model, sources, async () => {}),
  ping() {},
};

const socket = new WebSocket(location.hash.slice(1));
socket.binaryType = 'arraybuffer';
socket.addEventListener('open', () => {
  const { port1, port2 } = new MessageChannel();
  const tunnel = new PortTunnel({ root: port1, send: (frame) => socket.send(frame), isFirst: false });
  socket.addEventListener('message', ({ data }: MessageEvent<ArrayBuffer>) => tunnel.receive(new Uint8Array(data)));
  socket.addEventListener('close', () => {
    tunnel.close();
    for (const id of models.keys()) control.endModelWorker(id);
  });
  serveControl(control, port2);
});
