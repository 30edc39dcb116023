import type { Stores } from '../../lib/storage/stores.js';
import type { Step } from './everything.js';

/** A user signs in at a client with the site, does so again, and logs out. */
export async function doSignIns(
  step: Step,
  { signIns, grants }: Pick<Stores, 'signIns' | 'grants'>,
): Promise<void> {
  const now = new Date();
  const signIn = {
    sid: 'a-session',
    userId: 'ada',
    clientId: 'a-client',
    at: now,
    expiresAt: new Date(now.getTime() + 60_000),
  };
  await step('token: remember a sign-in', async () => {
    await signIns.keep(signIn);
    await signIns.keep(signIn);
  });
  await step('end_session: end a session', async () => {
    await signIns.find({ userId: 'ada', sid: 'a-session' });
    await grants.endSignIn({ userId: 'ada', sid: 'a-session' }, now);
    await signIns.remove({ userId: 'ada', sid: 'a-session', clientIds: ['a-client'] });
  });
  await step('page of an app: see the sign-ins there, and end them', async () => {
    await signIns.find({ userId: 'ada', clientId: 'a-client' });
    await grants.endSignIn({ userId: 'ada', clientId: 'a-client' }, now);
  });
  await step('code: end all sessions', async () => {
    await signIns.find({ userId: 'ada' });
    await grants.endSignIn({ userId: 'ada' }, now);
    await signIns.remove({ userId: 'ada', clientIds: ['a-client'] });
  });
}
