/** An event on its way to one receiver. */
export interface WebhookMessage {
  /** The `webhook-id`, the same for each attempt; ids of later events sort later. */
  readonly _id: string;
  /** The name of the receiver. */
  readonly endpoint: string;
  /** The name of the event. */
  readonly type: string;
  /** The grant of the event: messages about one grant are sent in order. */
  readonly about?: string;
  /** The body, as it is signed and sent. */
  readonly payload: string;
  readonly createdAt: Date;
  /** The time from which `giveUpAfter` counts. */
  readonly triedSince: Date;
  readonly attempts: number;
  /** When the message is due; while it is being sent, the end of the lease. Undefined: it was given up. */
  readonly nextAt?: Date;
  readonly isSending?: boolean;
  /** Why the last attempt failed. */
  readonly problem?: string;
  readonly failedAt?: Date;
  /** The receiver that is gone (410), by a hash of its URL. */
  readonly stops?: string;
  readonly expiresAt: Date;
}

/** The lease of a message by one process: no other process sends it before `until`. */
export interface Lease {
  readonly id: string;
  readonly until: Date;
}

/** Messages to one receiver whose `about` has this prefix. */
export interface OutboxPart {
  readonly endpoint: string;
  readonly aboutPrefix: string;
}

/** The operations of a worker that processes messages in order. */
export interface MessageQueue {
  /** The messages that may be sent now, optionally of one type. */
  findDue(endpoint: string, now: Date, limit: number, type?: string): Promise<WebhookMessage[]>;
  /** False if another process has leased the message since it was read. */
  lease(message: WebhookMessage, until: Date): Promise<boolean>;
  /** Finds an earlier message about the same grant. */
  findOlder(message: WebhookMessage): Promise<WebhookMessage | null>;
  /** Called when the message was accepted. */
  remove(lease: Lease): Promise<void>;
  putOff(lease: Lease, to: Pick<WebhookMessage, 'attempts' | 'problem'> & { nextAt: Date }): Promise<void>;
  giveUp(
    lease: Lease,
    as: Pick<WebhookMessage, 'attempts' | 'problem' | 'stops' | 'expiresAt'> & { failedAt: Date },
  ): Promise<void>;
  /** Whether the receiver is gone. */
  isStopped(stops: string): Promise<boolean>;
  /** Gives up all waiting messages for a receiver; returns their number. */
  giveUpAll(
    endpoint: string,
    as: Pick<WebhookMessage, 'problem' | 'expiresAt'> & { failedAt: Date },
  ): Promise<number>;
}

/** The undelivered messages. A message leaves when it is accepted, or a month after it was given up. */
export interface Outbox extends MessageQueue {
  add(messages: readonly WebhookMessage[]): Promise<unknown>;
  /** Called when a polling receiver acknowledges messages. */
  acknowledge(endpoint: string, ids: readonly string[]): Promise<void>;
}
