import type { Choices } from '../../settings/options/choice-options.js';
import type { LoginInfo } from '../../settings/options/people-options.js';
import type { Settings } from '../../settings/settings.js';
import { option, type OptionsOf, required } from '../../settings/table/option.js';
import { optionError, parseOptions } from '../../settings/table/parse-options.js';
import { flag, listOf, oneOf, recordOf, text } from '../../settings/table/shapes.js';
import { OAuthError } from '../../shared/errors.js';
import type { AuthorizationDetail } from '../../shared/protocol/authorization-details.js';
import { parseRepeated } from '../../shared/protocol/parameters.js';
import { parseResources, scopesAt, toConsent } from '../../shared/protocol/resource.js';
import { formatScope } from '../../shared/protocol/scope.js';
import * as z from '../../shared/schema.js';
import { withoutUndefined } from '../../shared/without-undefined.js';
import { readDetails } from '../authorization-details/read-details.js';
import { listQuestions } from '../authorization-details/selectable-choices.js';
import {
  constraintsFrom,
  findInvalidSelections,
  type GrantConstraints,
  type Selections,
} from '../authorization-details/selections.js';
import type { Client } from '../clients/client.js';
import type { ResolveScopes } from '../clients/resolve-scopes.js';
import { refuseBlocked } from '../clients/status/blocked-client.js';
import type { Emit } from '../observability/events.js';
import { isLogin, toUserAuthentication } from '../sessions/user-authentication.js';
import type { ConsentStore } from './consent-store.js';
import { type GrantIssueDependencies, issueGrant } from './issue-grant.js';
import { DEVICE_CODE } from './named-token.js';

/** A detail as the site writes it. */
type UncheckedDetail = Readonly<Record<string, unknown>>;

/** Loose shape of `authorizationDetails` from the site's code; `detailsFor` validates each detail against its type. */
export const uncheckedDetails = () =>
  listOf(
    recordOf(z.unknown(), 'an object with a type') as z.Schema<UncheckedDetail>,
    "a list of authorization details: [{ type: 'payment', amount: '12.50' }]",
  );

/** Loose shape of `choices` from the site's code; `constraintsByHost` validates each choice. */
export const uncheckedChoices = () =>
  recordOf(
    z.union(
      [z.string(''), z.number(''), listOf(text('text'), 'a list of text')],
      'text, a number or a list of text',
    ),
    "an object of choice and pick, such as { workspace: 'atelier' }",
  );

const newGrantOptions = {
  /** The client that the tokens are for. */
  clientId: required({ shape: () => text('the id of a client, as text') }),
  /**
   * The user, by the id that `people.id` gives. Without one, the client acts for itself and must be confidential.
   * Default: none.
   */
  userId: option({ shape: () => text('the id of a user, as text') }),
  /**
   * `app`, or `device` for a device that you have connected in your own way, which needs a `userId`. Default: `app`.
   */
  kind: option({ shape: () => oneOf(['app', 'device']), default: 'app' }),
  /** The scopes. Default: the scopes of a request without `scope`. */
  scopes: option({ shape: () => listOf(text('a scope, as text'), "a list of scopes: ['photos:read']") }),
  /**
   * The resource that the access token is for, one of the option `resources`. Default: the site's own API. (RFC 8707)
   */
  resource: option({ shape: () => text('the identifier of a resource, as text') }),
  /** Permissions beside the scopes. Default: none. (RFC 9396) */
  authorizationDetails: option({ shape: uncheckedDetails }),
  /**
   * What a user would pick on the consent page: `{ workspace: 'atelier' }`. The server does not look it up in the list.
   * Default: none.
   */
  choices: option({ shape: uncheckedChoices }),
  /**
   * When and how the user logged in: `{ at: new Date(), acr: 'mfa' }`. Default: none, and routes that need a new or
   * strong login refuse the token. (RFC 9470 §6)
   */
  authentication: option({
    shape: () =>
      z.custom<LoginInfo>(isLogin, "an object such as { at: new Date(), acr: 'mfa', amr: ['pwd', 'otp'] }"),
  }),
  /** Whether the client gets a refresh token, if it uses refresh tokens. Default: `false`. */
  refreshToken: option({ shape: flag, default: false }),
  /** Whether the user is not asked again for these scopes. Default: `false`. */
  remember: option({ shape: flag, default: false }),
};

export type NewGrantOptions = OptionsOf<typeof newGrantOptions>;

/** The result of `grants.create`, the only place where its tokens appear. */
export interface CreatedGrant {
  readonly accessToken: string;
  /** Seconds that the access token lives. */
  readonly expiresIn: number;
  readonly refreshToken?: string;
  readonly scopes: readonly string[];
  readonly authorizationDetails?: readonly AuthorizationDetail[];
  readonly choices?: Choices;
  /** When the grant ends, if a lifetime was chosen. */
  readonly endsAt?: Date;
}

/** The grant type in events, in the audit, and in the argument of `tokens.accessTokenClaims`. */
const GRANT_TYPES = { app: 'host', device: DEVICE_CODE } as const;

