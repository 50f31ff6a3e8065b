/** `position`: ` (line 2, column 24)`, or an empty text if the parser does not report it. */
export type ParsedText =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly position: string }

/** Parses a file that a person has written: a byte order mark is allowed, and a mistake has a position. */
export function parseJsonText(text: string): ParsedText {
  try {
    return { ok: true, value: JSON.parse(text.replace(/^\ufeff/, '')) }
  } catch (error) {
    // The rest of the parser's message may quote the text, which may contain secrets.
    const offset = /position (\d+)/.exec(String(error))?.[1]
    return { ok: false, position: offset === undefined ? '' : ` (${formatPosition(text, Number(offset))})` }
  }
}

function formatPosition(text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n')
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`
}
