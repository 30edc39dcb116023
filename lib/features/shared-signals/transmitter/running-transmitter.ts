import { randomUUID } from 'node:crypto';

import { type OAuthEvent, Storing } from '../../../core/observability/events.js';
import { createBackgroundReport } from '../../../core/observability/report.js';
import { createStoreUntilDone } from '../../../delivery/store-until-done.js';
import type { Server } from '../../../server/server.js';
import { BY_SIGNAL, URIS } from '../event-types.js';
import { createPublish, type PublishedSignal } from './publish.js';
import { createPushSender } from './push-sender.js';

const SESSION_REVOKED = URIS.get('session-revoked')!;
const ACCOUNT_PURGED = URIS.get('account-purged')!;

/** Reports this server's events to receivers. */
export function createRunningTransmitter(server: Server) {
  const { settings, events } = server;
  const publish = createPublish(server);
  const sender = createPushSender(server);
  const report = createBackgroundReport(settings.onError, 'ssf');
  const untilStored = createStoreUntilDone('shared signals: an event', report);
  const storing = (signal: PublishedSignal) => {
    // a repeated attempt to store a signal uses the same `txn` (RFC 8417 §2.2)
    const once = { ...signal, txn: randomUUID() };
    return new Storing(untilStored.start(() => publish(once)));
  };

  const hearEnd = (userId: string | undefined, reason: string): Storing | undefined => {
    if (userId === undefined) return undefined;
    const event = {
      event_timestamp: Math.floor(Date.now() / 1000),
      initiating_entity: reason === 'user' ? 'user' : 'system',
      // CAEP Interoperability Profile §3.1: MUST NOT be empty
      reason_admin: { en: `All access of the user was ended (${reason})` },
    };
    return storing({ type: SESSION_REVOKED, userId, event });
  };
  /** Only the end of all grants of a user counts as the end of a session, not that of one client. */
  const hearRevoked = ({ userId, clientId, grantId, filter, reason }: OAuthEvent<'grant.revoked'>) =>
    clientId === undefined && grantId === undefined && filter === undefined && reason !== BY_SIGNAL
      ? hearEnd(userId, reason)
      : undefined;
  const hearEnded = ({ userId }: OAuthEvent<'session.ended'>) => hearEnd(userId, 'session.ended');
  /** RISC 1.0 §2.2 */
  const hearPurged = ({ userId, actorId }: OAuthEvent<'account.ended'>) =>
    // an administrator has ended the access of an existing account
    actorId !== undefined
      ? hearEnd(userId, 'administrator')
      : storing({ type: ACCOUNT_PURGED, userId, event: {} });
  const wake = (): void => sender.wake();
  events.on('grant.revoked', hearRevoked);
  events.on('session.ended', hearEnded);
  events.on('account.ended', hearPurged);
  events.on('signal.issued', wake);
  events.on('stream.changed', wake);

  return {
    publish,
    /** Stores pending events, and resolves once none is being sent. */
    async close() {
      events.off('grant.revoked', hearRevoked);
      events.off('session.ended', hearEnded);
      events.off('account.ended', hearPurged);
      events.off('signal.issued', wake);
      events.off('stream.changed', wake);
      await untilStored.close();
      await sender.close();
    },
  };
}
