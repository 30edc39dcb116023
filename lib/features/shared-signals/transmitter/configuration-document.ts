import type { Server } from '../../../server/server.js';
import { urlOf } from '../../../settings/endpoint-urls.js';
import { POLL_METHOD, PUSH_METHOD } from '../event-types.js';
import { transmitterOf } from './stream-service.js';

/** The metadata of the transmitter (§7.1, CAEP Interoperability Profile §2.3). */
export function describeTransmitter(server: Server): object {
  const { settings } = server;
  const api = urlOf(settings, 'ssf');
  return {
    spec_version: '1_0',
    issuer: settings.issuer,
    jwks_uri: urlOf(settings, 'jwks'),
    delivery_methods_supported: [PUSH_METHOD, POLL_METHOD],
    configuration_endpoint: `${api}/streams`,
    status_endpoint: `${api}/status`,
    add_subject_endpoint: `${api}/subjects/add`,
    remove_subject_endpoint: `${api}/subjects/remove`,
    verification_endpoint: `${api}/verify`,
    authorization_schemes: [{ spec_urn: 'urn:ietf:rfc:6749' }],
    default_subjects: transmitterOf(server).defaultSubjects,
  };
}
