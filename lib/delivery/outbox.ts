/** Something that happened, on its way to one receiver. */
export interface WebhookMessage {
  /** Its `webhook-id`, the same each time that it is sent; ids of later events sort later. */
  readonly id: string;
  /** The name of the receiver. */
  readonly endpoint: string;
  /** The name of the event. */
  readonly type: string;
  /** The grant that it is about: messages about one grant are sent in order. */
  readonly about?: string;
  /** The body, as it is signed and sent. */
  readonly payload: string;
  readonly createdAt: Date;
  /** The time from which `giveUpAfter` counts. */
  readonly triedSince: Date;
  readonly attempts: number;
  /** When it is to be sent; while it is being sent, when that must be over. Undefined: it was given up. */
  readonly nextAt?: Date;
  readonly isSending?: boolean;
  /** Why the last attempt failed. */
  readonly problem?: string;
  readonly failedAt?: Date;
  /** The receiver that wants nothing more (410), by a hash of its URL. */
  readonly stops?: string;
  readonly expiresAt: Date;
}

/** The hold that one process has on a message: nobody else sends it before `until`. */
export interface Lease {
  readonly id: string;
  readonly until: Date;
}

/** Which messages are asked for. */
export interface WebhookQuery {
  /** Only what was given up. */
  readonly isFailed?: boolean;
  readonly limit: number;
}

/** Which messages are sent at once. */
export type WebhooksToRetry = { readonly id: string } | { readonly endpoint: string };

/** Messages to one receiver, or those of them whose `about` begins with a text. */
export interface OutboxPart {
  readonly endpoint: string;
  readonly aboutPrefix: string;
}

/** The messages that were not taken yet. One leaves when it is taken, or a month after it was given up. */
export interface Outbox {
  add(messages: readonly WebhookMessage[]): Promise<void>;
  /** Those that may be sent now, of one type if one is named. */
  findDue(endpoint: string, now: Date, limit: number, type?: string): Promise<WebhookMessage[]>;
  /** Of these ids, those of messages that wait for a receiver. */
  findWaiting(endpoint: string, ids: readonly string[]): Promise<readonly string[]>;
  /** Called when a receiver that fetches them says that it has these. */
  acknowledge(endpoint: string, ids: readonly string[]): Promise<void>;
  /** Deletes what waits. */
  discard(part: OutboxPart): Promise<void>;
  /** Makes what waits due at this moment, for another endpoint if that is another one. */
  transfer(part: OutboxPart, to: { readonly endpoint: string; readonly nextAt: Date }): Promise<void>;
  /** False if another process has taken it since it was found. */
  lease(message: WebhookMessage, until: Date): Promise<boolean>;
  /** Finds one about the same grant that has to be sent first. */
  findOlder(message: WebhookMessage): Promise<WebhookMessage | null>;
  /** Called when it was taken. */
  remove(lease: Lease): Promise<void>;
  putOff(lease: Lease, to: Pick<WebhookMessage, 'attempts' | 'problem'> & { nextAt: Date }): Promise<void>;
  giveUp(
    lease: Lease,
    as: Pick<WebhookMessage, 'attempts' | 'problem' | 'stops' | 'expiresAt'> & { failedAt: Date },
  ): Promise<void>;
  /** Whether the receiver wants nothing more. */
  isStopped(stops: string): Promise<boolean>;
  /** Gives up all that waits for a receiver; returns how many they were. */
  giveUpAll(
    endpoint: string,
    as: Pick<WebhookMessage, 'problem' | 'expiresAt'> & { failedAt: Date },
  ): Promise<number>;
  /** The newest first. */
  list(query: WebhookQuery): Promise<WebhookMessage[]>;
  /** Makes what waits or was given up due now; what is being sent is left alone. Returns how many they were. */
  retry(which: WebhooksToRetry, at: { readonly now: Date; readonly expiresAt: Date }): Promise<number>;
}

/** What a worker needs to work on messages one after the other. */
export type MessageQueue = Pick<
  Outbox,
  'findDue' | 'lease' | 'findOlder' | 'remove' | 'putOff' | 'giveUp' | 'isStopped' | 'giveUpAll'
>;

/** Messages that others have sent here, each of which is worked on once. */
export interface Inbox extends MessageQueue {
  /**
   * False if a message with this id was received before, in any process. The id is stored until the message expires.
   */
  receive(message: WebhookMessage): Promise<boolean>;
}
