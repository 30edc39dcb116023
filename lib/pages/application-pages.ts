import { randomUUID } from 'node:crypto';
import type { Request, Response } from 'express';
import type { Client, ClientRegistry } from '../client-registry.js';
import { csrfTokenOf } from '../http/csrf.js';
import type { ClientProblem } from '../protocol/client-metadata.js';
import type { Settings } from '../settings.js';
import type { RenderPage } from '../views.js';
import { grantTypeChoices, scopeChoices, type ApplicationValues } from './application-form.js';
import type { MessageKey } from './messages/index.js';
import type { Words } from './words.js';

export interface ApplicationPagesOptions {
  readonly settings: Settings;
  readonly clients: ClientRegistry;
  readonly renderPage: RenderPage;
}

/** What the form is shown with. */
export interface FormPage {
  readonly values: ApplicationValues;
  readonly problems?: readonly ClientProblem[];
  /** How many applications a person may have, where that is why there is no other one. */
  readonly quota?: number;
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
const NOTES: Readonly<Record<string, MessageKey>> = {
  saved: 'applications.saved',
  deleted: 'applications.deleted',
  registered: 'applications.registeredBefore',
  rotated: 'applications.rotatedBefore',
};

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
      await renderPage(req, res, {
        view: 'applications',
        locals: (words) => {
          const applications = owned.map((client) => ({ ...client, href: pathOf(client.clientId), created: words.day(client.createdAt) }));
          return { title: words.text('applications.title'), root, userName: userNameOf(req), applications, note: noteOf(req, words) };
        },
      });
    },
    async form(req: Request, res: Response, { values, problems = [], quota, submission = randomUUID(), client }: FormPage): Promise<void> {
      await renderPage(req, res, {
        view: 'application-form',
        status: problems.length > 0 || quota !== undefined ? 400 : 200,
        locals: (words) => ({
          title: client === undefined ? words.text('applications.register') : words.text('form.edit', { client: client.name }),
          root,
          userName: userNameOf(req),
          action: client === undefined ? root : pathOf(client.clientId, '/edit'),
          back: client === undefined ? root : pathOf(client.clientId),
          csrfToken: csrfTokenOf(req),
          submission,
          isNew: client === undefined,
          values,
          problems: quota === undefined ? problems : [...problems, { field: 'name', problem: words.text('applications.tooMany', { count: quota }) }],
          scopeChoices: scopeChoices(settings.scopes, clients.limits.scopes, words),
          grantTypeChoices: grantTypeChoices(clients.limits.grantTypes, words),
        }),
      });
    },
    async details(req: Request, res: Response, { client, clientSecret, status }: DetailsPage): Promise<void> {
      await renderPage(req, res, {
        view: 'application',
        status,
        locals: (words) => ({
          title: client.name,
          root,
          userName: userNameOf(req),
          csrfToken: csrfTokenOf(req),
          note: noteOf(req, words, client),
          paths: { rotate: pathOf(client.clientId, '/rotate-secret'), edit: pathOf(client.clientId, '/edit'), delete: pathOf(client.clientId, '/delete') },
          clientSecret,
          ...describeClient(client, settings, words),
        }),
      });
    },
    async deletion(req: Request, res: Response, client: Client): Promise<void> {
      await renderPage(req, res, {
        view: 'application-delete',
        locals: ({ text }) => ({ title: text('application.deleteHeading', { client: client.name }), root, userName: userNameOf(req), csrfToken: csrfTokenOf(req), client, action: pathOf(client.clientId, '/delete'), back: pathOf(client.clientId) }),
      });
    },
  };
}

function describeClient(client: Client, { issuer, basePath, scopes, secretOverlap }: Settings, words: Words) {
  return {
    client,
    created: words.moment(client.createdAt),
    secrets: client.secrets.map(({ createdAt, expiresAt }) => ({ created: words.moment(createdAt), expires: expiresAt && words.moment(expiresAt) })),
    secretOf: newestSecretOf(client),
    overlap: secretOverlap === 0 ? undefined : words.span(secretOverlap),
    scopes: scopeChoices(scopes, client.scopes, words),
    grantTypes: grantTypeChoices(client.grantTypes, words),
    endpoints: { authorization: `${issuer}${basePath}/authorize`, token: `${issuer}${basePath}/token` },
  };
}

/** Says which secret a rotation is meant to replace. */
export function newestSecretOf({ secrets }: Client): string {
  return secrets[0]?.createdAt.toISOString() ?? '';
}

function noteOf(req: Request, { text }: Words, client?: Client): string | undefined {
  const [, name = ''] = /[?&]note=([a-z]+)/.exec(req.url) ?? [];
  const note = Object.hasOwn(NOTES, name) ? NOTES[name] : undefined;
  if (req.method === 'POST' || note === undefined) return undefined;
  return name === 'registered' && client?.type === 'confidential' ? `${text(note)} ${text('applications.lostSecret')}` : text(note);
}
