/** A JWT that a client has made to say who it is (RFC 7523 §2.2); nothing of it is verified yet. */
export interface ClientAssertion {
  readonly jwt: string;
  /** `alg` of its header. */
  readonly algorithm: string;
  /** Its `sub`. */
  readonly clientId: string;
}
