/** Posts an order to a bench worker and waits for its one answer. */
export function askWorker<Answer extends object>(worker: Worker, order: unknown): Promise<Answer> {
  return new Promise((resolve, reject) => {
    worker.onerror = (event) => reject(new Error(event.message));
    worker.onmessage = ({ data }: MessageEvent<Answer | { error: string }>) => {
      if ('error' in data) reject(new Error(data.error));
      else resolve(data);
    };
    worker.postMessage(order);
  });
}
