import { createGrantRevocation } from '../../../core/grants/grant-registry.js';
import type { Server } from '../../../server/server.js';
import type { SubjectIdentifier } from '../../../shared/protocol/subject-identifier.js';
import { withoutUndefined } from '../../../shared/without-undefined.js';
import { BY_SIGNAL, ENDING_EVENTS, STREAM_UPDATED, VERIFICATION } from '../event-types.js';
import type { ReceivedSignal } from '../options.js';
import type { ReceiverParts } from './intake.js';
import type { SecurityEvent } from './security-event-token.js';

/** Applies an event of a trusted transmitter. May be repeated after a failure. */
export function createActOnEvent(server: Server, { receiver, apis }: ReceiverParts) {
  const { settings, models, events, endSignIns } = server;
  const grants = createGrantRevocation(models, events.emit);
  /** The user that a subject identifies by the issuer of this site. */
  const ownUserOf = (subject: SubjectIdentifier): string | undefined => {
    if (subject.format === 'complex')
      return subject.user === undefined ? undefined : ownUserOf(subject.user as SubjectIdentifier);
    return subject.format === 'iss_sub' && subject.iss === settings.issuer ? String(subject.sub) : undefined;
  };

  return async (received: SecurityEvent): Promise<void> => {
    const { type, issuer, subject, event, iat, jti, txn } = received;
    // these events are about the stream, not a user
    if (type === VERIFICATION || type === STREAM_UPDATED) return;
    // the options may no longer have the transmitter
    const transmitter = receiver.transmitters.find((each) => each.issuer === issuer);
    if (transmitter === undefined) return;

    // Shared Signals Framework §3.6: MUST discard an event with a critical member that is not understood. The site's
    // `findUser` gets all members; without it this server only reads `user`.
    const { findUser } = transmitter;
    if (subject.format === 'complex' && findUser === undefined) {
      const { critical_subject_members: critical = [] } = (await apis.get(issuer)?.metadata()) ?? {};
      if (critical.some((name) => name !== 'user' && subject[name] !== undefined)) return;
    }
    let userId: string | undefined;
    if (findUser === undefined) userId = ownUserOf(subject);
    else {
      const user = await findUser(subject, { issuer, type });
      if (user !== null && user !== undefined && (typeof user !== 'string' || user === ''))
        throw new TypeError('sharedSignals: findUser must give the id of a user, as text, or null');
      userId = user ?? undefined;
    }

    if (userId !== undefined && ENDING_EVENTS.has(type)) {
      // tokens first; a session that is still open gets no more than before, and ends next
      await endSignIns?.({ userId }, new Date());
      await grants.revoke({ userId }, BY_SIGNAL);
      await receiver.endSessions(userId);
      // tokens that a session got in between
      await grants.revoke({ userId }, BY_SIGNAL);
    }
    const signal = { issuer, type, subject, userId, event, issuedAt: new Date(iat * 1000), jti, txn };
    await receiver.onSignal?.(withoutUndefined(signal) as ReceivedSignal);
  };
}
