import type { Feature } from '../../server/feature.js';
import { devicePage } from './device-page.js';
import { deviceAuthorization } from './endpoint.js';
import { deviceCode } from './grant-type.js';

/** Devices without a browser or a keyboard. @see RFC 8628 */
export const device = {
  name: 'device',
  isOn: ({ grantTypes }) => grantTypes.some((name) => name === deviceCode.name),
  grantTypes: [deviceCode],
  endpoints: [deviceAuthorization, devicePage],
  collections: () => ['UserCode'],
} satisfies Feature;
