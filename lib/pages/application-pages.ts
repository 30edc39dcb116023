import { randomUUID } from 'node:crypto';
import type { Request, Response } from 'express';
import type { Client, ClientRegistry } from '../client-registry.js';
import { csrfTokenOf } from '../http/csrf.js';
import type { ClientProblem } from '../protocol/client-metadata.js';
import type { Settings } from '../settings.js';
import type { RenderPage } from '../views.js';
import { grantTypeChoices, scopeChoices, type ApplicationValues } from './application-form.js';

export interface ApplicationPagesOptions {
  readonly settings: Settings;
  readonly clients: ClientRegistry;
  readonly renderPage: RenderPage;
}

/** What the form is shown with. */
export interface FormPage {
  readonly values: ApplicationValues;
  readonly problems?: readonly ClientProblem[];
  /** Where it is a registration: the id that makes sending it twice harmless. */
  readonly submission?: string;
  /** Where it is a change: the client that is changed. */
  readonly client?: Client;
}

export interface DetailsPage {
  readonly client: Client;
  /** Shown this once. */
  readonly clientSecret?: string;
  readonly status?: number;
}

/** Things that happened just before a page is shown: only their names travel in its address. */
const NOTES: Readonly<Record<string, string>> = {
  saved: 'Your changes are saved.',
  deleted: 'The application is deleted, and every access it had has ended.',
  registered: 'This application was registered before: the form was sent twice.',
  rotated: 'A new secret was made a moment ago: the form was sent twice, and no other one was made. If you do not have it, make a new one below.',
};
const LOST_SECRET = 'Its secret was shown once only. If you do not have it, make a new one below.';

export type ApplicationPages = ReturnType<typeof createApplicationPages>;

/** Renders the pages of the applications; decides nothing. */
export function createApplicationPages({ settings, clients, renderPage }: ApplicationPagesOptions) {
  const root = `${settings.issuerPath}${settings.basePath}/applications`;
  const pathOf = (clientId: string, action = '') => `${root}/${encodeURIComponent(clientId)}${action}`;
  const userNameOf = (req: Request) => (req.user === undefined ? '' : settings.userName(req.user));

  return {
    root,
    pathOf,
    async list(req: Request, res: Response, owned: readonly Client[]): Promise<void> {
      const applications = owned.map((client) => ({ ...client, href: pathOf(client.clientId), created: toDay(client.createdAt) }));
      await renderPage(req, res, {
        view: 'applications',
        locals: { title: 'Your applications', root, userName: userNameOf(req), applications, note: noteOf(req) },
      });
    },
    async form(req: Request, res: Response, { values, problems = [], submission = randomUUID(), client }: FormPage): Promise<void> {
      await renderPage(req, res, {
        view: 'application-form',
        status: problems.length > 0 ? 400 : 200,
        locals: {
          title: client === undefined ? 'Register an application' : `Edit ${client.name}`,
          root,
          userName: userNameOf(req),
          action: client === undefined ? root : pathOf(client.clientId, '/edit'),
          back: client === undefined ? root : pathOf(client.clientId),
          csrfToken: csrfTokenOf(req),
          submission,
          isNew: client === undefined,
          values,
          problems,
          scopeChoices: scopeChoices(settings.scopes, clients.limits.scopes),
          grantTypeChoices: grantTypeChoices(clients.limits.grantTypes),
        },
      });
    },
    async details(req: Request, res: Response, { client, clientSecret, status }: DetailsPage): Promise<void> {
      await renderPage(req, res, {
        view: 'application',
        status,
        locals: {
          title: client.name,
          root,
          userName: userNameOf(req),
          csrfToken: csrfTokenOf(req),
          note: noteOf(req, client),
          paths: { rotate: pathOf(client.clientId, '/rotate-secret'), edit: pathOf(client.clientId, '/edit'), delete: pathOf(client.clientId, '/delete') },
          clientSecret,
          ...describeClient(client, settings),
        },
      });
    },
    async deletion(req: Request, res: Response, client: Client): Promise<void> {
      await renderPage(req, res, {
        view: 'application-delete',
        locals: { title: `Delete ${client.name}?`, root, userName: userNameOf(req), csrfToken: csrfTokenOf(req), client, action: pathOf(client.clientId, '/delete'), back: pathOf(client.clientId) },
      });
    },
  };
}

function describeClient(client: Client, { issuer, basePath, scopes, secretOverlap }: Settings) {
  return {
    client,
    created: toMoment(client.createdAt),
    secrets: client.secrets.map(({ createdAt, expiresAt }) => ({ created: toMoment(createdAt), expires: expiresAt && toMoment(expiresAt) })),
    secretOf: newestSecretOf(client),
    overlap: secretOverlap === 0 ? undefined : toSpan(secretOverlap),
    scopes: scopeChoices(scopes, client.scopes),
    grantTypes: grantTypeChoices(client.grantTypes),
    endpoints: { authorization: `${issuer}${basePath}/authorize`, token: `${issuer}${basePath}/token` },
  };
}

/** Says which secret a rotation is meant to replace. */
export function newestSecretOf({ secrets }: Client): string {
  return secrets[0]?.createdAt.toISOString() ?? '';
}

function noteOf(req: Request, client?: Client): string | undefined {
  const [, name = ''] = /[?&]note=([a-z]+)/.exec(req.url) ?? [];
  if (req.method === 'POST' || !Object.hasOwn(NOTES, name)) return undefined;
  return name === 'registered' && client?.type === 'confidential' ? `${NOTES[name]} ${LOST_SECRET}` : NOTES[name];
}

// UTC, named as such: the server does not know where the person is
const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
const moment = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });

interface ShownTime {
  readonly iso: string;
  readonly text: string;
}

function toDay(date: Date): ShownTime {
  return { iso: date.toISOString(), text: day.format(date) };
}

function toMoment(date: Date): ShownTime {
  return { iso: date.toISOString(), text: `${moment.format(date)} UTC` };
}

const UNITS = [[86_400, 'days'], [3600, 'hours'], [60, 'minutes'], [1, 'seconds']] as const;

function toSpan(seconds: number): string {
  const [size, unit] = UNITS.find(([candidate]) => seconds >= 2 * candidate) ?? [1, 'seconds'];
  return `${Math.round(seconds / size)} ${unit}`;
}
