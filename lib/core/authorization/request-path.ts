import { pathOf } from '../../settings/endpoint-urls.js';
import type { Settings } from '../../settings/settings.js';
import { serializeReference, type WithReference } from './authorization-request.js';
import type { Prompt } from './prompt.js';

/** The GET of a request, without the prompts that were answered. */
export function pathTo(
  settings: Pick<Settings, 'issuerPath' | 'basePath' | 'paths'>,
  request: WithReference,
  answered: readonly Prompt[] = [],
): string {
  return `${pathOf(settings, 'authorize')}?${serializeReference(request, answered)}`;
}
