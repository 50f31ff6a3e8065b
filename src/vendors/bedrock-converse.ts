import type { Row } from './vendor.ts'

/** Vendors of the wire `bedrock-converse`. */
export const BEDROCK_VENDORS: Readonly<Record<string, Row>> = {
  bedrock: {
    wire: 'bedrock-converse',
    baseUrl: 'https://bedrock-runtime.{region}.amazonaws.com',
    keyVariable: 'AWS_BEARER_TOKEN_BEDROCK',
    awsService: 'bedrock',
    quirks: {},
  },
}
