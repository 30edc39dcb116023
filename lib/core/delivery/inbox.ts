import type { MessageQueue, WebhookMessage } from './outbox.js';

/** Messages that others have sent here, each of which is worked on once. */
export interface Inbox extends MessageQueue {
  /** False if it was received before, in any process: its id is kept until it expires. */
  receive(message: WebhookMessage): Promise<boolean>;
}
