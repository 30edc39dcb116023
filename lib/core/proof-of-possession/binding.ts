import { OAuthError } from '../../shared/errors.js';

export interface Binding {
  /** The thumbprint of a key (RFC 7638, RFC 9449 §6). */
  readonly jkt?: string;
  /** The thumbprint of a certificate (RFC 8705 §3.1). */
  readonly x5tS256?: string;
}

/** Proves that the sender of a request holds a key: by a DPoP proof (RFC 9449), a certificate (RFC 8705), or both. */
export interface Proof extends Binding {
  /**
   * Consumes the proof, as the last step before it has an effect: nothing is stored for a proof that is not used. A
   * second call for the same request, after a concurrent one was faster, has no effect.
   *
   * @throws OAuthError invalid_dpop_proof if the proof was used before, in any process
   */
  use(): Promise<void>;
}

/** A DPoP proof (RFC 9449). */
export interface KeyProof extends Proof {
  readonly jkt: string;
}

/** Whether a proof satisfies all bindings of a token or code. */
export function matchesBinding(bound: Binding, proof: Proof | undefined): boolean {
  return (
    (bound.jkt === undefined || bound.jkt === proof?.jkt) &&
    (bound.x5tS256 === undefined || bound.x5tS256 === proof?.x5tS256)
  );
}

/** The `cnf` of tokens and introspection (RFC 7800 §3.1); empty without a binding. */
export function toConfirmation({ jkt, x5tS256 }: Binding): {
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

/** @param because what requires the proof, if that is not obvious */
export function missingProof(because?: string): OAuthError {
  const problem = because === undefined ? 'it is missing' : `it is missing, and ${because}`;
  const description = `the DPoP proof cannot be used: ${problem}`;
  return new OAuthError('invalid_dpop_proof', description, { reason: 'dpop_proof_missing' });
}

/**
 * Whether the sender of a request satisfies the binding of another server's token. A binding that this server cannot
 * check fails.
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
