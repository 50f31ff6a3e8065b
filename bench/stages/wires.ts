import type { WireName } from '../../src/wires/contract.ts'

/** One wire of each framing: SSE, lines, binary messages; and the one of the newest API. */
export const STAGED_WIRES = [
  'openai-chat',
  'openai-responses',
  'anthropic-messages',
  'ollama-chat',
  'bedrock-converse',
] as const satisfies readonly WireName[]
