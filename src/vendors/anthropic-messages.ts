import type { Row } from './vendor.ts'

/** Who speaks Anthropic's messages. */
export const MESSAGES_VENDORS: Readonly<Record<string, Row>> = {
  anthropic: {
    wire: 'anthropic-messages',
    baseUrl: 'https://api.anthropic.com',
    keyVariable: 'ANTHROPIC_API_KEY',
    quirks: {},
  },
  // https://LOCATION-aiplatform.googleapis.com/v1/projects/PROJECT/locations/LOCATION/publishers/anthropic/models
  'vertex-anthropic': {
    wire: 'anthropic-messages',
    baseUrl: null,
    keyVariable: null,
    quirks: { rawPredict: true },
  },
}
