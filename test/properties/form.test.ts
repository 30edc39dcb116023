import { describe, expect } from '@jest/globals';
import fc from 'fast-check';

import { type Form, formatForm, parseForm, parseParameters } from '../../lib/shared/protocol/parameters.js';
import { accepted, anyText, holds } from '../support/properties.js';

// what URLSearchParams can carry: no half of a surrogate pair
const text = fc.string({ unit: 'binary', maxLength: 20 });
const form = fc.dictionary(text, fc.oneof(text, fc.array(text, { minLength: 2, maxLength: 3 })), {
  maxKeys: 6,
});
const single = new Set(['client_id', 'scope', '__proto__', 'constructor']);
const known = { single, repeatable: new Set(['resource', 'toString']) };

describe('a form (RFC 6749 Appendix B)', () => {
  holds('an arbitrary form is parsed, or refused as invalid_request', [anyText()], (sent) => {
    accepted(() => parseForm(sent));
  });

  holds('a formatted form is parsed to its fields', [form], (fields) => {
    expect({ ...parseForm(formatForm(fields)) }).toEqual({ ...fields });
  });

  holds('a field name never reaches a prototype', [text, text], (name, value) => {
    const read = accepted(() => parseForm(`${encodeURIComponent(name)}=${encodeURIComponent(value)}`));
    expect(Object.getPrototypeOf(read)).toBeNull();
    expect(Object.keys(read ?? {})).toEqual([name]);
  });
});

describe('request parameters (RFC 6749 §3.1, §3.2)', () => {
  const value = fc.oneof(
    anyText(),
    fc.array(anyText(), { maxLength: 3 }),
    fc.object({ maxDepth: 2 }),
    fc.integer(),
    fc.constant(null),
  );
  const parsedByHost = fc.dictionary(
    fc.oneof(fc.constantFrom(...single, ...known.repeatable), anyText()),
    value,
    {
      noNullPrototype: false,
    },
  );

  holds('a known parameter is one non-empty text, and unknown ones are ignored', [parsedByHost], (given) => {
    const read = accepted(() => parseParameters(given, known));
    if (read === undefined) return;
    const { parameters, repeated } = read;
    for (const [name, value] of Object.entries(parameters)) {
      expect(single).toContain(name);
      expect(typeof value).toBe('string');
      expect(value).not.toBe('');
      expect(value).toBe((given as Record<string, unknown>)[name]);
    }
    for (const [name, values] of Object.entries(repeated)) {
      expect(known.repeatable).toContain(name);
      expect(values).not.toContain('');
      expect([(given as Record<string, unknown>)[name]].flat()).toEqual(expect.arrayContaining([...values!]));
    }
    for (const names of [parameters, repeated]) expect(Object.getPrototypeOf(names)).toBeNull();
  });

  holds('a repeated parameter is always refused', [text, text], (first, second) => {
    const repeated: Form = parseForm(formatForm({ scope: [first, second] }));
    expect(accepted(() => parseParameters(repeated, known))).toBeUndefined();
  });

  holds('a value that is no form is refused, or has no parameters', [fc.anything()], (given) => {
    accepted(() => parseParameters(given, known));
  });
});
