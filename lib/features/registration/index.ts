import type { Feature } from '../../server/feature.js';
import { register } from './endpoint.js';

/** Clients that register themselves. @see RFC 7591, RFC 7592 */
export const registration = {
  name: 'registration',
  isOn: (settings) => settings.registration !== false,
  endpoints: [register],
  collections: () => ['InitialAccessToken'],
} satisfies Feature;
