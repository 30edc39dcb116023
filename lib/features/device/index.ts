import type { Feature } from '../../server/server.js';
import { createDevicePage } from './device-page.js';
import { createDeviceAuthorizationEndpoint } from './endpoint.js';
import { deviceCode } from './grant-type.js';

/** Devices without a browser or a keyboard. @see RFC 8628 */
export const device = {
  name: 'device',
  isOn: ({ grantTypes }) => grantTypes.some((name) => name === deviceCode.name),
  grantTypes: [deviceCode],
  // functions, which load the rest of this folder only if the feature is on
  endpoints: [
    {
      name: 'device_authorization',
      create: (server) => createDeviceAuthorizationEndpoint(server),
      // RFC 8628 §4
      metadata: (_server, url) => ({ device_authorization_endpoint: url }),
    },
    { name: 'device', isPage: true, create: (server) => createDevicePage(server) },
  ],
  collections: () => ['UserCode'],
} satisfies Feature;
