import { RESPONSE_MODES } from '../authorization/response-modes/index.js';
import type { ServerMetadata } from './endpoint-of.js';
import type { ClientSourceDependencies, Feature, FeatureParts, RequestSourceParts } from './feature.js';
import type { Server } from './server.js';

type Brought = Pick<
  Server,
  | 'responseModes'
  | 'requestSources'
  | 'recordLogin'
  | 'proofs'
  | 'readCertificate'
  | 'authorizationParameters'
  | 'clientSource'
  | 'featureMetadata'
>;

const nothing = () => ({});

/** What the features that are on bring to the server, beside what there is without them. */
export function broughtByFeatures(
  features: readonly Feature[],
  parts: FeatureParts & ClientSourceDependencies & RequestSourceParts,
): Brought {
  const { settings, models } = parts;
  const clientSources = features.map((feature) => feature.createClientSource?.(parts));
  const responseModes = features.flatMap((feature) => feature.createResponseModes?.(parts) ?? []);
  const metadata = features.map((feature) => feature.metadata?.(settings));
  return {
    responseModes: new Map(
      [...RESPONSE_MODES.values(), ...responseModes].map((mode) => [mode.responseMode, mode]),
    ),
    requestSources: features.flatMap((feature) => feature.createRequestSource?.(parts) ?? []),
    recordLogin:
      features.find(({ createLoginRecord }) => createLoginRecord)?.createLoginRecord?.(parts) ?? nothing,
    proofs: features.find((feature) => feature.createProofs !== undefined)?.createProofs?.(parts),
    readCertificate: features
      .find((feature) => feature.createCertificateReader !== undefined)
      ?.createCertificateReader?.(parts),
    authorizationParameters: new Set(features.flatMap((feature) => feature.authorizationParameters ?? [])),
    clientSource: clientSources.find((source) => source !== undefined) ?? models.clients,
    featureMetadata: Object.assign({}, ...metadata) as ServerMetadata,
  };
}
