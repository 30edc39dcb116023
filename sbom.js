/**
 * The bill of materials of the package, as CycloneDX 1.5 (ECMA-424): what is installed with it.
 * `npm sbom --omit dev` leaves out each dependency that a development tool needs as well, jose among them.
 */

/** Where Node.js finds a package that one in `folder` asks for: in the nearest node_modules. */
function resolve(packages, folder, name) {
  for (let place = folder; ; place = place.slice(0, Math.max(0, place.lastIndexOf('node_modules/') - 1))) {
    const found = `${place === '' ? '' : `${place}/`}node_modules/${name}`;
    if (packages[found] !== undefined) return found;
    if (place === '') return undefined;
  }
}

/** What a package needs in order to run; what is optional, for another platform, need not be in the lock file. */
function dependenciesOf(packages, folder) {
  const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = packages[folder];
  // a site brings the peers of this package itself
  const peers = folder === '' ? {} : peerDependencies;
  const names = Object.keys({ ...dependencies, ...optionalDependencies, ...peers }).sort();
  return names.flatMap((name) => {
    const found = resolve(packages, folder, name);
    if (found !== undefined) return [found];
    if (optionalDependencies?.[name] !== undefined || peerDependenciesMeta?.[name]?.optional) return [];
    throw new Error(`package-lock.json does not have ${name}, which ${folder || 'the package'} needs`);
  });
}

const nameOf = (folder) => folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
const purlOf = (name, version) => `pkg:npm/${name.replace(/^@/, '%40')}@${version}`;

/** SPDX has identifiers, and expressions of several of them. */
function licencesOf(license) {
  if (license === undefined) return {};
  return { licenses: [/^[\w.+-]+$/.test(license) ? { license: { id: license } } : { expression: license }] };
}

function hashesOf(integrity = '') {
  const [, hash] = /^sha512-(\S+)$/.exec(integrity) ?? [];
  if (hash === undefined) return {};
  return { hashes: [{ alg: 'SHA-512', content: Buffer.from(hash, 'base64').toString('hex') }] };
}

/**
 * The same lock file gives the same text: there is no time and no random number in it.
 *
 * @param manifest package.json
 * @param packages `packages` of package-lock.json
 */
export function createSbom({ manifest: { name, version, description, license }, packages }) {
  const needs = new Map();
  const reach = (folder) => {
    if (needs.has(folder)) return;
    needs.set(folder, dependenciesOf(packages, folder));
    needs.get(folder).forEach(reach);
  };
  reach('');

  const refOf = (folder) =>
    folder === '' ? `${name}@${version}` : `${nameOf(folder)}@${packages[folder].version}`;
  const folders = [...needs.keys()].filter((folder) => folder !== '').sort();
  // one version of a package can be at two places
  const byRef = new Map(folders.map((folder) => [refOf(folder), folder]));
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: {
      component: {
        'bom-ref': refOf(''),
        type: 'library',
        name,
        version,
        description,
        ...licencesOf(license),
        purl: purlOf(name, version),
      },
    },
    components: [...byRef].map(([ref, folder]) => ({
      'bom-ref': ref,
      type: 'library',
      name: nameOf(folder),
      version: packages[folder].version,
      scope: 'required',
      ...hashesOf(packages[folder].integrity),
      ...licencesOf(packages[folder].license),
      purl: purlOf(nameOf(folder), packages[folder].version),
    })),
    dependencies: [
      { ref: refOf(''), dependsOn: [...new Set(needs.get('').map(refOf))] },
      ...[...byRef].map(([ref, folder]) => ({ ref, dependsOn: [...new Set(needs.get(folder).map(refOf))] })),
    ],
  };
}
