/** Sets `value` at `path` (`tokens.reuseGrace`) unless the site has set it. */
export function withDefault<Options extends object>(options: Options, path: string, value: unknown): Options {
  const [name = '', ...members] = path.split('.');
  const current = (options as Readonly<Record<string, unknown>>)[name];
  if (members.length === 0) return current === undefined ? { ...options, [name]: value } : options;
  // a later check refuses anything but an object
  if (current !== undefined && (typeof current !== 'object' || current === null)) return options;
  return { ...options, [name]: withDefault(current ?? {}, members.join('.'), value) };
}

/** The option at `path`. */
export function optionAt(options: object, path: string): unknown {
  return path.split('.').reduce<unknown>((inside, name) => (inside as never)?.[name], options);
}
