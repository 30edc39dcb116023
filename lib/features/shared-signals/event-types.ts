const SSF = 'https://schemas.openid.net/secevent/ssf/event-type/';
const CAEP = 'https://schemas.openid.net/secevent/caep/event-type/';
const RISC = 'https://schemas.openid.net/secevent/risc/event-type/';

/** Shared Signals Framework §8.1.4.1, §8.1.5 */
export const VERIFICATION = `${SSF}verification`;
export const STREAM_UPDATED = `${SSF}stream-updated`;

/** How events are delivered, by its URI: pushed, or polled. (Shared Signals Framework §6.1) */
export const PUSH_METHOD = 'urn:ietf:rfc:8935';
export const POLL_METHOD = 'urn:ietf:rfc:8936';

/**
 * The reason of a revocation that a received event has caused. The transmitter does not report such revocations;
 * otherwise two servers would report them to each other forever.
 */
export const BY_SIGNAL = 'shared_signal';

/** CAEP 1.0 §3 */
const CAEP_TYPES = [
  'session-revoked',
  'token-claims-change',
  'credential-change',
  'assurance-level-change',
  'device-compliance-change',
  'session-established',
  'session-presented',
  'risk-level-change',
] as const;

/** RISC 1.0 §2 */
const RISC_TYPES = [
  'account-credential-change-required',
  'account-purged',
  'account-disabled',
  'account-enabled',
  'identifier-changed',
  'identifier-recycled',
  'credential-compromise',
  'opt-in',
  'opt-out-initiated',
  'opt-out-cancelled',
  'opt-out-effective',
  'recovery-activated',
  'recovery-information-changed',
] as const;

/** The name of an event of CAEP or RISC: the last part of its URI. */
export type SignalName = (typeof CAEP_TYPES)[number] | (typeof RISC_TYPES)[number];

/** The URI of each event that can be sent, by its name. */
export const URIS = new Map<string, string>([
  ...CAEP_TYPES.map((name) => [name, `${CAEP}${name}`] as const),
  ...RISC_TYPES.map((name) => [name, `${RISC}${name}`] as const),
]);

/** Deprecated by RISC 1.0 §2.11: accepted, never sent. */
const FORMER_SESSIONS_REVOKED = `${RISC}sessions-revoked`;

/** The URIs of all events that can be sent. */
export const SUPPORTED_EVENTS: readonly string[] = [...URIS.values()];

/** The event types that the receiver accepts. */
export const KNOWN_EVENTS: ReadonlySet<string> = new Set([
  ...SUPPORTED_EVENTS,
  FORMER_SESSIONS_REVOKED,
  VERIFICATION,
  STREAM_UPDATED,
]);

/** Events that end all grants and sessions of a user. */
export const ENDING_EVENTS: ReadonlySet<string> = new Set([
  `${CAEP}session-revoked`,
  FORMER_SESSIONS_REVOKED,
  `${RISC}account-disabled`,
  `${RISC}account-purged`,
  `${RISC}credential-compromise`,
]);
