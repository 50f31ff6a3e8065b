import type { Row } from './vendor.ts'

export const COHERE_VENDORS: Readonly<Record<string, Row>> = {
  cohere: { wire: 'cohere-chat', baseUrl: 'https://api.cohere.com', keyVariable: 'COHERE_API_KEY', quirks: {} },
}
