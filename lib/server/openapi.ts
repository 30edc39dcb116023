import { ACCESS_TOKEN_SCHEME, OAUTH2_SCHEME } from '../core/guard/openapi-operation.js';
import { localize } from '../pages/consent/describe-scopes.js';
import { urlOf } from '../settings/endpoint-urls.js';
import { type OpenApiOptions, openApiOptions } from '../settings/options/openapi-options.js';
import type { SettingsOf } from '../settings/table/option.js';
import { parseOptions } from '../settings/table/parse-options.js';
import { AUTHORIZATION_SERVER_METADATA, wellKnownUrls } from '../shared/protocol/well-known.js';
import type { Server } from './server.js';

/** The components for an OpenAPI document: how clients get access, and how the guard refuses requests. */
export interface OpenApiComponents {
  readonly securitySchemes: Readonly<Record<string, object>>;
  readonly responses: Readonly<Record<string, object>>;
}

/**
 * Describes the server for the OpenAPI document of your API: `components: oauth.openapi()`. The requirements of a route
 * are in the `openapi` of its guard.
 *
 * @throws TypeError if an option is wrong
 * @see OpenAPI 3.1 §4.8.27 (Security Scheme Object)
 */
export type DescribeOpenApi = (options?: OpenApiOptions) => OpenApiComponents;

export function createDescribeOpenApi(server: Pick<Server, 'settings' | 'grantTypes'>): DescribeOpenApi {
  const { settings } = server;
  return (input = {}) => {
    const options = parseOptions('openapi', openApiOptions, input);
    return {
      securitySchemes: {
        [OAUTH2_SCHEME.name]: {
          type: 'oauth2',
          description: 'Access tokens that a client gets from this server.',
          flows: describeFlows(server, options),
          ...(options.version === '3.2' && {
            oauth2MetadataUrl: wellKnownUrls(settings.issuer, AUTHORIZATION_SERVER_METADATA).beforePath,
          }),
        },
        ...(settings.personalAccessTokens && {
          [ACCESS_TOKEN_SCHEME.name]: {
            type: 'http',
            scheme: 'bearer',
            description: `Access tokens that users make at ${urlOf(settings, 'access-tokens')}.`,
          },
        }),
      },
      responses: {
        Unauthorized: refusal('The access token is missing, invalid, expired or revoked.'),
        Forbidden: refusal('The access token does not allow this.'),
      },
    };
  };
}

function describeFlows(
  { settings, grantTypes }: Pick<Server, 'settings' | 'grantTypes'>,
  { version }: SettingsOf<typeof openApiOptions>,
): Readonly<Record<string, object>> {
  const hasRefreshTokens = grantTypes.some(({ name }) => name === 'refresh_token');
  const scopes = Object.fromEntries(
    Object.entries(settings.scopes).map(([name, { description }]) => [
      name,
      localize(description, settings.pages.locales?.[0] ?? 'en') ?? name,
    ]),
  );
  const { issuer, resources, security } = settings;
  // if clients have to name the resource of a token, the document names it for them, since tools such as Swagger UI
  // know only the URL. RFC 6749 §3.1: the authorization endpoint's may have a query; the token endpoint's parameters
  // are in the body
  const query =
    security.requireResource && resources.size > 0
      ? `?${new URLSearchParams({ resource: issuer }).toString()}`
      : '';
  const flows: Record<string, object> = {};
  for (const { openapiFlow } of grantTypes) {
    if (openapiFlow === undefined || (openapiFlow.since ?? '3.0') > version) continue;
    const flow: Record<string, unknown> = {};
    for (const [member, endpoint] of Object.entries(openapiFlow.urls))
      if (hasRefreshTokens || member !== 'refreshUrl')
        flow[member] = urlOf(settings, endpoint) + (member === 'authorizationUrl' ? query : '');
    flows[openapiFlow.name] = { ...flow, scopes };
  }
  return flows;
}

/** RFC 6750 §3: the response of `oauth.errorHandler`. */
function refusal(description: string): object {
  return {
    description,
    headers: { 'WWW-Authenticate': { description: 'RFC 6750 §3', schema: { type: 'string' } } },
    content: {
      'application/json': {
        schema: {
          type: 'object',
          required: ['error'],
          properties: { error: { type: 'string' }, error_description: { type: 'string' } },
        },
      },
    },
  };
}
