/** Every wire, and whether clients speak it. A new wire is a folder and a line here; `npm run wires` writes the registries. */
export const HAS_CLIENTS = {
  'openai-chat': true,
  'openai-responses': true,
  'anthropic-messages': true,
  'gemini-generate': true,
  'gemini-interactions': true,
  'bedrock-converse': false,
  'cohere-chat': false,
  'ollama-chat': true,
} as const satisfies Readonly<Record<string, boolean>>

type WireName = keyof typeof HAS_CLIENTS

export type ClientWireName = { [Name in WireName]: (typeof HAS_CLIENTS)[Name] extends true ? Name : never }[WireName]
