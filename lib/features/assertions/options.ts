import { isDeepStrictEqual } from 'node:util';

import type { FindAssertedUser } from '../../core/grants/asserted-user.js';
import type { ResolvedOptions, RowsOf } from '../../settings/options.js';
import {
  findKeySourceProblem,
  keySourceRows,
  secureUrl,
  type TrustedKeySource,
} from '../../settings/options/key-source-options.js';
import { objectOf, option, type OptionsOf, required, type SettingsOf } from '../../settings/table/option.js';
import type { OptionContext } from '../../settings/table/option-context.js';
import { serverOptionError } from '../../settings/table/parse-options.js';
import {
  callback,
  falseOr,
  flag,
  listOf,
  recordOf,
  seconds,
  text,
  textLike,
} from '../../settings/table/shapes.js';
import { isSecureUrl } from '../../shared/protocol/redirect-uri.js';
import { trustDomainNamed } from '../../shared/protocol/spiffe-id.js';
import { isOpenToAll } from '../../shared/protocol/subject-pattern.js';
import * as z from '../../shared/schema.js';

const DAY = 86_400;

const keyRows = {
  /** The `iss` of its tokens, compared exactly. */
  issuer: required({ shape: secureUrl }),
  ...keySourceRows,
  /** Seconds that the `exp` of a token may lie ahead. Default: `3600`. (RFC 7523 §3) */
  maxTtl: option({ shape: () => seconds({ max: DAY, example: 3600 }), default: 3600 }),
  /** Whether a token works only once, for all processes. Default: `true`. (RFC 7523 §3) */
  singleUse: option({ shape: flag, default: true }),
};

const issuerTerms = 'an https: URL, or spiffe:// and a trust domain';
const isIssuer = (issuer: string) => isSecureUrl(issuer) || trustDomainNamed(issuer) !== undefined;

const scopesShape = () =>
  listOf(text("a scope, such as 'photos:write'"), "a list of scopes, such as ['photos:write']", {
    isNeeded: true,
  });

const workloadRows = {
  /** `'workload'`: programs of a platform, without a registered client. */
  kind: required({ shape: () => z.literal('workload', "'workload'") }),
  /** Its name here: the client id is `workload:` and this name. */
  name: required({
    shape: () => textLike(/^[\w.-]{1,80}$/, "a name of letters, digits, - . _ such as 'publisher'"),
  }),
  ...keyRows,
  /** The `iss` of its tokens, compared exactly. For JWT-SVIDs it is `spiffe://` and the trust domain. */
  issuer: required({ shape: () => z.string(issuerTerms).refine(isIssuer, issuerTerms) }),
  /**
   * The `sub` of its tokens, or a list; `*` stands for characters other than `/` and `:`. Give this, `claims` or both.
   */
  subject: option({
    shape: () =>
      z.union(
        [
          text('a subject').transform((subject) => [subject]),
          listOf(text('a subject'), 'a list', { isNeeded: true }),
        ],
        "a subject such as 'system:serviceaccount:prod:publisher', or a list of them",
      ),
  }),
  /**
   * Claims that its tokens have, each exactly, or as one of a list: `{ repository: 'photos/site', event_name: ['push',
   * 'workflow_dispatch'] }`.
   */
  claims: option({
    shape: () =>
      recordOf(
        z.union(
          [text('text'), listOf(text('text'), 'a list', { isNeeded: true })],
          'text, or a list of texts',
        ),
        "an object of texts, such as { repository: 'photos/site' }",
      ),
  }),
  /** The scopes that a token may have at most. */
  scopes: required({ shape: scopesShape }),
};

const userRows = {
  ...keyRows,
  /** `(claims, { clientId }) => userId` or null: the user, by `iss` and `sub` together. */
  findUser: required({
    shape: () => callback<FindAssertedUser>('async ({ iss, sub }) => (await User.findOne({ iss, sub }))?.id'),
  }),
  /** The scopes that a token may have at most. Default: what the client is registered for. */
  scopes: option({ shape: scopesShape }),
};

const enterpriseRows = {
  /**
   * `'enterprise'`: employees of a company, by assertions of its identity provider (ID-JAG). Confidential clients only.
   */
  kind: required({ shape: () => z.literal('enterprise', "'enterprise'") }),
  ...userRows,
  /** The `tenant` of its assertions. Default: assertions with a tenant are refused. */
  tenant: option({ shape: () => text('a tenant') }),
};

const partnerRows = {
  /** `'partner'`: users of another authorization server. Confidential clients only. */
  kind: required({ shape: () => z.literal('partner', "'partner'") }),
  ...userRows,
};

/** A platform whose programs get access without being registered. */
export type WorkloadTrust = OptionsOf<typeof workloadRows>;
export type EnterpriseTrust = OptionsOf<typeof enterpriseRows>;
export type PartnerTrust = OptionsOf<typeof partnerRows>;
export type WorkloadSettings = SettingsOf<typeof workloadRows>;
export type UserTrustSettings = SettingsOf<typeof enterpriseRows> | SettingsOf<typeof partnerRows>;
export type TrustSettings = WorkloadSettings | UserTrustSettings;

const kinds = "'workload', 'enterprise' or 'partner'";

