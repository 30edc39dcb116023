import type { WebhookMessage } from '../../lib/delivery/outbox.js';
import type { SignalStream } from '../../lib/storage/other/signal-streams.js';
import type { Stores } from '../../lib/storage/stores.js';
import type { Step } from './everything.js';

/** Events from and for other services, in the calls of the endpoints and workers of shared signals. */
export async function doSharedSignals(
  step: Step,
  { inbox, outbox, signalStreams, streamSubjects }: Stores,
): Promise<void> {
  const now = new Date();
  const later = new Date(now.getTime() + 60_000);
  const message: WebhookMessage = {
    _id: 'set_1',
    endpoint: 'shared signals',
    type: 'session-revoked',
    payload: '{}',
    createdAt: now,
    triedSince: now,
    attempts: 0,
    nextAt: now,
    expiresAt: later,
  };
  await step('signals: receive', async () => {
    await inbox.receive(message);
    await inbox.receive(message);
  });
  await step('signals: act', async () => {
    await inbox.findDue('shared signals', now, 40);
    await inbox.isStopped();
    await inbox.lease(message, later);
    await inbox.findOlder(message);
    await inbox.putOff({ id: 'set_1', until: later }, { nextAt: later, attempts: 1, problem: 'none' });
    await inbox.remove({ id: 'set_1', until: later });
    const failed = { problem: 'none', failedAt: now, expiresAt: later };
    await inbox.giveUp({ id: 'set_1', until: later }, { ...failed, attempts: 2 });
    await inbox.giveUpAll('shared signals', failed);
  });
  const stream: SignalStream = {
    _id: 'stream_1',
    clientId: 'desk',
    audience: 'desk',
    delivery: { method: 'poll' },
    status: 'enabled',
    createdAt: now,
  };
  const about = { streamId: 'stream_1', subject: { format: 'opaque', id: 'ada' } };
  await step('signals: manage a stream', async () => {
    await signalStreams.insert(stream);
    await signalStreams.find('stream_1');
    await signalStreams.listOf('desk');
    await signalStreams.update('stream_1', { description: 'of the desk', reason: undefined });
    await signalStreams.verify('stream_1', now, now);
    await streamSubjects.keep(
      { ...about, isRemoved: true },
      { max: 10, tooMany: () => new Error('too many') },
    );
  });
  await step('signals: issue', async () => {
    await signalStreams.listAll(['desk']);
    await streamSubjects.find(about);
    await streamSubjects.findComplex('stream_1');
    await outbox.add([{ ...message, endpoint: 'shared signals stream_1', about: 'stream_1 x' }]);
  });
  const part = { endpoint: 'shared signals stream_1', aboutPrefix: 'stream_1 ' };
  await step('signals: poll, and end a stream', async () => {
    await outbox.findDue(part.endpoint, now, 40, 'stream-updated');
    await outbox.findWaiting(part.endpoint, ['set_1']);
    await outbox.acknowledge(part.endpoint, ['set_1']);
    await outbox.transfer(part, { endpoint: 'shared signals', nextAt: now });
    await outbox.discard(part);
    await streamSubjects.forget(about);
    await signalStreams.remove('stream_1');
  });
}
