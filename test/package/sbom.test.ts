import { describe, expect, test } from '@jest/globals';

import { createSbom, type LockedPackage } from '../../sbom.js';

const manifest = { name: 'server', version: '1.0.0', license: 'MIT' };

const sbomOf = (packages: Record<string, LockedPackage>) => createSbom({ manifest, packages });
const refsOf = (packages: Record<string, LockedPackage>) =>
  sbomOf(packages).components.map((component) => component['bom-ref']);

describe('the bill of materials', () => {
  test('the SBOM has each production dependency, also one that a development tool needs', () => {
    const packages = {
      '': { dependencies: { a: '^1.0.0' } },
      'node_modules/a': { version: '1.0.0', dependencies: { b: '^1.0.0' } },
      'node_modules/b': { version: '1.2.3' },
      'node_modules/tool': { version: '9.0.0', dev: true, dependencies: { a: '^1.0.0', c: '^1.0.0' } },
      'node_modules/c': { version: '9.0.0', dev: true },
    };
    expect(refsOf(packages)).toEqual(['a@1.0.0', 'b@1.2.3']);
    expect(sbomOf(packages).dependencies).toEqual([
      { ref: 'server@1.0.0', dependsOn: ['a@1.0.0'] },
      { ref: 'a@1.0.0', dependsOn: ['b@1.2.3'] },
      { ref: 'b@1.2.3', dependsOn: [] },
    ]);
  });

  test('the SBOM has the version that Node.js resolves, the nearest one', () => {
    const packages = {
      '': { dependencies: { '@scope/a': '^1.0.0', b: '^2.0.0' } },
      'node_modules/@scope/a': { version: '1.0.0', dependencies: { b: '^1.0.0' } },
      'node_modules/@scope/a/node_modules/b': { version: '1.0.0', dependencies: { c: '*' } },
      'node_modules/b': { version: '2.0.0' },
      'node_modules/c': { version: '3.0.0' },
    };
    expect(refsOf(packages)).toEqual(['@scope/a@1.0.0', 'b@1.0.0', 'b@2.0.0', 'c@3.0.0']);
    expect(sbomOf(packages).components[0]?.purl).toBe('pkg:npm/%40scope/a@1.0.0');
  });

  test('the SBOM has peers of dependencies, not those of the package or absent optional ones', () => {
    const packages = {
      '': { dependencies: { a: '*' }, peerDependencies: { express: '*' } },
      'node_modules/express': { version: '5.0.0' },
      'node_modules/a': {
        version: '1.0.0',
        peerDependencies: { b: '*', c: '*' },
        peerDependenciesMeta: { c: { optional: true } },
        optionalDependencies: { d: '*' },
      },
      'node_modules/b': { version: '1.0.0' },
    };
    expect(refsOf(packages)).toEqual(['a@1.0.0', 'b@1.0.0']);
  });

  test('the SBOM cannot be made if a dependency is not in the lock file', () => {
    expect(() => refsOf({ '': { dependencies: { a: '*' } } })).toThrow('package-lock.json does not have a');
  });

  test('the SBOM has the licence as an SPDX identifier or expression, and the hash in hexadecimal', () => {
    const [a, b] = sbomOf({
      '': { dependencies: { a: '*', b: '*' } },
      'node_modules/a': { version: '1.0.0', license: 'BSD-2-Clause', integrity: 'sha512-AP8=' },
      'node_modules/b': { version: '1.0.0', license: '(MIT OR Apache-2.0)' },
    }).components;
    expect(a).toMatchObject({
      licenses: [{ license: { id: 'BSD-2-Clause' } }],
      hashes: [{ alg: 'SHA-512', content: '00ff' }],
    });
    expect(b?.licenses).toEqual([{ expression: '(MIT OR Apache-2.0)' }]);
    expect(b).not.toHaveProperty('hashes');
  });
});
