import { parse } from 'yaml';

import { fileText } from '../blocks.js';

export interface Service {
  readonly image: string;
  readonly build?: string;
  readonly command?: string;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly networks: readonly string[];
  readonly secrets?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly healthcheck?: { readonly test: readonly string[]; readonly timeout: string };
  readonly stop_grace_period?: string;
}

interface ComposeFile {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, object>>;
  readonly networks: Readonly<Record<string, { readonly internal?: boolean }>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
}

export const compose = parse(fileText('compose.yaml'), { merge: true }) as ComposeFile;

export const servicesOf = (image: RegExp): [string, Service][] =>
  Object.entries(compose.services).filter(([, service]) => image.test(service.image));
export const [[, site], ...otherSites] = servicesOf(/^photos-site$/) as [
  [string, Service],
  ...[string, Service][],
];
