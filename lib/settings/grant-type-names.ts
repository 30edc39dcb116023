import type { ParsedOptions } from './options.js';
import type { ExtensionGrantType } from './options/extension-grant-type.js';
import { serverOptionError } from './table/parse-options.js';
import type { Registry } from './table/registry.js';
import { optionAt } from './table/with-default.js';

/**
 * The names of the enabled built-in grant types, and the site's extensions.
 *
 * @throws TypeError if a name is unknown, repeated, or lacks its option
 */
export function splitGrantTypes(options: ParsedOptions, { grantTypes: builtIn }: Registry) {
  const refuse = (text: string) => serverOptionError('grantTypes', text);
  const builtInNames = builtIn.map(({ name }) => name);
  const listed = options.grantTypes ?? builtIn.filter(({ isDefault }) => isDefault).map(({ name }) => name);
  const names = listed.filter((entry) => typeof entry === 'string');
  const extensions: readonly ExtensionGrantType[] = listed.filter((entry) => typeof entry !== 'string');
  // some grant types are enabled by another option, so that `grantTypes` need not name them
  for (const { name, switchedOnBy } of builtIn) {
    if (switchedOnBy === undefined) continue;
    const isOn = ![undefined, false].includes(optionAt(options, switchedOnBy) as undefined | false);
    if (!isOn && names.includes(name)) throw refuse(`'${name}' needs the option ${switchedOnBy}`);
    if (isOn && !names.includes(name)) names.push(name);
  }
  const unknown = names.find((name) => !builtInNames.includes(name));
  if (unknown !== undefined)
    throw refuse(
      `'${String(unknown)}' is unknown; there are ${builtInNames.join(', ')}, and your own as { grantType, parameters, handle }`,
    );
  for (const { grantType } of extensions) {
    // RFC 6749 §4.5, Appendix A.10: an absolute URI, or a name of ALPHA / DIGIT / "-" / "." / "_"
    if (!/^[A-Za-z0-9._-]+$/.test(grantType) && !URL.canParse(grantType))
      throw refuse(`'${grantType}' is neither an absolute URI nor a name of letters, digits, - . _`);
    // the site may use the name of a disabled option; other built-in names have meanings beyond the token endpoint
    const reserved = builtIn.find(({ name }) => name === grantType);
    if (reserved && (reserved.switchedOnBy === undefined || names.includes(grantType)))
      throw refuse(`'${grantType}' is built in and cannot be replaced`);
  }
  const all = [...names, ...extensions.map((extension) => extension.grantType)];
  const repeated = all.find((name, index) => all.indexOf(name) !== index);
  if (repeated !== undefined) throw refuse(`'${repeated}' is named twice`);
  for (const { name, needs } of builtIn)
    if (needs !== undefined && names.includes(name) && optionAt(options, needs.option) === undefined)
      throw serverOptionError(needs.option, needs.because);
  return { names, extensions };
}
