import { CliError, EXIT } from '../exit.js';

/** Where a kind of thing is kept: its collection, and for each field the paths where its value may be. */
export interface Place {
  /** Absent if it is not kept, unless `--map` names one. */
  readonly collection?: string;
  readonly fields: Readonly<Record<string, readonly string[]>>;
}

/** Where everything is kept, by names that do not depend on the names of the collections. */
export type Mapping = Readonly<Record<string, Place>>;

/**
 * The mapping with the changes of the command line: `clients=apps` for a collection, `clients.secret=secretHash` for a
 * field of its documents. An empty value removes it.
 *
 * @throws CliError that says what can be named
 */
export function withMapped(mapping: Mapping, entries: readonly string[]): Mapping {
  return entries.reduce(withEntry, mapping);
}

function withEntry(mapping: Mapping, entry: string): Mapping {
  const [, name = '', field, value] = /^([^.=]+)(?:\.([^=]+))?=(.*)$/.exec(entry) ?? [];
  const place = Object.hasOwn(mapping, name) ? mapping[name] : undefined;
  if (value === undefined || place === undefined)
    throw new CliError(
      `--map ${entry}: write it as clients=apps or clients.secret=secretHash`,
      EXIT.usage,
      `There are ${Object.keys(mapping).join(', ')}.`,
    );
  if (field === undefined) {
    const { collection: _collection, ...rest } = place;
    return { ...mapping, [name]: value === '' ? rest : { ...rest, collection: value } };
  }
  if (!Object.hasOwn(place.fields, field))
    throw new CliError(
      `--map ${entry}: ${name} has nothing called ${field}`,
      EXIT.usage,
      `There are ${Object.keys(place.fields).join(', ')}.`,
    );
  return {
    ...mapping,
    [name]: { ...place, fields: { ...place.fields, [field]: value === '' ? [] : [value] } },
  };
}
