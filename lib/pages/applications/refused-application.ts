import type { Request } from 'express';

import type { ClientDirectory } from '../../core/clients/registry/client-directory.js';
import type { ClientInfo } from '../../core/clients/registry/client-info.js';
import type { RequestContext } from '../../core/http/handle.js';
import { answerRefused, type FormAddress, takeRefused } from '../refused-forms.js';
import { viewerOf } from './application-access.js';
import { withPublicKeys } from './application-authentication.js';
import type { ApplicationPages, FormPage } from './application-pages.js';
import { peopleOf } from './disconnect-everyone.js';

/** What is kept of a form. Its mistakes are not: they are found again in the values, in the language of the GET. */
export type RefusedForm = Pick<FormPage, 'values' | 'quota' | 'submission' | 'kind'>;

/** What is kept of the form to delete an application. */
const UNCONFIRMED = 'unconfirmed';

export function newForm({ newPath }: ApplicationPages, req: Request, kind: string | undefined): FormAddress {
  const query = kind === undefined ? '' : `?${new URLSearchParams({ kind }).toString()}`;
  return { path: `${newPath}${query}`, userId: viewerOf(req).ownerId };
}

export function editForm({ pathOf }: ApplicationPages, { clientId }: ClientInfo, req: Request): FormAddress {
  return { path: pathOf(clientId, '/edit'), userId: viewerOf(req).ownerId };
}

function deletionForm({ pathOf }: ApplicationPages, { clientId }: ClientInfo, req: Request): FormAddress {
  return { path: pathOf(clientId, '/delete'), userId: viewerOf(req).ownerId };
}

/**
 * Answers a refused form with its GET, or directly if what was pasted as keys is not a set of public keys: it may be a
 * private key, and the session is no place for that.
 */
export async function answerRefusedForm(
  context: RequestContext,
  { values, path, userId, ...more }: RefusedForm & FormAddress,
  answer: () => Promise<void>,
): Promise<void> {
  const storable = withPublicKeys(values);
  if (storable === undefined) return answer();
  const stored: RefusedForm = { values: storable, ...more };
  await answerRefused(context, { path, userId, stored }, answer);
}

export function takeRefusedForm(req: Request, address: FormAddress, now: Date): RefusedForm | undefined {
  return takeRefused<RefusedForm>(req, address, now);
}

interface DeletionContext {
  readonly pages: ApplicationPages;
  readonly directory: ClientDirectory;
}

/** Shows, or shows once more, the form to delete an application. */
export async function answerDeletion(
  { pages, directory }: DeletionContext,
  { req, res, now }: RequestContext,
  client: ClientInfo,
): Promise<void> {
  const people = await peopleOf(directory, client);
  const isUnconfirmed = takeRefused(req, deletionForm(pages, client, req), now) === UNCONFIRMED;
  await pages.deletion(req, res, { client, people, isUnconfirmed });
}

/** What was typed to confirm is not kept: the form does not show it again. */
export async function answerUnconfirmed(
  { pages, directory }: DeletionContext,
  context: RequestContext,
  client: ClientInfo,
): Promise<void> {
  const stored = { ...deletionForm(pages, client, context.req), stored: UNCONFIRMED };
  await answerRefused(context, stored, async () => {
    const people = await peopleOf(directory, client);
    await pages.deletion(context.req, context.res, { client, people, isUnconfirmed: true });
  });
}
