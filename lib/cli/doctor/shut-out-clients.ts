import type { Client } from '../../core/clients/client.js';
import { areOpenidScopes } from '../../shared/protocol/resource.js';
import type { ReportFinding } from './finding.js';
import { CHALLENGE, requestAuthorization } from './requests.js';

/**
 * Lists clients that `agents`, or an option that it presets, may exclude: a check from outside cannot know what a
 * client sends.
 *
 * @param clients those of the site
 */
export async function checkShutOutClients(
  report: ReportFinding,
  authorizationEndpoint: string,
  clients: readonly Client[],
): Promise<void> {
  /** Whether a request with these parameters fails with this error, before the login (`prompt=none`). */
  const isRefused = async (client: Client | undefined, parameters: object, problem: RegExp) => {
    if (client === undefined) return false;
    const request = { prompt: 'none', ...parameters };
    const { location } = await requestAuthorization(authorizationEndpoint, client, request);
    return problem.test(location?.search ?? '');
  };
  const withoutPkce = clients.filter(({ type, pkce }) => type === 'confidential' && pkce === undefined);
  const ofApi = clients.filter(({ scopes }) => !areOpenidScopes(scopes, { scopeClaims: {} }));
  if (await isRefused(withoutPkce[0], {}, /[?&]error_description=code.challenge/))
    for (const client of withoutPkce)
      report('note', 'client.pkce-required', {
        client,
        what: 'has a secret, and has to use PKCE all the same',
        why: "The site asks PKCE of all clients (security.pkce: 'all', which agents sets). A client that does not use it is sent back with invalid_request.",
        cure: `If it does not: oauth.clients.update('${client.clientId}', { pkce: 'public' }), or security: { pkce: 'public' } for all.`,
      });
  if (await isRefused(ofApi[0], CHALLENGE, /[?&]error=invalid_target/))
    for (const client of ofApi)
      report('note', 'client.resource-required', {
        client,
        what: 'has to name a resource if it asks for access to an API',
        why: 'The site requires it (security.requireResource, which agents sets). A client that names none is sent back with invalid_target, unless it only signs users in.',
        cure: `If it names none, let its developers add resource=<URL of the API> to its requests; or write security: { requireResource: false }.`,
      });
}
