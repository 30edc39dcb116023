/**
 * The reason of a revocation that a received event has caused. The transmitter does not report such revocations;
 * otherwise two servers would report them to each other forever.
 */
export const BY_SIGNAL = 'shared_signal';