/** Reports errors for the kind of the entry, not for the first kind of a union. */
function trustShape() {
  const shapes = new Map<unknown, z.Schema<TrustSettings, WorkloadTrust | EnterpriseTrust | PartnerTrust>>([
    ['workload', objectOf(workloadRows, 'an object')],
    ['enterprise', objectOf(enterpriseRows, 'an object')],
    ['partner', objectOf(partnerRows, 'an object')],
  ]);
  return new z.Schema<TrustSettings, WorkloadTrust | EnterpriseTrust | PartnerTrust>((value) => {
    if (!z.isObject(value)) return { issues: [{ path: [], message: `an object with kind: ${kinds}` }] };
    return shapes.get(value.kind)?.validate(value) ?? { issues: [{ path: ['kind'], message: kinds }] };
  });
}

/** Assertions of trusted issuers as grants (RFC 7523). */
export const assertionServerOptions = {
  /**
   * Gives access tokens for signed assertions of others: of a platform (`workload`), a company's identity provider
   * (`enterprise`) or another authorization server (`partner`), each an entry of this list: `[{ kind: 'workload', … }]`.
   * Default: `false`. (RFC 7521 §4.1, RFC 7523)
   */
  assertions: option({
    shape: () => {
      const message = "a list of issuers, such as [{ kind: 'workload', … }]";
      return falseOr(listOf(trustShape(), message, { isNeeded: true }), `false or ${message}`);
    },
    default: false,
  }),
};

declare module '../../settings/options.js' {
  interface FeatureRows extends RowsOf<typeof assertionServerOptions> {}
}

/** Issuers at which anybody can have an account, with the claims that identify the owner of a token. */
const PUBLIC_ISSUERS: Readonly<Record<string, readonly string[]>> = {
  'https://token.actions.githubusercontent.com': [
    'repository',
    'repository_id',
    'repository_owner',
    'repository_owner_id',
  ],
  'https://gitlab.com': ['project_path', 'project_id', 'namespace_path', 'namespace_id'],
  'https://accounts.google.com': ['sub', 'email'],
};

/**
 * Checks that each issuer has keys, and that no entry accepts tokens of everybody.
 *
 * @throws TypeError with what to write instead
 */
export function checkAssertions(
  { assertions, issuer, spiffe }: ResolvedOptions,
  { scopes }: OptionContext,
): void {
  if (!assertions) return;
  for (const [index, entry] of assertions.entries()) {
    const wrong = (problem: string) => serverOptionError(`assertions.${index}`, problem);
    const keyProblem = findKeySourceProblem(keySourceOf(entry, spiffe));
    if (keyProblem !== undefined) throw wrong(keyProblem);
    // ID-JAG §9.3: an assertion of this server could give wider access than its grants
    if (entry.issuer === issuer) throw wrong('is this server itself; trust other issuers only');
    const unknown = entry.scopes?.find((scope) => !Object.hasOwn(scopes, scope));
    if (unknown !== undefined) throw wrong(`names the scope '${unknown}', which is not among scopes`);
    const earlier = assertions.slice(0, index);
    const isRepeated = earlier.some(
      (other) =>
        other.kind === entry.kind && isDeepStrictEqual(identifySubjects(entry), identifySubjects(other)),
    );
    if (entry.kind === 'workload') {
      if (earlier.some((other) => other.kind === 'workload' && other.name === entry.name))
        throw wrong(`has the name '${entry.name}', as another one has`);
      if (isRepeated)
        throw wrong('is never used: an earlier workload has the same issuer, keys, subject and claims');
      const width = findWidth(entry);
      if (width !== undefined) throw wrong(width);
    } else if (isRepeated) {
      // only the first entry for the same users would be used
      const and = entry.kind === 'enterprise' ? ' and tenant' : '';
      throw wrong(`is never used: an earlier ${entry.kind} has the same issuer${and}`);
    }
  }
}

/** Identifies the subjects of an entry. Two platforms with the same name but different keys are different. */
function identifySubjects(entry: TrustSettings): readonly unknown[] {
  if (entry.kind === 'partner') return [entry.issuer];
  if (entry.kind === 'enterprise') return [entry.issuer, entry.tenant];
  const { issuer, jwks, jwksUri, subject, claims } = entry;
  return [issuer, jwks, jwksUri, subject, claims];
}

/** The keys of an entry: its own, or those of the trust domain in its issuer. */
export function keySourceOf(entry: TrustSettings, spiffe: ResolvedOptions['spiffe']): TrustedKeySource {
  const trustDomain = trustDomainNamed(entry.issuer);
  const isWithout = entry.jwksUri === undefined && entry.jwks === undefined;
  if (trustDomain === undefined || !isWithout || !spiffe) return entry;
  return spiffe[trustDomain] ?? entry;
}

/** The problem of an entry that accepts programs of everybody; otherwise undefined. */
function findWidth({ issuer, subject = [], claims = {} }: WorkloadSettings): string | undefined {
  if (subject.length === 0 && Object.keys(claims).length === 0)
    return 'lets in everybody whom the issuer knows; give a subject, or claims';
  const open = subject.find(isOpenToAll);
  if (open !== undefined)
    return `lets in everybody: the subject '${open}' has to begin with two fixed parts, of which system:serviceaccount or arn:aws:iam is one, such as 'repo:photos/*:ref:refs/heads/main'`;
  const telling = PUBLIC_ISSUERS[issuer];
  if (telling === undefined || subject.length > 0 || telling.some((name) => claims[name] !== undefined))
    return undefined;
  return `lets in everybody: anybody can have an account with ${issuer}; name one of the claims ${telling.join(', ')}`;
}
