/**
 * Finds the grant of a user code: the code is the only key that a person has, and the grant has another one.
 *
 * @see RFC 8628 §3.2
 */
export interface UserCodeStore {
  /** False if another device has this code at the moment. */
  reserve(hash: string, grantId: string, expiresAt: Date): Promise<boolean>;
  findGrantId(hash: string): Promise<string | null>;
}
