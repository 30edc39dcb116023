import type { Response, Test } from 'supertest';

import { hiddenFields, type Person, postForm } from './person.js';
import { REDIRECT_URI } from './site.js';

export const ROOT = '/oauth/applications';

/** A complete form of an application. */
export const FORM = {
  name: 'Printing shop',
  type: 'confidential',
  redirect_uris: REDIRECT_URI,
  scope: ['photos:read'],
  grant_type: ['authorization_code'],
};

type Agent = Person['agent'];

/** Opens the form of a new application; what it returns sends this form, as often as it is called. */
export async function openNewApplication(agent: Agent, fields: object = {}): Promise<() => Test> {
  const form = { ...hiddenFields(await agent.get(`${ROOT}/new`)), ...FORM, ...fields };
  return () => postForm(agent, ROOT, form);
}

export async function registerApplication(agent: Agent, fields: object = {}): Promise<Response> {
  return (await openNewApplication(agent, fields))();
}

export async function editApplication(agent: Agent, clientId: string, fields: object): Promise<Response> {
  const path = `${ROOT}/${clientId}/edit`;
  return postForm(agent, path, { ...hiddenFields(await agent.get(path)), ...FORM, ...fields });
}

/** The id and, if the page shows one, the secret of an application. */
export const clientIdIn = ({ text }: Pick<Response, 'text'>): string =>
  /<code id="client-id">([^<]+)</.exec(text)?.[1] ?? '';
export const secretIn = ({ text }: Pick<Response, 'text'>): string | undefined =>
  /<code id="client-secret"[^>]*>([^<]+)</.exec(text)?.[1];
