import { describe, expect, it } from '@jest/globals';

import { widenFormAction } from '../../lib/pages/login/login-page.js';

describe('a policy whose form-action includes the client', () => {
  it.each([
    ["form-action 'self'", "form-action 'self' https://print.example"],
    // as helmet 4 to 8 write it
    [
      "default-src 'self';base-uri 'self';form-action 'self';script-src 'self' 'nonce-a'",
      "default-src 'self';base-uri 'self';form-action 'self' https://print.example;script-src 'self' 'nonce-a'",
    ],
    [
      "default-src 'self'; Form-Action 'self' ;",
      "default-src 'self'; Form-Action 'self' https://print.example;",
    ],
    // two policies in one header: both have to allow a form
    [
      "form-action 'self', default-src *; form-action https://pay.example",
      "form-action 'self' https://print.example, default-src *; form-action https://pay.example https://print.example",
    ],
    ["form-action 'self' https://print.example", "form-action 'self' https://print.example"],
  ])('the client is added to form-action: %s', (policy, widened) => {
    expect(widenFormAction(policy, ['https://print.example'])).toBe(widened);
  });

  it.each([
    // CSP Level 3 §6.4.2: default-src is no fallback for it
    "default-src 'self'",
    "default-src 'none'; script-src 'self'",
    // no form is allowed, so there is none to log in with
    "form-action 'none'",
    'form-action',
    'form-action ; img-src *',
    "x-form-action 'self'; form-actions 'self'",
    'report-uri /csp?form-action=1',
    '',
  ])('a policy without an effective form-action is unchanged: %j', (policy) => {
    expect(widenFormAction(policy, ['https://print.example'])).toBe(policy);
  });
});
