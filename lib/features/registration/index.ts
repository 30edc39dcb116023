import type { Feature } from '../../server/feature.js';
import { registerClient } from './endpoint.js';
import { registrationOptions } from './options.js';

/** Clients that register themselves. @see RFC 7591, RFC 7592 */
export const registration = {
  name: 'registration',
  isOn: (settings) => settings.registration !== false,
  options: registrationOptions,
  endpoints: [registerClient],
  collections: () => ['InitialAccessToken'],
} satisfies Feature;
