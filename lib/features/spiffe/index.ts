import type { ClientMetadata } from '../../core/clients/client.js';
import {
  fieldsOf,
  type MetadataOf,
  type RegistrationLimits,
  textClientField,
} from '../../core/clients/client-field.js';
import type { Feature } from '../../server/server.js';
import { trustDomainOfRegistered } from '../../shared/protocol/spiffe-id.js';
import { checkSpiffe, spiffeOptions } from './options.js';

const clientFieldRows = {
  /** Its SPIFFE ID, or all below one: `spiffe://photos.example/ns/prod/*`. Needs `spiffe`. */
  spiffeId: textClientField({
    requiresReapproval: true,
    impliesMethod: 'spiffe_jwt',
    findProblems: spiffeIdProblem,
    wire: { name: 'spiffe_id' },
    flag: {
      flags: '--spiffe-id <id>',
      description: 'the SPIFFE ID that its platform attests, or spiffe://…/*',
    },
    printed: { label: 'SPIFFE ID' },
    label: {
      en: 'SPIFFE ID',
      de: 'SPIFFE-ID',
      fr: 'Identifiant SPIFFE',
      es: 'ID de SPIFFE',
      ja: 'SPIFFE ID',
      ar: 'معرّف SPIFFE',
    },
  }),
};

declare module '../../core/clients/client.js' {
  interface ClientMetadata extends MetadataOf<typeof clientFieldRows> {}
}

/** OAuth SPIFFE Client Authentication (draft 02) §5.1 */
function spiffeIdProblem(
  { tokenEndpointAuthMethod: method, spiffeId }: ClientMetadata,
  { trustDomains }: RegistrationLimits,
): string | undefined {
  const isUsed = method === 'spiffe_jwt';
  if (spiffeId === undefined) return isUsed ? 'spiffe_jwt needs the spiffeId of the client.' : undefined;
  const trustDomain = trustDomainOfRegistered(spiffeId);
  if (trustDomain === undefined)
    return 'The spiffeId is no SPIFFE ID: spiffe://photos.example/publisher, or spiffe://photos.example/jobs/* for all below.';
  // a client with another method may have a SPIFFE ID for other servers
  if (!isUsed || trustDomains?.includes(trustDomain) !== false) return undefined;
  return `The trust domain ${trustDomain} of the spiffeId is not among those of the option spiffe.`;
}

/** Workloads that their platform authenticates. @see OAuth SPIFFE Client Authentication, draft 02 */
export const spiffe = {
  name: 'spiffe',
  isOn: (settings) => settings.spiffe !== false,
  options: spiffeOptions,
  checkOptions: checkSpiffe,
  clientFields: fieldsOf(clientFieldRows),
} satisfies Feature;
