/** One connection of a download: when it is abandoned, and when another attempt makes sense. @module */
import { isInferenceError } from '../../core/errors/inference-error.js';
import type { WantedFile } from '../storage/byte-storage.js';
import type { StoreEnvironment } from '../storage/store-environment.js';
import type { Connections } from './connections.js';
import { nextAttempt } from './download-plan.js';
import type { FileState } from './download-progress.js';
import { FileChanged, FileNotDownloaded, Interrupted, isQuotaError } from './file-errors.js';

/** What a download needs beside the file. */
export interface DownloadContext {
  environment: StoreEnvironment;
  connections: Connections;
  signal: AbortSignal;
  /** What answers is not the source's own server. */
  isLocal: boolean;
  /** Bytes came in; 0 while it waits, and when the size of a file shows at its end. `total` is undefined while the size is unknown. */
  onBytes: (count: number, state: FileState) => void;
  /** The network has brought something since the model's load began: a pause is worth while. */
  hasReceived: () => boolean;
}

/** Milliseconds in which a connection must bring something. */
const SILENCE = 30_000;
/** Fewer bytes than this within the time limit count as a stalled connection. */
const LEAST_BYTES = 1024;
/** Milliseconds between two looks at whether the network is back. */
const OFFLINE_PAUSE = 5_000;

/** A request and its answer. */
export interface DownloadConnection {
  /** Ends the response's body too when what follows fails. */
  connectionAbort: AbortController;
  /** Bytes of the answer that came in. */
  arrived: number;
}

/** Gives a connection up that brings next to nothing for long, whatever others bring meanwhile. */
export async function watchSilence({ environment }: DownloadContext, connection: DownloadConnection): Promise<void> {
  const { connectionAbort } = connection;
  for (let seen = -LEAST_BYTES; connection.arrived - seen >= LEAST_BYTES;) {
    seen = connection.arrived;
    await environment.pause(SILENCE, connectionAbort.signal);
  }
  connectionAbort.abort(new Interrupted('The server stopped sending data.'));
}

/** An attempt that failed. */
interface Failure {
  wanted: WantedFile;
  /** Attempts in a row that brought next to nothing. */
  failures: number;
  /** What is there of the file. */
  state: FileState;
  signal: AbortSignal;
}

/** Waits until another attempt makes sense. @throws what no attempt can help */
export async function recover(
  thrown: unknown,
  { environment, onBytes, hasReceived }: DownloadContext,
  { wanted, failures, state, signal }: Failure,
): Promise<void> {
  if (signal.aborted) throw signal.reason as Error;
  if (thrown instanceof FileChanged || isQuotaError(thrown) || isInferenceError(thrown)) throw thrown;
  const retryAfter = thrown instanceof Interrupted ? thrown.answer?.retryAfter : undefined;
  const next = nextAttempt({ failures, hasReceived: hasReceived(), isOffline: environment.isOffline(), retryAfter });
  if (next.after === 'never') throw lostFile(wanted, thrown);
  if (next.after === 'pause') {
    const waitingReason = retryReason(thrown, wanted, next.milliseconds);
    // A load that waits for minutes looks like one that hangs, wherever no one reads its progress.
    if (waitingReason !== undefined && failures === 1) console.warn(`inpage: ${waitingReason}`);
    onBytes(0, { ...state, waiting: 'retry', waitingReason });
    return environment.pause(next.milliseconds, signal);
  }
  while (environment.isOffline()) {
    onBytes(0, { ...state, waiting: 'network' });
    await environment.pause(OFFLINE_PAUSE, signal);
  }
}

function lostFile({ file, url }: WantedFile, thrown: unknown): FileNotDownloaded {
  const httpStatus = statusOf(thrown);
  const failure = { url, ...(httpStatus !== undefined && { httpStatus }) };
  return new FileNotDownloaded(`The model's file \`${file}\` could not be downloaded.`, failure, thrown);
}

/** Undefined: the server said nothing. */
function statusOf(thrown: unknown): number | undefined {
  return thrown instanceof Interrupted ? thrown.answer?.httpStatus : undefined;
}

/** Undefined: the server said nothing. */
function retryReason(thrown: unknown, { url }: WantedFile, milliseconds: number): string | undefined {
  const httpStatus = statusOf(thrown);
  if (httpStatus === undefined) return undefined;
  const cause = httpStatus === 429 ? 'it limits how often files may be requested' : 'it has a problem';
  const seconds = Math.max(1, Math.round(milliseconds / 1000));
  return `${new URL(url).host} answered ${httpStatus} (${cause}). ${url} is requested again in ${seconds} s.`;
}
