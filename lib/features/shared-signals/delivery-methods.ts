/** How events are delivered, by its URI: pushed, or polled. (Shared Signals Framework §6.1) */
export const PUSH_METHOD = 'urn:ietf:rfc:8935';
export const POLL_METHOD = 'urn:ietf:rfc:8936';
