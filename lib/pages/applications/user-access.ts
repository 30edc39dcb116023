import { type AccountForm, noSuchPage, renderAccountPage, type Visit } from '../account-pages.js';
import { personLabel } from '../person.js';
import { type ApplicationsContext, isAdministrator } from './application-access.js';
import { redirectWithNote } from './application-notes.js';

/** Asks an administrator to confirm the end of all access of a user, with its extent. */
export const accessEnd: AccountForm<ApplicationsContext> = {
  async show(context, visit) {
    const user = await checkUser(context, visit);
    const { settings, people, root } = context;
    const { id } = visit;
    const { applications, serviceTokens, liveGrants } = await people.end(id, { dryRun: true });
    await renderAccountPage(context, visit, {
      view: 'user-access',
      isOutOfDate: visit.req.method === 'POST',
      locals: ({ text }) => ({
        title: text('userAccess.title'),
        user: user ? personLabel(settings, user) : id,
        grants: liveGrants + serviceTokens.ended.length,
        applications: applications.blocked.length,
        action: userAccessPath(context, id),
        back: `${root}?list=all&q=${encodeURIComponent(id)}`,
      }),
    });
  },
  async submit(context, visit) {
    await checkUser(context, visit);
    const { emit } = context.actOf(visit);
    await context.people.end(visit.id, { applications: 'block' }, { actorId: visit.userId, emit });
    redirectWithNote(visit, context.root, 'applications.accessEnded');
  },
};

/** Admits only administrators, and only the site's exact spelling of the id, as the database has it. */
async function checkUser({ settings: { people } }: ApplicationsContext, visit: Visit) {
  if (!isAdministrator(visit)) throw noSuchPage();
  const user = await people.find?.(visit.id);
  if (user && people.id(user) !== visit.id) throw noSuchPage();
  return user;
}

export function userAccessPath({ root }: ApplicationsContext, userId: string): string {
  return `${root}/users/${encodeURIComponent(userId)}/end`;
}
