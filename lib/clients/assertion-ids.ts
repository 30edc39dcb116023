/** The ids of client assertions that were used, kept while they could be used again (RFC 7523 §3, `jti`). */
export interface AssertionIds {
  /** Notes that the client has used the id; false if it had used it before, in any process. */
  use(clientId: string, jti: string, expiresAt: Date): Promise<boolean>;
}
