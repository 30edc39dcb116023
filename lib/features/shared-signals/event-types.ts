const SSF = 'https://schemas.openid.net/secevent/ssf/event-type/';
const CAEP = 'https://schemas.openid.net/secevent/caep/event-type/';
const RISC = 'https://schemas.openid.net/secevent/risc/event-type/';

/** Shared Signals Framework §8.1.4.1, §8.1.5 */
export const VERIFICATION = `${SSF}verification`;
export const STREAM_UPDATED = `${SSF}stream-updated`;

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

const URIS = new Map<string, string>([
  ...CAEP_TYPES.map((name) => [name, `${CAEP}${name}`] as const),
  ...RISC_TYPES.map((name) => [name, `${RISC}${name}`] as const),
]);

/** RISC 1.0 §2.11: no longer sent by anybody new, but still heard. */
const FORMER_SESSIONS_REVOKED = `${RISC}sessions-revoked`;

/** The URIs of all events that can be sent. */
export const SUPPORTED_EVENTS: readonly string[] = [...URIS.values()];

/** All that can be sent. */
export const SIGNAL_NAMES: readonly string[] = [...URIS.keys()];

/** The URI of an event type by its name; undefined if there is none. */
export function eventUri(name: string): string | undefined {
  return URIS.get(name);
}

/** The types of events that are understood when they are received. */
export const KNOWN_EVENTS: ReadonlySet<string> = new Set([...SUPPORTED_EVENTS, FORMER_SESSIONS_REVOKED]);

/** After these, whatever a user has allowed and wherever they are logged in is over. */
export const ENDING_EVENTS: ReadonlySet<string> = new Set([
  `${CAEP}session-revoked`,
  FORMER_SESSIONS_REVOKED,
  `${RISC}account-disabled`,
  `${RISC}account-purged`,
  `${RISC}credential-compromise`,
]);
