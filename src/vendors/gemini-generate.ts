import type { Row } from './vendor.ts'

/** Vendors of the wire `gemini-generate`. */
export const GEMINI_VENDORS: Readonly<Record<string, Row>> = {
  google: {
    wire: 'gemini-generate',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    keyVariable: 'GEMINI_API_KEY',
    quirks: { keyHeader: 'x-goog-api-key' },
  },
  // …/v1/projects/PROJECT/locations/LOCATION/publishers/google, with an access token of Google Cloud.
  vertex: { wire: 'gemini-generate', baseUrl: null, keyVariable: 'VERTEX_ACCESS_TOKEN', quirks: {} },
}
