import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { describe, expect, test } from '@jest/globals';

import type { Component, Sbom } from '../../sbom.js';

interface Listed {
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, Listed>>;
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const textOf = (file: string) => readFileSync(`${root}/${file}`, 'utf8');
const sbom = JSON.parse(textOf('dist/sbom.cdx.json')) as Sbom;
/** The packages that npm itself lists as installed with the package, as name@version. */
function productionDependencies(): string[] {
  const text = execFileSync('npm', ['ls', '--omit=dev', '--all', '--json', '--package-lock-only'], {
    cwd: root,
    encoding: 'utf8',
  });
  const found = new Set<string>();
  const list = ({ dependencies = {} }: Listed): void => {
    for (const [name, dependency] of Object.entries(dependencies)) {
      // npm lists an optional peer that nobody has installed without a version
      if (dependency.version !== undefined) found.add(`${name}@${dependency.version}`);
      list(dependency);
    }
  };
  list(JSON.parse(text) as Listed);
  return [...found];
}

describe('dist/sbom.cdx.json of the build', () => {
  test('the SBOM of the build has the name and version of the package', () => {
    const { name, version } = JSON.parse(textOf('package.json')) as Component;
    expect(sbom).toMatchObject({
      bomFormat: 'CycloneDX',
      metadata: { component: { name, version, purl: `pkg:npm/${name}@${version}` } },
    });
  });

  test('the SBOM of the build has exactly the production dependencies, with their versions', () => {
    const expected = productionDependencies();
    expect(expected).toEqual(expect.arrayContaining([expect.stringMatching(/^jose@/)]));
    expect(sbom.components.map((component) => component['bom-ref']).sort()).toEqual(expected.sort());
  });
});
