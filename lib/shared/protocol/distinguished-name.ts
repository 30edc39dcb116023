/** A relative distinguished name: its attributes as `oid=value`, normalized for comparison. */
type RelativeName = readonly string[];

/** A distinguished name, beginning with the part nearest to the root of the tree. */
export type DistinguishedName = readonly RelativeName[];

/** The attributes with a short name: those of RFC 4514 §3, and others that certificate authorities use. */
const TYPES: Readonly<Record<string, string>> = {
  cn: '2.5.4.3',
  sn: '2.5.4.4',
  serialnumber: '2.5.4.5',
  c: '2.5.4.6',
  l: '2.5.4.7',
  st: '2.5.4.8',
  street: '2.5.4.9',
  o: '2.5.4.10',
  ou: '2.5.4.11',
  title: '2.5.4.12',
  businesscategory: '2.5.4.15',
  postalcode: '2.5.4.17',
  gn: '2.5.4.42',
  organizationidentifier: '2.5.4.97',
  uid: '0.9.2342.19200300.100.1.1',
  dc: '0.9.2342.19200300.100.1.25',
  emailaddress: '1.2.840.113549.1.9.1',
  jurisdictionl: '1.3.6.1.4.1.311.60.2.1.1',
  jurisdictionst: '1.3.6.1.4.1.311.60.2.1.2',
  jurisdictionc: '1.3.6.1.4.1.311.60.2.1.3',
};
const KNOWN_OIDS: ReadonlySet<string> = new Set(Object.values(TYPES));

/** One attribute and its separator. RFC 4514 §3: a backslash precedes a special character, or two hex digits. */
const ATTRIBUTE = /\s*([A-Za-z][A-Za-z0-9-]*|\d+(?:\.\d+)+)\s*=((?:[^\\,+\n"<>;]|\\[^])*)([,+\n]|$)/y;

/**
 * Parses a name in the format of RFC 4514, whose last part is nearest to the root; undefined if the text is no name, or
 * has values that are not text (`#…`).
 */
export function parseDistinguishedName(text: string): DistinguishedName | undefined {
  return parseRelativeNames(text, ',')?.reverse();
}

/**
 * Parses a name in Node's format: one relative name in each line, the nearest to the root first. Values are escaped as
 * in RFC 4514 (OpenSSL's `ASN1_STRFLGS_ESC_2253`), so that a value cannot look like another attribute.
 */
export function parseSubjectName(text: string): DistinguishedName | undefined {
  return parseRelativeNames(text, '\n');
}

/**
 * RFC 4517 §4.2.15: the same number of relative names, in the same order, each with the same attributes in any order.
 */
export function isSameName(one: DistinguishedName, other: DistinguishedName): boolean {
  const textOf = (name: DistinguishedName) => JSON.stringify(name.map((each) => [...each].sort()));
  return textOf(one) === textOf(other);
}

function parseRelativeNames(text: string, between: ',' | '\n'): RelativeName[] | undefined {
  const names: string[][] = [[]];
  ATTRIBUTE.lastIndex = 0;
  for (let separator: string | undefined = '+'; separator !== '';) {
    const [, type = '', written = '', end] = ATTRIBUTE.exec(text) ?? [];
    const oid = TYPES[type.toLowerCase()] ?? type;
    const value = unescapeValue(written);
    if (!/^\d/.test(oid) || value === undefined) return undefined;
    separator = end;
    if (separator === undefined || !['+', '', between].includes(separator)) return undefined;
    // RFC 4517 §4.2.11: in text values, case and the number of spaces are ignored
    const isText = KNOWN_OIDS.has(oid);
    names
      .at(-1)
      ?.push(`${oid}=${isText ? value.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim() : value}`);
    if (separator === between) names.push([]);
  }
  return names;
}

/** RFC 4514 §2.4; undefined if the value is not text. */
function unescapeValue(written: string): string | undefined {
  // unescaped spaces around a value are not part of it
  const trimmed = written.replace(/^ +/, '').replace(/(\\ )? +$/, '$1');
  if (trimmed.startsWith('#')) return undefined;
  const bytes: Buffer[] = [];
  for (const [, hex, special, plain = ''] of trimmed.matchAll(/\\([0-9A-Fa-f]{2})|\\([^])|([^\\]+)/g))
    bytes.push(hex === undefined ? Buffer.from(special ?? plain) : Buffer.from(hex, 'hex'));
  const text = Buffer.concat(bytes).toString('utf8');
  return text.includes('\ufffd') ? undefined : text;
}
