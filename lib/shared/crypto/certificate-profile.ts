import { DER, type DerValue, readDer } from './der.js';

/** What a certificate says of its own use. @see RFC 5280 §4.2 */
export interface CertificateProfile {
  /** Whether it may sign certificates, as its basic constraints say (§4.2.1.9). */
  readonly isAuthority: boolean;
  /** How many authorities may stand between it and the last certificate. Default: any number. */
  readonly pathLength: number | undefined;
  /** Undefined: it does not say (§4.2.1.3). */
  readonly keyUsage: KeyUsage | undefined;
  /** Whether a client may show it, or it may sign for clients (§4.2.1.12); true if it does not say. */
  readonly isForClients: boolean;
  /** The URIs among its names (§4.2.1.6). */
  readonly uris: readonly string[];
  /** Whether it is signed by an algorithm that is good today. */
  readonly hasGoodSignature: boolean;
}

export interface KeyUsage {
  readonly signsData: boolean;
  readonly signsCertificates: boolean;
  readonly signsLists: boolean;
}

/** Object identifiers, in the hexadecimal digits of their DER. */
const OIDS = {
  keyUsage: '551d0f',
  names: '551d11',
  basicConstraints: '551d13',
  nameConstraints: '551d1e',
  purposes: '551d25',
};
/** id-kp-clientAuth, anyExtendedKeyUsage */
const FOR_CLIENTS = ['2b06010505070302', '551d2500'];
/** RSA with SHA-256, -384, -512; ECDSA with the same; Ed25519. */
const GOOD_SIGNATURES = [
  '2a864886f70d01010b',
  '2a864886f70d01010c',
  '2a864886f70d01010d',
  '2a8648ce3d040302',
  '2a8648ce3d040303',
  '2a8648ce3d040304',
  '2b6570',
];
/** Extensions that are read here, so that they may be critical. */
const UNDERSTOOD = [OIDS.keyUsage, OIDS.names, OIDS.basicConstraints, OIDS.purposes];
const VERSION_3 = 2;
/** Context-specific tags of §4.1 and §4.2.1.6. */
const TAG = { version: 0xa0, extensions: 0xa3, uri: 0x86 };

interface Extension {
  readonly isCritical: boolean;
  readonly content: Buffer;
}

/**
 * Node tells none of this but whether a certificate is that of an authority.
 *
 * @returns undefined if it cannot be read, or says something that has to be understood and is not (§4.2): a critical
 * extension of another kind, or constraints on names
 */
export function readCertificateProfile(der: Buffer): CertificateProfile | undefined {
  try {
    const { extensions, signature } = readCertificate(der);
    const isUnknown = [...extensions].some(
      ([oid, { isCritical }]) => isCritical && !UNDERSTOOD.includes(oid),
    );
    if (isUnknown || extensions.has(OIDS.nameConstraints)) return undefined;
    const read = <Value>(oid: string, parse: (content: Buffer) => Value): Value | undefined => {
      const found = extensions.get(oid);
      return found && parse(found.content);
    };
    return {
      ...(read(OIDS.basicConstraints, readBasicConstraints) ?? { isAuthority: false, pathLength: undefined }),
      keyUsage: read(OIDS.keyUsage, readKeyUsage),
      isForClients: read(OIDS.purposes, readIsForClients) ?? true,
      uris: read(OIDS.names, readUris) ?? [],
      hasGoodSignature: GOOD_SIGNATURES.includes(signature),
    };
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** @throws RangeError */
function readCertificate(der: Buffer) {
  const [tbs, algorithm] = itemsOf(only(readDer(der)));
  const fields = itemsOf(tbs);
  const version = only(readDer(contentOf(fields[0], TAG.version)));
  if (integerOf(version) !== VERSION_3) throw new RangeError('not of version 3');
  const [oid] = itemsOf(algorithm);
  const extensions = fields.filter(({ tag }) => tag === TAG.extensions);
  return {
    signature: contentOf(oid, DER.objectIdentifier).toString('hex'),
    extensions: readExtensions(extensions.flatMap(({ content }) => itemsOf(only(readDer(content))))),
  };
}

/** @throws RangeError, also if there are two of a kind (§4.2) */
function readExtensions(list: readonly DerValue[]): ReadonlyMap<string, Extension> {
  const extensions = new Map<string, Extension>();
  for (const item of list) {
    const [oid, ...rest] = itemsOf(item);
    const [value, critical, ...more] = [...rest].reverse();
    const name = contentOf(oid, DER.objectIdentifier).toString('hex');
    if (extensions.has(name) || more.length > 0) throw new RangeError('an extension that stands there twice');
    extensions.set(name, {
      isCritical: critical !== undefined && booleanOf(critical),
      content: contentOf(value, DER.octetString),
    });
  }
  return extensions;
}

function readBasicConstraints(content: Buffer) {
  const [first, second] = itemsOf(only(readDer(content)));
  const isAuthority = first?.tag === DER.boolean && booleanOf(first);
  const length = isAuthority ? second : undefined;
  return { isAuthority, pathLength: length && integerOf(length) };
}

/** Bits are counted from the highest of the first byte. */
function readKeyUsage(content: Buffer): KeyUsage {
  const bits = contentOf(only(readDer(content)), DER.bitString).readUInt8(1);
  return {
    signsData: (bits & 0x80) !== 0,
    signsCertificates: (bits & 0x04) !== 0,
    signsLists: (bits & 0x02) !== 0,
  };
}

function readIsForClients(content: Buffer): boolean {
  return itemsOf(only(readDer(content))).some((oid) =>
    FOR_CLIENTS.includes(contentOf(oid, DER.objectIdentifier).toString('hex')),
  );
}

function readUris(content: Buffer): readonly string[] {
  return itemsOf(only(readDer(content))).flatMap((name) =>
    name.tag === TAG.uri ? [name.content.toString('latin1')] : [],
  );
}

function only(values: readonly DerValue[]): DerValue {
  const [value, ...more] = values;
  if (value === undefined || more.length > 0) throw new RangeError('not one value');
  return value;
}

function itemsOf(value: DerValue | undefined): readonly DerValue[] {
  return readDer(contentOf(value, DER.sequence));
}

function contentOf(value: DerValue | undefined, tag: number): Buffer {
  if (value?.tag !== tag) throw new RangeError('a value of another kind');
  return value.content;
}

function booleanOf(value: DerValue): boolean {
  const content = contentOf(value, DER.boolean);
  return content.length === 1 && content.readUInt8(0) !== 0;
}

function integerOf(value: DerValue): number {
  const content = contentOf(value, DER.integer);
  if (content.length === 0 || content.length > 4) throw new RangeError('a number that is too long');
  return content.readIntBE(0, content.length);
}
