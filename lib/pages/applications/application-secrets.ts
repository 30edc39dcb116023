import type { ClientInfo } from '../../core/clients/registry/client-info.js';
import type { ClientWithSecret } from '../../core/clients/registry/client-registry.js';
import { textField } from '../../core/http/form-fields.js';
import type { RequestContext } from '../../core/http/handle.js';
import type { PageHandler } from '../form-handler.js';
import { findRotatable, notFound } from './application-access.js';
import { redirectWithNote } from './application-notes.js';
import type { ApplicationsContext } from './applications-context.js';
import { newestSecretOf } from './describe-application.js';

export function rotateSecret(context: ApplicationsContext): PageHandler {
  const { clients, pages } = context;
  return async (req, res, now) => {
    const client = await findRotatable(clients, req);
    // a second click would end the secret that the running application still uses
    if (textField(req.body, 'secret_of') !== newestSecretOf(client))
      return redirectWithNote({ req, res, now }, pages.pathOf(client.clientId), 'rotated');
    await giveNewSecret(context, client, { req, res, now });
  };
}

/** Answered by the POST, because the secret is in it: a reload sends the form again, which makes no other secret. */
export async function giveNewSecret(
  { clients, actOf, pages }: ApplicationsContext,
  { clientId }: ClientInfo,
  { req, res, now }: RequestContext,
): Promise<void> {
  const rotated = await clients.rotateSecret(clientId, actOf(req, now));
  if (rotated === null) throw notFound();
  await pages.details(req, res, { ...withoutSecret(rotated), now });
}

export function endOldSecret({ clients, actOf, pages }: ApplicationsContext): PageHandler {
  return async (req, res, now) => {
    const client = await findRotatable(clients, req);
    // after a rotation since the page was opened, the old secret is another one, which the page did not show
    if (textField(req.body, 'secret_of') !== newestSecretOf(client))
      return redirectWithNote({ req, res, now }, pages.pathOf(client.clientId), 'changed');
    if (client.secrets.length > 1) await clients.revokeOldSecrets(client.clientId, actOf(req, now));
    redirectWithNote({ req, res, now }, pages.pathOf(client.clientId), 'ended');
  };
}

export function withoutSecret({ clientSecret, ...client }: ClientWithSecret): {
  client: ClientInfo;
  clientSecret: string | undefined;
} {
  return { client, clientSecret };
}
