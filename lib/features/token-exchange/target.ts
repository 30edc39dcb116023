import type { Client } from '../../core/clients/client.js';
import type { TokenContext } from '../../core/grant-types/grant-type.js';
import type { Settings } from '../../settings/settings.js';
import { requireEnabled } from '../../settings/table/require-enabled.js';
import { OAuthError } from '../../shared/errors.js';
import { isSameResource, parseResources } from '../../shared/protocol/resource.js';
import type { LiveToken } from './live-token.js';

/**
 * A token is exchanged for one for the same resource. Other resources of the grant are open to the client of the grant
 * and to the resource server that was called; to the latter also its `targets` in the options.
 *
 * @returns `allowed`: the resources that the new token may have; `resources`: the requested ones; empty: this server's
 * API
 * @throws OAuthError invalid_target
 * @see RFC 8693 §2.1, §2.2.2, RFC 8707 §2
 */
export function findTarget(
  settings: Settings,
  { client, resources, repeated: { audience = [] } }: TokenContext,
  subject: LiveToken,
): { readonly allowed: readonly string[]; readonly resources: readonly string[] } {
  const subjectResources = [subject.stored.resource ?? []].flat();
  const requested = [...new Set([...resources, ...resourcesNamed(audience, settings)])].filter(
    // the API of this server has two spellings: its issuer, and no resource at all
    (resource) => subjectResources.length > 0 || !isSameResource(resource, settings.issuer),
  );
  const isOfGrant = subject.exchanged === undefined && subject.clientId === client.clientId;
  if (requested.length === 0) return { allowed: subjectResources, resources: subjectResources };
  const isCalled = isResourceOf(client, subject, settings);
  const ofGrant = isOfGrant || isCalled ? subject.grant.authorization.resources : [];
  if (!isCalled) return { allowed: [...subjectResources, ...ofGrant], resources: requested };
  // the `targets` of the resource whose server was called
  const called = subject.stored.resource ?? settings.issuer;
  const targets = Object.entries(requireEnabled(settings.tokenExchange, 'tokenExchange').targets)
    .filter(([resource]) => isSameResource(resource, called))
    .flatMap(([, others]) => others);
  const ofSite = [...settings.resources.keys()].filter((name) =>
    targets.some((target) => isSameResource(target, name)),
  );
  return { allowed: [...subjectResources, ...ofGrant, ...ofSite], resources: requested };
}

/** Whether the token is for a resource of this client. */
export function isResourceOf(
  { resources = [] }: Client,
  { stored }: LiveToken,
  { issuer }: Settings,
): boolean {
  return resources.some((resource) => isSameResource(resource, stored.resource ?? issuer));
}

/** The logical name of a service is its URL; the issuer means the API of this server. */
export function resourcesNamed(
  audiences: readonly unknown[],
  { issuer, resources }: Settings,
): readonly string[] {
  const others = audiences.filter(
    (audience) => typeof audience !== 'string' || resources.has(issuer) || !isSameResource(audience, issuer),
  );
  if (others.length > 0 && resources.size === 0)
    throw new OAuthError('invalid_target', 'there is no such audience', { reason: 'resource_unknown' });
  return parseResources(others, resources);
}
