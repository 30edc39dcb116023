import type { ParsedOptions } from './options.js';
import type { ExtensionGrantType } from './options/extension-grant-type.js';
import { serverOptionError } from './table/parse-options.js';
import type { Registry } from './table/registry.js';
import { optionAt } from './table/with-default.js';

/**
 * The names of the grant types that are on, and those of the site's own.
 *
 * @throws TypeError if one is unknown, named twice, or lacks its option
 */
export function splitGrantTypes(
  options: ParsedOptions,
  { grantTypes: builtIn }: Registry,
): {
  names: string[];
  extensions: ExtensionGrantType[];
} {
  const known = builtIn.map(({ name }) => name);
  const defaults = builtIn.flatMap(({ name, isDefault }) => (isDefault === true ? [name] : []));
  const given = options.grantTypes ?? defaults;
  const named = given.filter((entry) => typeof entry === 'string');
  const names = [...named, ...switchedOnBeside(named, options, builtIn)];
  const extensions = given.filter((entry) => typeof entry !== 'string');
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw serverOptionError(
      'grantTypes',
      `'${String(unknown)}' is unknown; there are ${known.join(', ')}, and your own as { grantType, parameters, handle }`,
    );
  }
  // the site may use the name of an option that is off; the other names are read by more than the token endpoint
  const reserved = builtIn.filter(
    ({ name, switchedOnBy }) => switchedOnBy === undefined || names.includes(name),
  );
  checkExtensions(
    extensions,
    reserved.map(({ name }) => name),
  );
  const all = [...names, ...extensions.map((extension) => extension.grantType)];
  const repeated = all.find((name, index) => all.indexOf(name) !== index);
  if (repeated !== undefined) throw serverOptionError('grantTypes', `'${repeated}' is named twice`);
  const lacking = builtIn.find(
    ({ name, needs }) =>
      needs !== undefined && names.includes(name) && optionAt(options, needs.option) === undefined,
  );
  if (lacking?.needs !== undefined) throw serverOptionError(lacking.needs.option, lacking.needs.because);
  return { names, extensions };
}

/**
 * The grant types that an option of their own switches on.
 *
 * @throws TypeError if one is named while its option is off
 */
function switchedOnBeside(
  named: readonly string[],
  options: ParsedOptions,
  builtIn: Registry['grantTypes'],
): readonly string[] {
  const isOn = (option: string) =>
    ![undefined, false].includes((options as Readonly<Record<string, unknown>>)[option] as undefined | false);
  return builtIn.flatMap(({ name, switchedOnBy }) => {
    if (switchedOnBy === undefined) return [];
    if (isOn(switchedOnBy)) return named.includes(name) ? [] : [name];
    if (named.includes(name))
      throw serverOptionError('grantTypes', `'${name}' needs the option ${switchedOnBy}`);
    return [];
  });
}

function checkExtensions(extensions: readonly ExtensionGrantType[], reserved: readonly string[]): void {
  for (const { grantType } of extensions) {
    // RFC 6749 §4.5, Appendix A.10: an absolute URI, or a name of ALPHA / DIGIT / "-" / "." / "_"
    if (!/^[A-Za-z0-9._-]+$/.test(grantType) && !URL.canParse(grantType)) {
      throw serverOptionError(
        'grantTypes',
        `'${grantType}' is neither an absolute URI nor a name of letters, digits, - . _`,
      );
    }
    if (reserved.includes(grantType))
      throw serverOptionError('grantTypes', `'${grantType}' is built in and cannot be replaced`);
  }
}
