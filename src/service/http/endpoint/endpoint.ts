/** What an endpoint is to the app: a row of its table. @module */
import type { Handler } from 'hono';
import type { GenericSchema } from 'valibot';
import type { Compatibility } from '../policy/compatibility.js';
import type { EndpointName } from '../errors/error-table.js';
import type { HttpContext, HttpEnvironment } from './http-context.js';

/**
 * One operation below the prefix. Each endpoint folder exports its own; `app.ts` lists them, and `openapi.ts`
 * documents them from the same schema that validates.
 */
export interface Endpoint {
  /** Decides which error shapes the endpoint has. */
  name: EndpointName;
  method: 'GET' | 'POST' | 'DELETE';
  /** Below the prefix, in hono's syntax, e.g. `/models/:id`. */
  path: string;
  /** One sentence for the OpenAPI document. */
  summary: string;
  /** What the query may say, by name: what a switch does, or an OpenAPI parameter. */
  query?: Record<string, string | Record<string, unknown>>;
  /** Answered without a key, also where the app has keys. */
  isOpen?: true;
  /** What the body must be; absent for GET. */
  requestSchema?: (compatibility: Compatibility) => GenericSchema | undefined | Promise<GenericSchema | undefined>;
  /** @default 'application/json' */
  requestType?: 'application/json' | 'multipart/form-data';
  /** Whether a service of this kind has it. @default all have */
  isOffered?: (compatibility: Compatibility) => boolean;
  /** Makes the handler. It throws InferenceErrors; the app renders them in the endpoint's shape. */
  route: (context: HttpContext) => Handler<HttpEnvironment>;
}
