/** Why a model could not be packed, for people who see only the message. @module */
import { isInferenceError } from '../../../core/errors/inference-error.js';

/** What Node says when a server cannot be reached. */
const REASONS: Record<string, string> = {
  ENOTFOUND: 'its host name is unknown. Is this machine online, or does it need a proxy (`HTTPS_PROXY`)?',
  EAI_AGAIN: 'its host name cannot be looked up. Is this machine online?',
  ENETUNREACH: 'there is no network.',
  EHOSTUNREACH: 'there is no route to it.',
  ECONNREFUSED: 'it refused the connection. Is `--hub` right, and is the server running?',
  ECONNRESET: 'it closed the connection.',
  ETIMEDOUT: 'it did not answer in time.',
  UND_ERR_CONNECT_TIMEOUT: 'it did not answer in time.',
};

/** The error with the file's URL and what the server answered, or why it could not be reached. */
export function explainPackError(thrown: unknown): unknown {
  if (!isInferenceError(thrown) || thrown.details.url === undefined) return thrown;
  const { url, httpStatus } = thrown.details;
  const status = httpStatus === undefined ? '' : `, status ${httpStatus}`;
  const reason = httpStatus === undefined ? reasonIn(thrown) : undefined;
  const { host } = new URL(url);
  const why = reason === undefined ? '' : ` ${host} could not be reached: ${reason}`;
  return new Error(`${thrown.message} (${url}${status})${why}`, { cause: thrown });
}

/** The first reason in the chain of causes. */
function reasonIn(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code, errors } = cause as { code?: unknown; errors?: unknown[] };
    if (typeof code === 'string' && Object.hasOwn(REASONS, code)) return REASONS[code];
    const inner = errors?.map(reasonIn).find((reason) => reason !== undefined);
    if (inner !== undefined) return inner;
    if (typeof code === 'string' && /^(CERT_|ERR_TLS|SELF_SIGNED|UNABLE_TO_)/.test(code)) {
      return `its certificate is not accepted (${code}).`;
    }
  }
  return undefined;
}
