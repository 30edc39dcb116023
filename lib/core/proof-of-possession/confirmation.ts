import { type Binding, matchesBinding, type Proof } from './binding.js';

/**
 * Whether the sender of a request holds what the token of somebody else is bound to. One that is bound in a way that
 * nobody here can check is good for nothing.
 *
 * @see RFC 7800 §3.1, RFC 8705 §3.1, RFC 9449 §6.1
 */
export function matchesConfirmation(cnf: unknown, proof: Proof | undefined): boolean {
  if (cnf === undefined) return true;
  const binding = parseConfirmation(cnf);
  return binding !== undefined && matchesBinding(binding, proof);
}

/** Undefined if it has a member that is not understood here. */
function parseConfirmation(cnf: unknown): Binding | undefined {
  const members = Object.entries((cnf ?? {}) as Readonly<Record<string, unknown>>);
  const isUnderstood = ([name, value]: readonly [string, unknown]) =>
    (name === 'jkt' || name === 'x5t#S256') && typeof value === 'string';
  if (members.length === 0 || !members.every(isUnderstood)) return undefined;
  const { jkt, 'x5t#S256': x5tS256 } = cnf as { readonly jkt?: string; readonly 'x5t#S256'?: string };
  return { ...(jkt !== undefined && { jkt }), ...(x5tS256 !== undefined && { x5tS256 }) };
}
