import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';

import { keepTlsFiles } from '../../example-app/tls-files.js';
import type { Certificate, Credentials } from './profile.js';

export interface Certificates {
  readonly host: Certificate;
  readonly clients: Credentials['certificates'];
}

/**
 * The certificate of the host, for its name, and those of the clients. The suite accepts any of the host.
 *
 * @throws StartError if there is no openssl
 */
export async function keepCertificates(dataFolder: string, hostName: string): Promise<Certificates> {
  const folder = await keepTlsFiles(dataFolder, {
    authority: 'Conformance host',
    certificates: {
      host: { commonName: hostName, names: `${isIP(hostName) === 0 ? 'DNS' : 'IP'}:${hostName}` },
      client: { commonName: 'client', names: 'DNS:client.example' },
      client2: { commonName: 'client2', names: 'DNS:client2.example' },
    },
  });
  const read = (file: string) => readFile(join(folder, file), 'utf8');
  const pair = async (name: string) => ({
    key: await read(`${name}.key`),
    cert: await read(`${name}.pem`),
  });
  return {
    host: await pair('host'),
    clients: {
      authority: await read('authority.pem'),
      client: await pair('client'),
      client2: await pair('client2'),
    },
  };
}
