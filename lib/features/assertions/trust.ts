import type { Client } from '../../core/clients/client.js';
import { parseSpiffeId, trustDomainNamed } from '../../shared/protocol/spiffe-id.js';
import { matchesSubject } from '../../shared/protocol/subject-pattern.js';
import { ID_JAG, invalidAssertion, type PresentedAssertion } from './assertion.js';
import type { TrustSettings, UserTrustSettings, WorkloadSettings } from './options.js';

export const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/** No registered client has such an id: generated ids have no colon. */
const PREFIX = 'workload:';

/** The client of a workload, which only the options define. */
export function workloadClient({ name, scopes }: WorkloadSettings): Client {
  const since = new Date(0);
  return {
    clientId: `${PREFIX}${name}`,
    name,
    type: 'confidential',
    redirectUris: [],
    scopes,
    grantTypes: [JWT_BEARER],
    trusted: false,
    secrets: [],
    createdAt: since,
    updatedAt: since,
  };
}

/**
 * Whether the issuer of an entry made these claims; for a JWT-SVID its trust domain, whatever its `iss` (JWT-SVID §3).
 */
export function isOfIssuer(
  { issuer }: TrustSettings,
  { iss, sub }: Readonly<Record<string, unknown>>,
): boolean {
  const trustDomain = trustDomainNamed(issuer);
  return trustDomain === undefined ? issuer === iss : parseSpiffeId(sub)?.trustDomain === trustDomain;
}

/** Whether the claims match the subject and the claims of a workload entry. */
export function isOfWorkload(entry: WorkloadSettings, claims: Readonly<Record<string, unknown>>): boolean {
  const { subject, claims: expected = {} } = entry;
  const { sub } = claims;
  if (typeof sub !== 'string' || sub === '') return false;
  if (subject?.some((pattern) => matchesSubject(pattern, sub)) === false) return false;
  return Object.entries(expected).every(([name, values]) =>
    [values].flat().some((value) => claims[name] === value),
  );
}

/**
 * The workload entries that match an assertion without client credentials, unverified. Empty if its issuer's entries
 * are for users, whose clients must authenticate.
 *
 * @throws OAuthError invalid_grant if no entry has the issuer, or all its entries are workloads that do not match
 */
export function findWorkloads(
  trust: readonly TrustSettings[],
  { claims }: PresentedAssertion,
): readonly WorkloadSettings[] {
  const ofIssuer = trust.filter((entry) => isOfIssuer(entry, claims));
  if (ofIssuer.length === 0)
    throw invalidAssertion(`issuer ${textForLog(claims.iss)}`, { reason: 'issuer_not_trusted' });
  const workloads = ofIssuer.filter(isWorkload);
  const matching = workloads.filter((entry) => isOfWorkload(entry, claims));
  if (matching.length === 0 && workloads.length === ofIssuer.length) throw notTrusted(claims);
  return matching;
}

/**
 * The entry for an assertion that an authenticated client presents.
 *
 * @throws OAuthError invalid_grant
 */
export function findTrust(
  trust: readonly TrustSettings[],
  { claims, typ }: PresentedAssertion,
  { clientId }: Client,
): TrustSettings {
  const workload = trust.find((entry) => isWorkload(entry) && `${PREFIX}${entry.name}` === clientId);
  if (workload !== undefined) return workload;
  const ofUsers = trust.filter((entry): entry is UserTrustSettings => !isWorkload(entry));
  const ofIssuer = ofUsers.filter(({ issuer }) => issuer === claims.iss);
  const ofTenant = ofIssuer.filter((entry) => entry.kind === 'partner' || entry.tenant === claims.tenant);
  // an issuer may have entries of both kinds; without one of the right kind, the other's check reports the problem
  const match =
    ofTenant.find(({ kind }) => kind === (typ === ID_JAG ? 'enterprise' : 'partner')) ?? ofTenant[0];
  if (match !== undefined) return match;
  throw ofIssuer.length > 0
    ? notTrusted(claims)
    : invalidAssertion(`issuer ${textForLog(claims.iss)}`, { reason: 'issuer_not_trusted' });
}

function isWorkload(entry: TrustSettings): entry is WorkloadSettings {
  return entry.kind === 'workload';
}

/** The log gets only the start of a claim, which can be of any type. */
function textForLog(claim: unknown): string {
  return typeof claim === 'string' ? claim.slice(0, 200) : `of type ${typeof claim}`;
}

export function notTrusted({ iss, sub }: Readonly<Record<string, unknown>>) {
  return invalidAssertion(`subject ${textForLog(sub)} of ${textForLog(iss)}`, {
    reason: 'subject_not_trusted',
  });
}
