export function withoutLines(
  text: string,
  taken?: readonly string[],
): { readonly text: string; readonly lines: readonly string[] };
