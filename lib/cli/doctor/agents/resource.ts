import { type Finding, finding } from '../finding.js';
import { describeAnswer, requestAsAgent, stringsOf } from './agent-requests.js';
import type { Challenge } from './challenge.js';

/** What the metadata of the resource says. */
export interface Resource {
  readonly findings: readonly Finding[];
  /** Its name in the metadata, which agents send as `resource`. */
  readonly resource?: string;
  readonly issuer?: string;
  readonly scopes: readonly string[];
}

const WELL_KNOWN = '/.well-known/oauth-protected-resource';
const NAME =
  "Name the endpoint by exactly this URL: resources: { 'URL': {} }, and oauth.mcp({ resource: 'URL' }).";

/** RFC 9728 §3.1: between host and path. Older agents look at the root. */
export function placesOf(url: string): readonly string[] {
  const { origin, pathname } = new URL(url);
  const path = pathname === '/' ? '' : pathname;
  return [...new Set([`${origin}${WELL_KNOWN}${path}`, `${origin}${WELL_KNOWN}`])];
}

/** @see RFC 9728 §3, Model Context Protocol 2026-07-28, Protected Resource Metadata Discovery Requirements */
export async function checkResource(url: string, { resourceMetadata }: Challenge): Promise<Resource> {
  const [place = '', root] = placesOf(url);
  const named = resourceMetadata ?? place;
  const at = await requestAsAgent(named);
  const document = at instanceof Error || at.status !== 200 ? undefined : at.json;
  if (document === undefined) {
    const what = `the metadata of the resource are not at ${named}: ${describeAnswer(at)}`;
    const found = await findElsewhere(named, [place, root ?? place]);
    const cure = `Mount oauth.router, or oauth.wellKnown, at the root of the site that ${named} is on, before a catch-all.`;
    return { findings: [missing(what, found, cure)], scopes: [] };
  }
  const [issuer] = stringsOf(document.authorization_servers);
  const findings = [
    ...placeFindings(url, document.resource),
    ...(await otherPlace(named, place)),
    ...issuerFindings(named, issuer),
  ];
  return {
    findings,
    scopes: stringsOf(document.scopes_supported),
    ...(typeof document.resource === 'string' && { resource: document.resource }),
    ...(issuer !== undefined && { issuer }),
  };
}

function missing(what: string, found: string | undefined, cure: string): Finding {
  const elsewhere = found === undefined ? '' : ` There is one at ${found}, where nobody was sent.`;
  return finding('serious', 'agents.resource-metadata', {
    what,
    why: `Agents learn there who gives the tokens, and go no further without (RFC 9728 §3).${elsewhere}`,
    cure,
  });
}

async function findElsewhere(named: string, places: readonly string[]): Promise<string | undefined> {
  for (const place of places.filter((candidate) => candidate !== named)) {
    const response = await requestAsAgent(place);
    if (!(response instanceof Error) && response.status === 200 && response.json !== undefined) return place;
  }
  return undefined;
}

/** RFC 9728 §3.3: metadata of another resource MUST NOT be used. */
function placeFindings(url: string, resource: unknown): Finding[] {
  if (typeof resource === 'string' && URL.canParse(resource) && isSame(resource, url)) return [];
  return [
    finding('serious', 'agents.resource', {
      what: `the metadata of ${url} describe ${typeof resource === 'string' ? resource : 'no resource'}`,
      why: 'Agents that compare the two, as they must (RFC 9728 §3.3), stop here; others ask for a token that the endpoint then refuses.',
      cure: NAME.replaceAll('URL', url),
    }),
  ];
}

function isSame(resource: string, url: string): boolean {
  return new URL(resource).href === new URL(url).href;
}

async function otherPlace(named: string, place: string): Promise<Finding[]> {
  if (named === place) return [];
  const response = await requestAsAgent(place);
  if (!(response instanceof Error) && response.status === 200 && response.json !== undefined) return [];
  return [
    finding('warning', 'agents.well-known', {
      what: `the challenge names ${named}, and at ${place} is ${describeAnswer(response)}`,
      why: 'Agents that do not read the challenge look there (RFC 9728 §3.1).',
      cure: 'Mount oauth.router or oauth.wellKnown at the root of the site; what stands before it has to pass /.well-known/ on.',
    }),
  ];
}

function issuerFindings(named: string, issuer: string | undefined): Finding[] {
  if (issuer !== undefined && URL.canParse(issuer)) return [];
  return [
    finding('serious', 'agents.authorization-servers', {
      what: `the metadata at ${named} name no authorization server`,
      why: 'Agents do not know who gives the tokens (authorization_servers, RFC 9728 §2).',
      cure: 'Serve the metadata of oauth.router, or of bearerGuard, unchanged.',
    }),
  ];
}
