import { OAuthError, type OAuthErrorOptions } from '../errors.js';

/** That whoever sends a request holds a key (RFC 9449). */
export interface Proof {
  /** The thumbprint of the key (RFC 7638). */
  readonly jkt: string;
  /**
   * Uses the proof up, as the last thing before something comes of it: nothing is stored for whoever has only made one.
   *
   * @throws OAuthError invalid_dpop_proof if it was used before, in whichever process
   */
  use(): Promise<void>;
}

/** RFC 9449 §5, §12.2 */
export function invalidProof(problem: string, cause?: unknown): OAuthError {
  return refusedProof(problem, { reason: 'dpop_proof_invalid', ...(cause !== undefined && { cause }) });
}

/** @param because who asks for one, where that is not plain */
export function missingProof(because?: string): OAuthError {
  const problem = ['it is missing', because ?? []].flat().join(', and ');
  return refusedProof(problem, { reason: 'dpop_proof_missing' });
}

function refusedProof(problem: string, options: OAuthErrorOptions): OAuthError {
  return new OAuthError('invalid_dpop_proof', `the DPoP proof cannot be used: ${problem}`, options);
}
