import type { AuthorizationServerOptions } from '../../lib/index.js';

/** The options that are groups of others. */
const GROUPS = [
  'lifetimes',
  'tokens',
  'people',
  'pages',
  'applications',
  'clientAuthentication',
  'security',
  'guard',
  'advanced',
] as const satisfies readonly (keyof AuthorizationServerOptions)[];

/** The options over the defaults, as a spread, but a group keeps the default of a missing member. */
export function mergeOptions<
  Defaults extends Partial<AuthorizationServerOptions>,
  Options extends Partial<AuthorizationServerOptions>,
>(defaults: Defaults, options: Options): Defaults & Options {
  const groups = GROUPS.filter((name) => defaults[name] !== undefined && options[name] !== undefined);
  return {
    ...defaults,
    ...options,
    ...Object.fromEntries(groups.map((name) => [name, { ...defaults[name], ...options[name] }])),
  };
}
