/** Something that happened, on its way to one receiver. */
export interface WebhookMessage {
  /** Its `webhook-id`, the same each time that it is sent; ids of later events sort later. */
  readonly _id: string;
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

/** Messages to one receiver, or those of them whose `about` begins with a text. */
export interface OutboxPart {
  readonly endpoint: string;
  readonly aboutPrefix: string;
}

/** What a worker needs to work on messages one after the other. */
export interface MessageQueue {
  /** Those that may be sent now, of one type if one is named. */
  findDue(endpoint: string, now: Date, limit: number, type?: string): Promise<WebhookMessage[]>;
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
}

/** The messages that were not taken yet. One leaves when it is taken, or a month after it was given up. */
export interface Outbox extends MessageQueue {
  add(messages: readonly WebhookMessage[]): Promise<unknown>;
  /** Called when a receiver that fetches them says that it has these. */
  acknowledge(endpoint: string, ids: readonly string[]): Promise<void>;
}
