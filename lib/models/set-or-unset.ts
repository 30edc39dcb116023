/** An update that sets these members, and removes those that are present but undefined. */
export function setOrUnset(fields: Readonly<Record<string, unknown>>): Record<string, object> {
  const entries = Object.entries(fields);
  const removed = entries.filter(([, value]) => value === undefined).map(([name]) => [name, 1]);
  return {
    $set: Object.fromEntries(entries.filter(([, value]) => value !== undefined)),
    ...(removed.length > 0 && { $unset: Object.fromEntries(removed) as object }),
  };
}
