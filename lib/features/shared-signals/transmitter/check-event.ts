import { isObject } from '../../../shared/schema.js';

/** Members of an event by name: a type, or the allowed values. */
type Members = Readonly<Record<string, 'text' | 'object' | readonly string[]>>;

const CHANGE_TYPES = ['create', 'revoke', 'update', 'delete'];
const COMPLIANCE = ['compliant', 'not-compliant'];
const LEVELS = ['LOW', 'MEDIUM', 'HIGH'];

/** Members that an event of each type MUST have. (CAEP 1.0 §3, RISC 1.0 §2) */
const REQUIRED: Readonly<Record<string, Members>> = {
  'token-claims-change': { claims: 'object' },
  'credential-change': { credential_type: 'text', change_type: CHANGE_TYPES },
  'assurance-level-change': { namespace: 'text', current_level: 'text' },
  'device-compliance-change': { previous_status: COMPLIANCE, current_status: COMPLIANCE },
  'risk-level-change': { principal: 'text', current_level: LEVELS },
  'credential-compromise': { credential_type: 'text' },
};
/** Optional members of any event. (CAEP 1.0 §2) */
const OPTIONAL: Members = {
  initiating_entity: ['admin', 'user', 'policy', 'system'],
  reason_admin: 'object',
  reason_user: 'object',
  change_direction: ['increase', 'decrease'],
  previous_level: 'text',
};

/**
 * Checks an event from the site's code.
 *
 * @throws TypeError with the missing or wrong member
 */
export function checkEvent(name: string, event: Readonly<Record<string, unknown>>): void {
  const wrong = (problem: string) => new TypeError(`sharedSignals.emit: the event ${name} ${problem}`);
  const required = Object.hasOwn(REQUIRED, name) ? REQUIRED[name]! : {};
  const missing = Object.keys(required).find((member) => event[member] === undefined);
  if (missing !== undefined) throw wrong(`has to have ${missing}`);
  for (const [member, kind] of Object.entries({ ...OPTIONAL, ...required })) {
    const value = event[member];
    if (value === undefined) continue;
    if (kind === 'text' && (typeof value !== 'string' || value === ''))
      throw wrong(`has a ${member} that is not text`);
    if (kind === 'object' && !(isObject(value) && Object.keys(value).length > 0))
      throw wrong(`has a ${member} that is not an object with a member at least`);
    if (typeof kind !== 'string' && !kind.includes(value as string))
      throw wrong(`has a ${member} that is not one of ${kind.join(', ')}`);
  }
  const { event_timestamp: time } = event;
  if (time !== undefined && !Number.isInteger(time))
    throw wrong('has an event_timestamp that is not a number of seconds since 1970');
}
