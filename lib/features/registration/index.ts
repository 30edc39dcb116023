import type { Feature } from '../../server/server.js';
import { createRegistrationEndpoint } from './endpoint.js';
import { registrationOptions } from './options.js';

/** Clients that register themselves. @see RFC 7591, RFC 7592 */
export const registration = {
  name: 'registration',
  isOn: (settings) => settings.registration !== false,
  options: registrationOptions,
  endpoints: [
    {
      name: 'register',
      create: (server) => createRegistrationEndpoint(server),
      metadata: (_server, url) => ({ registration_endpoint: url }),
    },
  ],
  collections: () => ['InitialAccessToken'],
} satisfies Feature;
