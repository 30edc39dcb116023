/**
 * Why what an event of another service has ended has ended: such an end is told to no other service, or two would tell
 * each other for ever.
 */
export const BY_SIGNAL = 'shared_signal';
