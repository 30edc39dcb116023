import type { MessageQueue, WebhookMessage } from './outbox.js';

/** Messages that others have sent here, each of which is worked on once. */
export interface Inbox extends MessageQueue {
  /**
   * False if a message with this id was received before, in any process. The id is stored until the message expires.
   */
  receive(message: WebhookMessage): Promise<boolean>;
}
