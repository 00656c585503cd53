/** What shaders bind. @module */

/** The uses of each kind of shader, in the order of its bindings. */
export const LAYOUTS = {
  /** Weights twice, activations, result, vectors, plan, parameters. */
  product: ['read', 'read', 'read', 'write', 'read', 'read', 'uniform'],
  /** With a branch and what is opened behind. */
  openedProduct: ['read', 'read', 'read', 'write', 'read', 'read', 'uniform', 'read', 'read'],
  /** With the states of a layer behind. */
  convolvedProduct: ['read', 'read', 'read', 'write', 'read', 'read', 'uniform', 'write'],
  embed: ['read', 'read', 'read', 'write', undefined, undefined, 'uniform'],
  norm: ['read', 'write', 'read', 'read', 'uniform'],
  normInPlace: [undefined, 'write', 'read', 'read', 'uniform'],
  rotate: ['write', 'write', 'read', 'read', 'read', 'uniform'],
  attend: ['read', 'read', 'write', 'write', 'read', 'read', 'uniform'],
  attendWithSinks: ['read', 'read', 'write', 'write', 'read', 'read', 'read', 'uniform'],
  /** Rows that are mixed, result, states, vectors, plan, parameters. */
  recurrent: ['write', 'write', 'write', 'read', 'read', 'uniform'],
  choose: ['read', 'write', 'write', 'write', 'read', 'uniform'],
} as const;
export type LayoutName = keyof typeof LAYOUTS;

/** The binding of a shader's parameters. */
export const parametersAt = (layout: LayoutName): number => (LAYOUTS[layout] as readonly unknown[]).indexOf('uniform');

const SPACES = { read: 'storage, read', write: 'storage, read_write', uniform: 'uniform' } as const;

/**
 * Declares what a shader binds.
 * @param variables in the order of the bindings, without the parameters, which are `p`; one that a layout has not is any
 */
export function bindings(layout: LayoutName, ...variables: readonly string[]): string {
  const at = parametersAt(layout);
  const all = [...variables.slice(0, at), 'p: Parameters', ...variables.slice(at)];
  const declared = LAYOUTS[layout].map((use, binding) =>
    use ? `@group(0) @binding(${binding}) var<${SPACES[use]}> ${all[binding]!};\n` : '',
  );
  return declared.join('');
}

/** Of what changes rows: those that are read, and those that are written. */
export const rowBindings = (layout: 'norm' | 'normInPlace', element: 'vec4f' | 'f32' = 'vec4f'): string =>
  bindings(layout, `x: array<${element}>`, `result: array<${element}>`, 'vectors: array<f32>', 'plan: array<u32>');
