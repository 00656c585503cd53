/** The syntax tree of a template. @module */
import type { Value } from './values.js';

/** What stands between the parentheses of a call, a filter or a test. */
export interface CallArguments {
  positional: readonly Expression[];
  names: readonly (readonly [name: string, value: Expression])[];
  /** `*list` */
  list?: Expression | undefined;
  /** `**dictionary` */
  dictionary?: Expression | undefined;
}

export interface FilterUse {
  name: string;
  args: CallArguments;
}

export type Expression =
  | { kind: 'constant'; value: Value }
  | { kind: 'name'; name: string }
  | { kind: 'list' | 'tuple'; items: readonly Expression[] }
  | { kind: 'dictionary'; entries: readonly (readonly [key: Expression, value: Expression])[] }
  | { kind: 'attribute'; object: Expression; name: string }
  | { kind: 'item'; object: Expression; key: Expression }
  | { kind: 'slice'; object: Expression; bounds: readonly (Expression | undefined)[] }
  | { kind: 'call'; callee: Expression; args: CallArguments }
  | { kind: 'filter'; operand: Expression; filter: FilterUse }
  | { kind: 'test'; operand: Expression; test: FilterUse }
  | { kind: 'unary'; operator: 'not' | '-' | '+'; operand: Expression }
  | { kind: 'binary'; operator: string; left: Expression; right: Expression }
  | { kind: 'compare'; first: Expression; rest: readonly (readonly [operator: string, operand: Expression])[] }
  | { kind: 'concat'; parts: readonly Expression[] }
  | { kind: 'and' | 'or'; left: Expression; right: Expression }
  | { kind: 'conditional'; condition: Expression; yes: Expression; no: Expression | undefined };

/** What a value is given to. */
export type Target =
  | { kind: 'name'; name: string }
  | { kind: 'field'; namespace: string; name: string }
  | { kind: 'several'; targets: readonly Target[] };

export interface Parameter {
  name: string;
  otherwise: Expression | undefined;
}

export interface Macro {
  name: string;
  parameters: readonly Parameter[];
  body: readonly Statement[];
}

export interface Loop {
  kind: 'for';
  target: Target;
  list: Expression;
  condition: Expression | undefined;
  recursive: boolean;
  body: readonly Statement[];
  otherwise: readonly Statement[];
}

export type Statement =
  | { kind: 'text'; text: string }
  | { kind: 'output'; expression: Expression }
  | { kind: 'if'; condition: Expression; body: readonly Statement[]; otherwise: readonly Statement[] }
  | Loop
  | { kind: 'set'; target: Target; value: Expression }
  | { kind: 'set-block'; target: Target; filters: readonly FilterUse[]; body: readonly Statement[] }
  | { kind: 'macro'; macro: Macro }
  | { kind: 'call-block'; call: Expression; macro: Macro }
  | { kind: 'filter-block'; filters: readonly FilterUse[]; body: readonly Statement[] }
  | { kind: 'with'; values: readonly (readonly [target: Target, value: Expression])[]; body: readonly Statement[] }
  | { kind: 'group'; body: readonly Statement[] }
  | { kind: 'do'; expression: Expression }
  | { kind: 'break' | 'continue' };
