import { option } from './option.js';
import { seconds } from './shapes.js';

/** Devices without a browser (RFC 8628). */
export const deviceOptions = {
  /** Seconds that the codes of a device can be used. Default: `600`. (RFC 8628 §3.2) */
  deviceCodeTtl: option({ shape: () => seconds({ example: 600 }), default: 600 }),
};
