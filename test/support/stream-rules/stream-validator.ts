/** What the rules of one dialect's streams are written with. */

export type StreamDialect = 'chat-completions' | 'completions' | 'messages' | 'responses' | 'audio';

/** Throws unless the condition holds. */
export type Demand = (condition: unknown, rule: string) => asserts condition;

/** Follows one stream. `take` gets the parsed data of each event, `end` how the stream should have ended. */
export interface StreamValidator {
  take(data: any, name: string | undefined): void;
  end(end: 'complete' | 'failed'): void;
}
