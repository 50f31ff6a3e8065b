import type { Quirks } from '../../quirks.ts'

/** The Gemini API reads its key from a header of its own; Vertex AI takes an access token of Google Cloud. */
export function authorizeGoogle(key: string, { keyHeader }: Quirks): Readonly<Record<string, string>> {
  return keyHeader === undefined ? { authorization: `Bearer ${key}` } : { [keyHeader]: key }
}
