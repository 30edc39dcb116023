import { z } from 'zod';

import type { Resources } from '../protocol/resource.js';
import type { AuthorizationServerOptions } from './options.js';

export const resourcesShape = z
  .record(
    z.string(),
    z.strictObject({
      scopes: z.array(z.string()).optional(),
      tokenFormat: z.enum(['opaque', 'jwt'], "must be 'opaque' or 'jwt'").optional(),
      accessTokenTtl: z
        .number('must be a number of seconds')
        .int('must be whole seconds')
        .positive('must be more than 0 seconds')
        .optional(),
      name: z.string('must be text').min(1, 'must not be empty').optional(),
    }),
    "must be an object of resource and its options: { 'https://api.photos.example': {} }",
  )
  .optional();

/**
 * The resources by their identifiers.
 *
 * @throws TypeError
 * @see RFC 8707 §2, RFC 9728 §1.2
 */
export function parseResourceOptions({
  resources = {},
  scopes,
}: Pick<AuthorizationServerOptions, 'resources' | 'scopes'>): Resources {
  const hrefs = new Set<string>();
  for (const [resource, options] of Object.entries(resources)) {
    checkResource(resource);
    if (hrefs.has(new URL(resource).href)) throw mistake(resource, 'is there twice');
    hrefs.add(new URL(resource).href);
    const unknown = options.scopes?.find((scope) => !Object.hasOwn(scopes, scope));
    if (unknown !== undefined) throw mistake(resource, `its scope '${unknown}' is not among scopes`);
  }
  return new Map(Object.entries(resources));
}

function checkResource(resource: string): void {
  if (!URL.canParse(resource))
    throw mistake(resource, 'must be an absolute URL, such as https://api.photos.example (RFC 8707 §2)');
  const { protocol, hash } = new URL(resource);
  if (protocol !== 'https:' && protocol !== 'http:') throw mistake(resource, 'must be an https: URL');
  // RFC 8707 §2: MUST NOT include a fragment component
  if (hash !== '' || /[\s#"\\]/.test(resource))
    throw mistake(resource, 'must have no fragment, space, quote or backslash');
}

function mistake(resource: string, text: string): TypeError {
  return new TypeError(`authorizationServer: the option resources: '${resource}' ${text}`);
}
