import { OAuthError } from '../../shared/errors.js';

export interface Binding {
  /** The thumbprint of a key (RFC 7638, RFC 9449 §6). */
  readonly jkt?: string;
  /** The thumbprint of a certificate (RFC 8705 §3.1). */
  readonly x5tS256?: string;
}

/** Shows that the sender of a request holds a key: with a proof (RFC 9449), a certificate (RFC 8705), or both. */
export interface Proof extends Binding {
  /**
   * Uses the proof up, as the last step before it has an effect: nothing is stored for somebody who has only made one.
   * A request that gets here twice, because another one was faster, has used it once.
   *
   * @throws OAuthError invalid_dpop_proof if it was used before, in any process
   */
  use(): Promise<void>;
}

/** A proof of RFC 9449. */
export interface KeyProof extends Proof {
  readonly jkt: string;
}

/** Whether the sender of the proof holds all that something is bound to. */
export function matchesBinding(bound: Binding, proof: Proof | undefined): boolean {
  return (
    (bound.jkt === undefined || bound.jkt === proof?.jkt) &&
    (bound.x5tS256 === undefined || bound.x5tS256 === proof?.x5tS256)
  );
}

/** The form for tokens and introspection (RFC 7800 §3.1); empty if it is bound to nothing. */
export function confirmationOf({ jkt, x5tS256 }: Binding): {
  readonly cnf?: { readonly jkt?: string; readonly 'x5t#S256'?: string };
} {
  if (jkt === undefined && x5tS256 === undefined) return {};
  return {
    cnf: { ...(jkt !== undefined && { jkt }), ...(x5tS256 !== undefined && { 'x5t#S256': x5tS256 }) },
  };
}

/** RFC 9449 §5, §12.2 */
export function invalidProof(problem: string, cause?: unknown, detail?: string): OAuthError {
  const description = `the DPoP proof cannot be used: ${problem}`;
  return new OAuthError('invalid_dpop_proof', description, { reason: 'dpop_proof_invalid', cause, detail });
}

/** @param because who asks for one, if that is not obvious */
export function missingProof(because?: string): OAuthError {
  const problem = because === undefined ? 'it is missing' : `it is missing, and ${because}`;
  const description = `the DPoP proof cannot be used: ${problem}`;
  return new OAuthError('invalid_dpop_proof', description, { reason: 'dpop_proof_missing' });
}

/**
 * Whether the sender of a request holds what the token of somebody else is bound to. One that is bound in a way that
 * nobody here can check is good for nothing.
 *
 * @see RFC 7800 §3.1, RFC 8705 §3.1, RFC 9449 §6.1
 */
export function matchesConfirmation(cnf: unknown, proof: Proof | undefined): boolean {
  if (cnf === undefined) return true;
  const members = Object.entries((cnf ?? {}) as Readonly<Record<string, unknown>>);
  const isUnderstood = ([name, value]: readonly [string, unknown]) =>
    (name === 'jkt' || name === 'x5t#S256') && typeof value === 'string';
  if (members.length === 0 || !members.every(isUnderstood)) return false;
  const { jkt, 'x5t#S256': x5tS256 } = cnf as { readonly jkt?: string; readonly 'x5t#S256'?: string };
  return matchesBinding({ jkt, x5tS256 }, proof);
}