/** Makes grants for the site's code. The site is responsible for the user's permission. */
export function createGrantsByHost(
  dependencies: GrantIssueDependencies & {
    readonly consents: ConsentStore;
    readonly settings: Settings;
    readonly resolveScopes: ResolveScopes;
  },
  emit: Emit,
) {
  const { clients, consents, issuer, settings, resolveScopes } = dependencies;
  return async (input: NewGrantOptions): Promise<CreatedGrant> => {
    const options = parseOptions('grants.create', newGrantOptions, input);
    const { clientId, userId, resource, authentication, refreshToken, remember } = options;
    const client = checkedClient(await clients.find(clientId), options);
    if (resource !== undefined && settings.resources.size === 0)
      throw new OAuthError('invalid_target', 'the option resources names no resource');
    const resources = parseResources(parseRepeated({ resource }, 'resource'), settings.resources);
    const desired = options.scopes && formatScope(options.scopes);
    const resolved = desired === '' ? [] : resolveScopes(client, desired);
    // an unknown scope is left out of a client's request; in the site's code it is a misspelling
    const lost = options.scopes?.find((scope) => !resolved.includes(scope));
    if (lost !== undefined)
      throw new OAuthError(
        'invalid_scope',
        `this server has no scope ${lost}, or the client is not registered for it`,
      );
    const scopes = scopesAt(resolved, resources, settings.resources);
    const now = new Date();
    const requested = { scopes, authorizationDetails: await detailsFor(client, options, settings) };
    const bound = constraintsByHost(requested, options, { settings, now });
    // the site is responsible for `may_act` as well (RFC 8693 §4.4)
    const mayAct = userId === undefined ? undefined : client.mayAct;
    const response = await issueGrant(
      dependencies,
      { client, resources, now, emit },
      {
        grantType: GRANT_TYPES[options.kind],
        authorization: {
          userId,
          mayAct,
          authentication: authentication && toUserAuthentication(authentication),
          scopes,
          resources,
          ...bound,
        },
        withRefreshToken: refreshToken && issuer.givesRefreshToken(client),
      },
    );
    if (remember && userId !== undefined) {
      const allowed = toConsent(scopes, resources);
      const decided = {
        requested: allowed,
        allowed,
        ...bound,
        ...withoutUndefined({ mayAct }),
        clientName: client.name,
        now,
      };
      await consents.remember(userId, clientId, decided);
      await emit('consent.given', { clientId, userId, scopes });
    }
    return {
      accessToken: response.access_token,
      expiresIn: response.expires_in,
      scopes,
      ...withoutUndefined({ refreshToken: response.refresh_token }),
      ...bound,
    };
  };
}

/** Checks that the client may have this grant. */
function checkedClient(
  client: Client | null,
  { clientId, userId, kind, remember, authentication }: NewGrantOptions,
): Client {
  if (kind === 'device' && userId === undefined)
    throw new TypeError('grants.create: a device needs a userId: it acts for whoever has connected it');
  if (remember === true && userId === undefined)
    throw new TypeError('grants.create: remember needs a userId: a client for itself is never asked');
  if (authentication !== undefined && userId === undefined)
    throw new TypeError('grants.create: authentication needs a userId: a client for itself has no login');
  if (client === null) throw new OAuthError('invalid_client', `there is no client '${clientId}'`);
  refuseBlocked(client);
  // RFC 6749 §4.4: a public client cannot prove its identity
  if (userId === undefined && client.type !== 'confidential')
    throw new OAuthError('unauthorized_client', 'a public client cannot act for itself: name a userId');
  return client;
}

type Rules = Pick<Settings, 'authorizationDetails' | 'choices'>;

interface HostConstraints {
  readonly userId?: string | undefined;
  readonly authorizationDetails?: readonly UncheckedDetail[] | undefined;
  readonly choices?: Readonly<Record<string, string | number | readonly string[]>> | undefined;
}

/**
 * Validates the details of a grant that the site makes against the schemas for clients' requests.
 *
 * @throws OAuthError invalid_authorization_details; TypeError if the server has no types of details
 */
export async function detailsFor(
  client: Pick<Client, 'authorizationDetailsTypes'>,
  { authorizationDetails: details }: HostConstraints,
  rules: Rules,
  functionName = 'grants.create',
): Promise<readonly AuthorizationDetail[]> {
  if (details === undefined || details.length === 0) return [];
  if (!rules.authorizationDetails?.size)
    throw optionError(
      functionName,
      'authorizationDetails',
      'the option authorizationDetails of the server names no type',
    );
  return (await readDetails(JSON.stringify(details), client, rules)) ?? [];
}

/**
 * The constraints of a grant that the site makes. The list of a choice's entries is not read: the site is responsible
 * for the value.
 *
 * @throws TypeError if a choice is unknown, missing or out of its bounds
 */
export function constraintsByHost(
  requested: {
    readonly scopes: readonly string[];
    readonly authorizationDetails: readonly AuthorizationDetail[];
  },
  { userId, choices = {} }: HostConstraints,
  rules: { readonly settings: Rules; readonly now: Date; readonly functionName?: string },
): GrantConstraints {
  const { settings, functionName = 'grants.create' } = rules;
  // a client that acts for itself has no choices
  const questions = userId === undefined ? [] : listQuestions({ scopes: requested.scopes }, settings);
  const names = questions.map(({ name }) => name);
  const unknown = Object.keys(choices).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw optionError(
      functionName,
      `choices.${unknown}`,
      `nothing of that name is picked here; there are: ${names.join(', ') || 'none'}`,
    );
  const picks: Selections = Object.fromEntries(
    questions.map(({ key, name }) => [key, [choices[name] ?? []].flat().map(String)]),
  );
  const offers = questions.map((question) => {
    const { list, lifetime = [] } = question.choice;
    const values = list === undefined ? lifetime.map(String) : (picks[question.key] ?? []);
    return { ...question, entries: values.map((value) => ({ value, label: '' })) };
  });
  const [wrong] = findInvalidSelections(offers, picks);
  if (wrong !== undefined)
    throw optionError(functionName, `choices.${wrong}`, 'is missing, or not what can be picked');
  const decided = { scopes: requested.scopes, details: [...requested.authorizationDetails.keys()], picks };
  return constraintsFrom(requested, decided, rules);
}
