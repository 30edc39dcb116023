/** A request that its client has sent itself, ahead of the person (RFC 9126). */
export interface PushedRequest {
  readonly clientId: string;
  /** Its parameters as they were sent, without those that prove who the client is. */
  readonly parameters: string;
  /** Whether the client has signed them (RFC 9101). */
  readonly isSigned?: boolean;
  /** Signs which prompts have been answered, so that no address can say it of itself. */
  readonly promptKey: string;
  /** Until when a person may open it. */
  readonly expiresAt: Date;
  /** Until when a person who has opened it may decide. */
  readonly keptUntil: Date;
}

/** Requests by the hash of what their `request_uri` ends with. */
export interface PushedRequestStore {
  insert(id: string, request: PushedRequest): Promise<void>;
  /** The request if it may be opened, or is open: from then on it lives as long as people may take to decide. */
  open(id: string, now: Date): Promise<PushedRequest | null>;
  /** False if it has been used. */
  remove(id: string): Promise<boolean>;
}
