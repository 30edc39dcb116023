import { ANY_LOGIN } from '../core/authorization/login-policy.js';
import { PROMPTS } from '../core/authorization/prompt.js';
import { RESPONSE_MODES } from '../core/authorization/response-modes/response-mode.js';
import type { Client } from '../core/clients/client.js';
import type { FindClientOptions } from '../core/clients/client-store.js';
import type { Feature, FeatureParts } from './feature.js';
import type { ServerMetadata } from './server.js';

/** Nobody signs in through this site. */
const NO_LOGOUT = { endSignIns: undefined, logoutSender: undefined };

/** What the features that are on add to the server. */
export function composeFeatures(features: readonly Feature[], parts: FeatureParts) {
  const { settings, models } = parts;
  const responseModes = features.flatMap((feature) => feature.createResponseModes?.(parts) ?? []);
  return {
    responseModes: new Map(
      [...RESPONSE_MODES.values(), ...responseModes].map((mode) => [mode.responseMode, mode]),
    ),
    requestSources: features.flatMap((feature) => feature.createRequestSources?.(parts) ?? []),
    loginPolicy: firstOf(features, (feature) => feature.createLoginPolicy)?.(parts) ?? ANY_LOGIN,
    ...(firstOf(features, (feature) => feature.createLogout)?.(parts) ?? NO_LOGOUT),
    proofs: firstOf(features, (feature) => feature.createProofs)?.(parts),
    readCertificate: firstOf(features, (feature) => feature.createCertificateReader)?.(parts),
    authorizationParameters: new Set(features.flatMap((feature) => feature.authorizationParameters ?? [])),
    prompts: [...PROMPTS, ...features.flatMap((feature) => feature.prompts?.(settings) ?? [])],
    isPushingRequired: (client: Client) =>
      features.some((feature) => feature.isPushingRequired?.(settings, client) === true),
    isSigningRequired: (client: Client) =>
      features.some((feature) => feature.isSigningRequired?.(settings, client) === true),
    bindings: features.flatMap((feature) => feature.createBinding?.(settings) ?? []),
    clientSource: firstOf(features, (feature) => feature.createClientSource)?.(parts) ?? {
      // clients that were created from a metadata document are hidden while that feature is off: their data may be old
      async find(clientId: string, options?: FindClientOptions) {
        const client = await models.clients.find(clientId, options);
        return client?.document === undefined ? client : null;
      },
    },
    describeFeatures: (ofEndpoints: ServerMetadata) =>
      together(features.map((feature) => feature.metadata?.(settings, ofEndpoints))),
    metadataPaths: [...new Set(features.flatMap((feature) => feature.metadataPaths ?? []))],
    wellKnownDocuments: features.flatMap((feature) => feature.wellKnownDocuments ?? []),
    resourceMetadata: together(features.map((feature) => feature.resourceMetadata?.(settings))),
    rootAliases: together(features.map((feature) => feature.rootAliases)),
  };
}

/** What the first feature that has it brings. */
function firstOf<Part>(
  features: readonly Feature[],
  get: (feature: Feature) => Part | undefined,
): Part | undefined {
  return features.map(get).find((part) => part !== undefined);
}

function together<Value>(parts: readonly (Readonly<Record<string, Value>> | undefined)[]) {
  return Object.assign({}, ...parts) as Readonly<Record<string, Value>>;
}
