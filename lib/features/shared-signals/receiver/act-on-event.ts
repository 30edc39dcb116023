import { createGrantRevocation } from '../../../core/grants/grant-registry.js';
import type { Server } from '../../../server/server.js';
import type {
  ReceivedSignal,
  TrustedTransmitter,
} from '../../../settings/features/shared-signals-options.js';
import type { SubjectIdentifier } from '../../../shared/protocol/subject-identifier.js';
import { BY_SIGNAL } from '../by-signal.js';
import { ENDING_EVENTS, STREAM_UPDATED, VERIFICATION } from '../event-types.js';
import type { ReceiverParts } from './receiver-parts.js';
import type { SecurityEvent } from './security-event-token.js';

/** Does what an event of a trusted transmitter says. It can be called again if it threw. */
export type ActOnEvent = (event: SecurityEvent) => Promise<void>;

export function createActOnEvent(
  server: Pick<Server, 'settings' | 'models' | 'events' | 'endSignIns'>,
  { receiver, apis }: Pick<ReceiverParts, 'receiver' | 'apis'>,
): ActOnEvent {
  const { settings, models, events, endSignIns } = server;
  const grants = createGrantRevocation(models, events.emit);

  const endAll = async (userId: string): Promise<void> => {
    // tokens first; a session that is still open can get no more than before, and ends next
    await endSignIns?.({ userId }, new Date());
    await grants.revoke({ userId }, BY_SIGNAL);
    await receiver.endSessions(userId);
    // what a session has got meanwhile
    await grants.revoke({ userId }, BY_SIGNAL);
  };

  return async (event) => {
    // the stream itself is the subject of these
    if (event.type === VERIFICATION || event.type === STREAM_UPDATED) return;
    // it may have been taken out of the options since
    const transmitter = receiver.transmitters.find(({ issuer }) => issuer === event.issuer);
    if (transmitter === undefined) return;
    if (await hasUnreadCriticalMember(event, transmitter, apis)) return;
    const userId = await findUser(event, transmitter, settings.issuer);
    if (userId !== undefined && ENDING_EVENTS.has(event.type)) await endAll(userId);
    await receiver.onSignal?.(toSignal(event, userId));
  };
}

/**
 * Shared Signals Framework §3.6: MUST discard. A function of the site is given all members; without one `user` is read.
 */
async function hasUnreadCriticalMember(
  { subject, issuer }: SecurityEvent,
  { findUser: find }: TrustedTransmitter,
  apis: ReceiverParts['apis'],
): Promise<boolean> {
  if (subject.format !== 'complex' || find !== undefined) return false;
  const { critical_subject_members: critical } = (await apis.get(issuer)?.metadata()) ?? {};
  return (critical ?? []).some((name) => name !== 'user' && subject[name] !== undefined);
}

async function findUser(
  { subject, issuer, type }: SecurityEvent,
  { findUser: find }: TrustedTransmitter,
  ownIssuer: string,
): Promise<string | undefined> {
  if (find === undefined) return ownUserOf(subject, ownIssuer);
  const userId = await find(subject, { issuer, type });
  if (userId === null || userId === undefined) return undefined;
  if (typeof userId === 'string' && userId !== '') return userId;
  throw new TypeError('sharedSignals: findUser must give the id of a user, as text, or null');
}

/** Whom a subject names by the issuer of this site. */
function ownUserOf(subject: SubjectIdentifier, ownIssuer: string): string | undefined {
  if (subject.format === 'complex')
    return subject.user === undefined ? undefined : ownUserOf(subject.user as SubjectIdentifier, ownIssuer);
  return subject.format === 'iss_sub' && subject.iss === ownIssuer ? String(subject.sub) : undefined;
}

function toSignal(
  { issuer, type, subject, event, iat, jti, txn }: SecurityEvent,
  userId: string | undefined,
): ReceivedSignal {
  return {
    issuer,
    type,
    subject,
    ...(userId !== undefined && { userId }),
    event,
    issuedAt: new Date(iat * 1000),
    jti,
    ...(txn !== undefined && { txn }),
  };
}
