/** A request that its client has sent itself, before the user comes with it (RFC 9126). */
export interface PushedRequest {
  readonly clientId: string;
  /** Its parameters as they were sent, without those that prove who the client is. */
  readonly parameters: string;
  /** Whether the client has signed them (RFC 9101). */
  readonly isSigned?: boolean;
  /** The key that signs which prompts have been answered, so that nobody can write that into an address. */
  readonly promptKey: string;
  /** Until when a user may open it. */
  readonly expiresAt: Date;
  /** Until when a user who has opened it may decide. */
  readonly keptUntil: Date;
}

/** Requests by the hash of the last part of their `request_uri`. */
export interface PushedRequestStore {
  insert(id: string, request: PushedRequest): Promise<void>;
  /** The request if it may be opened, or is open: from then on it lives for as long as users may take to decide. */
  open(id: string, now: Date): Promise<PushedRequest | null>;
  /** False if it has been used. */
  remove(id: string): Promise<boolean>;
}
