import { pathOf } from '../../settings/endpoint-urls.js';
import type { Settings } from '../../settings/settings.js';
import { formatForm } from '../../shared/protocol/parameters.js';
import type { AuthorizationRequest } from './authorization-request.js';
import type { Prompt } from './prompt.js';

/** What the query of a request is made from. A refused request has no `requiredAuthentication`. */
export type SerializableRequest = Pick<AuthorizationRequest, 'unchecked'> &
  Partial<Pick<AuthorizationRequest, 'requiredAuthentication'>>;

/** The query of GET /authorize for a request: after `?` in an address, or in a field of a form. */
export function serializeRequest(
  { unchecked, requiredAuthentication }: SerializableRequest,
  completed: readonly Prompt[] = [],
): string {
  // whether the query has to say that the user has logged in for the request; max_age is in the request, or registered
  // for its client (OpenID Connect Registration §2)
  const { maxAge, acr } = requiredAuthentication ?? {};
  const isLoginRequested = maxAge !== undefined || acr !== undefined;
  return formatForm(unchecked.toQuery(completed, isLoginRequested || undefined));
}

/** The path and query of GET /authorize for a request, without the prompts that were completed. */
export function pathTo(
  settings: Pick<Settings, 'issuerPath' | 'basePath' | 'advanced'>,
  request: SerializableRequest,
  completed: readonly Prompt[] = [],
): string {
  return `${pathOf(settings, 'authorize')}?${serializeRequest(request, completed)}`;
}
