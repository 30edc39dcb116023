import type { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';

import type { ClientMetadata } from '../../core/clients/client.js';
import {
  isSameName,
  parseDistinguishedName,
  parseSubjectName,
} from '../../shared/protocol/distinguished-name.js';

interface SubjectKind {
  readonly isPossible: (value: string) => boolean;
  readonly isIn: (x509: X509Certificate, value: string) => boolean;
  readonly description: string;
}

/** RFC 8705 §2.1.2. Node (OpenSSL) compares the names, without wildcards, and never with the subject. */
export const SUBJECT_KINDS = {
  tlsClientAuthSubjectDn: {
    description: 'a distinguished name as RFC 4514 writes it, such as CN=shop,O=Print,C=DE',
    isPossible: (value) => parseDistinguishedName(value) !== undefined,
    isIn(x509, value) {
      const [registered, presented] = [parseDistinguishedName(value), parseSubjectName(x509.subject)];
      return registered !== undefined && presented !== undefined && isSameName(registered, presented);
    },
  },
  tlsClientAuthSanDns: {
    description: 'the name of a host, such as shop.example',
    isPossible: (value) => /^(?!-)[a-z0-9-]+(\.[a-z0-9-]+)*$/i.test(value),
    isIn: (x509, value) => x509.checkHost(value, { subject: 'never', wildcards: false }) !== undefined,
  },
  tlsClientAuthSanUri: {
    description: 'a URI, such as spiffe://shop.example/printer',
    isPossible: (value) => /^[\x21-\x7e]+$/.test(value) && URL.canParse(value),
    isIn: (x509, value) => readUris(x509).includes(value),
  },
  tlsClientAuthSanIp: {
    description: 'an IP address, such as 192.0.2.7 or 2001:db8::7',
    isPossible: (value) => isIP(value) !== 0 && !value.includes('%'),
    isIn: (x509, value) => x509.checkIP(value) !== undefined,
  },
  tlsClientAuthSanEmail: {
    description: 'an address, such as printer@shop.example',
    isPossible: (value) => /^[^\s@]+@[^\s@]+$/.test(value),
    isIn: (x509, value) => x509.checkEmail(value, { subject: 'never' }) !== undefined,
  },
} satisfies Partial<Record<keyof ClientMetadata, SubjectKind>>;

const FIELDS = Object.keys(SUBJECT_KINDS) as readonly (keyof typeof SUBJECT_KINDS)[];

/** The registered subjects of a client; RFC 8705 §2.1.2: exactly one if the client authenticates by its subject. */
export function subjectsOf(client: ClientMetadata) {
  return FIELDS.flatMap((field) => {
    const value = client[field];
    return value === undefined ? [] : [{ field, value }];
  });
}

/** Node writes an ambiguous entry as a JSON string. */
const ENTRY = /([A-Za-z][A-Za-z0-9 ]*):("(?:[^"\\]|\\.)*"|[^",]*)(, |$)/y;

/** The URIs of the certificate (RFC 5280 §4.2.1.6); empty if Node's text cannot be parsed. */
function readUris({ subjectAltName = '' }: X509Certificate): readonly string[] {
  const uris: string[] = [];
  ENTRY.lastIndex = 0;
  while (ENTRY.lastIndex < subjectAltName.length) {
    const [whole, type, value = ''] = ENTRY.exec(subjectAltName) ?? [];
    if (whole === undefined) return [];
    if (type === 'URI') uris.push(value.startsWith('"') ? (JSON.parse(value) as string) : value);
  }
  return uris;
}
