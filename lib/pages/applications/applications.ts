import type { Router } from 'express';

import { handle } from '../../core/http/handle.js';
import { PageRefusal } from '../../core/http/page-error.js';
import { emitFor } from '../../core/observability/events.js';
import { fetchCallerOf } from '../../core/sessions/resource-owner.js';
import { pathOf } from '../../settings/endpoint-urls.js';
import { createFailureLimit } from '../../shared/limits/failure-limit.js';
import { accountPath, createAccountRouter, noSuchPage } from '../account-pages.js';
import { consumeFlash, takeRefused } from '../form-answers.js';
import { ownerPages, ownersParts, type RefusedInvitation } from '../owner-pages.js';
import { rolesOf } from '../person.js';
import {
  administrators,
  type ApplicationsContext,
  type ApplicationsPagesOptions,
  findClient,
} from './application-access.js';
import {
  block,
  clear,
  deletion,
  disconnection,
  editing,
  endOldSecret,
  rotateSecret,
  verify,
} from './application-changes.js';
import { formFieldsOf, nameInForm } from './application-fields.js';
import { listApplications } from './application-list.js';
import { describeEndings, toOwnedApplication } from './application-owners.js';
import { renderApplication } from './application-page.js';
import { kindForm, MAX_APPLICATIONS, registrationForm } from './application-registration.js';
import { USAGE_LIMITS, usageOf } from './application-usage.js';
import { accessEnd } from './user-access.js';

/** Maximum number of one developer's forms per minute. */
const FORMS_PER_MINUTE = 30;

/**
 * The pages on which developers register and manage their clients, and administrators manage all clients. Mounted at
 * `<basePath>/applications`.
 *
 * @see RFC 6749 §2: "typically involve end-user interaction with an HTML registration form"
 */
export function createApplicationsPages(options: ApplicationsPagesOptions): Router {
  const { settings, clients, events, models } = options;
  const { rateLimits } = settings.security;
  const context: ApplicationsContext = {
    ...options,
    ...ownersParts(settings, models.failures),
    endpoint: 'applications',
    root: pathOf(settings, 'applications'),
    ownership: clients,
    actOf: ({ req, now }) => ({
      emit: emitFor(events, req),
      now,
      getCaller: () => fetchCallerOf(settings, req),
    }),
  };
  return createAccountRouter(context, {
    after: [
      // admits developers and administrators
      handle(async (req, _res, next) => {
        const { isAdministrator, isDeveloper } = await rolesOf(settings, req);
        if (!isDeveloper)
          throw new PageRefusal('your account may not register applications on this site', {
            text: 'error.notDeveloper',
          });
        administrators.set(req, isAdministrator);
        next();
      }),
    ],
    formPathOf(posted) {
      const path = posted.replace(/\/(?:accept|decline)$/, '/invitation');
      // the page of the form
      return path === '/' || path === '/new'
        ? '/new'
        : path.replace(/\/(?!edit$|delete$|disconnect$|invitation$|end$)[^/]+$/, '');
    },
    // every submitted form counts, valid or not: the limit is on the work
    limit: createFailureLimit(
      rateLimits && {
        failures: FORMS_PER_MINUTE,
        window: 60,
        shared: { name: 'applications', store: models.failures },
      },
    ),
    typedFields: formFieldsOf(clients.fields).map(nameInForm),
    pages: {
      '/': listApplications,
      async '/:id'(context, visit) {
        const client = await findClient(context, visit);
        const [usage, failures] = await Promise.all([
          usageOf(context.models, [client], USAGE_LIMITS.ofOne),
          context.clientFailures.of(client.clientId, visit.now),
        ]);
        const path = accountPath(context, client.clientId);
        const done = consumeFlash(visit, path);
        const refusedInvitation = takeRefused<RefusedInvitation>(visit, path);
        await renderApplication(context, visit, { client, usage, failures, done, refusedInvitation });
      },
      ...owners.pages,
    },
    forms: {
      '/': registrationForm,
      '/new': kindForm,
      '/:id/edit': editing,
      '/:id/rotate-secret': rotateSecret,
      '/:id/end-old-secret': endOldSecret,
      '/:id/verify': verify,
      '/:id/disconnect': disconnection,
      '/:id/block': block,
      '/:id/approve': clear('approve'),
      '/:id/unblock': clear('unblock'),
      '/:id/delete': deletion,
      '/users/:id/end': accessEnd,
      ...owners.forms,
    },
  });
}

const owners = ownerPages<ApplicationsContext>({
  async find(context, visit) {
    const client = await findClient(context, visit);
    return {
      ...toOwnedApplication(context, client, visit),
      render: (form) => renderApplication(context, visit, { client, ...form }),
      removalMeaning: (text) =>
        client.type === 'confidential'
          ? `${text('owners.removeMeaning')} ${text('owners.removeSecret')}`
          : text('owners.removeMeaning'),
    };
  },
  async findInvited(context, visit) {
    const { clients, settings } = context;
    const invited = await clients.listInvitations(visit.userId, visit.now);
    const match = invited.find(({ client }) => client.clientId === visit.id);
    if (match === undefined) return undefined;
    const { client, invitation } = match;
    const { clientId, name, description, redirectUris, createdAt } = client;
    return {
      thing: toOwnedApplication(context, client, visit),
      invitation,
      view: 'application-invitation',
      describe: ({ text, day }) => ({
        // only these fields: an invited user sees nothing else of the application
        application: { clientId, name, description, redirectUris },
        meaning: [text('owners.acceptMeaning'), ...describeEndings(client, settings, text)].join(' '),
        created: day(createdAt),
      }),
    };
  },
  noSuchThing: noSuchPage,
  maxOwned: MAX_APPLICATIONS,
  noRoom: 'toomanyapplications',
  isRemovalRedisplayed: true,
});
