import type { Quirks } from '../wires/quirks.ts'
import type { Row } from './vendor.ts'

/** Every model of these vendors is a Claude, under any name. */
const CLAUDE: Quirks = { likeModels: { '*': 'claude-latest' } }

/** Vendors of the wire `anthropic-messages`. */
export const MESSAGES_VENDORS: Readonly<Record<string, Row>> = {
  anthropic: {
    wire: 'anthropic-messages',
    baseUrl: 'https://api.anthropic.com',
    keyVariable: 'ANTHROPIC_API_KEY',
    quirks: CLAUDE,
  },
  // https://LOCATION-aiplatform.googleapis.com/v1/projects/PROJECT/locations/LOCATION/publishers/anthropic/models
  'vertex-anthropic': {
    wire: 'anthropic-messages',
    baseUrl: null,
    keyVariable: null,
    // Requests have the model's version after `@`, answers after `-`.
    quirks: { ...CLAUDE, rawPredict: true, ownModelNames: true },
  },
}
